"""Child processes for code that may end or block the process that runs it."""
