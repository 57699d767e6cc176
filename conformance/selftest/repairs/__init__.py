"""Repaired parts of libraries, one file a part, and faults in them."""
