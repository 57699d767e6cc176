"""Environments with other releases, each made once and kept."""
