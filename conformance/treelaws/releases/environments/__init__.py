"""Runs with other releases, whose versions are resolved once and kept."""
