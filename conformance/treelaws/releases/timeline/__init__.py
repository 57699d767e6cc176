"""The command `timeline`: how fast the releases of a library are."""
