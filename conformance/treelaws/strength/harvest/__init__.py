"""What other projects' tests pass to the public functions, beside what laws pass."""
