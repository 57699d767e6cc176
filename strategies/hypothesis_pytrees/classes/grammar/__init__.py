"""A grammar of classes: features that are put together at random."""
