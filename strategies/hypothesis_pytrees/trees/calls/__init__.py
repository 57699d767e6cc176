"""Calls of functions on trees: signatures, misfits, threads."""
