"""The command `past-bugs`: bugs that releases had, found again."""
