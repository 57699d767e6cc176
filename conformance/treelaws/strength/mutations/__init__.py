"""Mutants of an installed library: its source with one small change, and the laws that notice."""
