"""Published libraries as subjects: every public node type of theirs under the laws of nodes."""
