"""Subjects: the libraries and node types of the suite, and those of users."""
