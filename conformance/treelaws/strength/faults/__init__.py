"""Generated faults: every function that a law calls, broken in every systematic way."""
