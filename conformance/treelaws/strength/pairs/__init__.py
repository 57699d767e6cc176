"""Which features of inputs meet in one case, and which pairs never do."""
