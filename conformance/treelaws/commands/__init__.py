"""Commands that need no folder of their own, one a file."""
