"""Mutants, one file a topic: subjects broken in exactly one way, and the laws that must notice."""
