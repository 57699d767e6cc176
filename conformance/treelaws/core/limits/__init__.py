"""Limits of what code under test may take, and what stops it."""
