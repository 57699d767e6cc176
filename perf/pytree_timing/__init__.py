"""Times operations on trees: what they cost beside a flat tuple and a node written by hand."""
