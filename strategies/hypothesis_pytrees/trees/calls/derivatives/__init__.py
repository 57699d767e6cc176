"""Derivatives: ways to take them, arguments, auxiliary data and trees of numbers."""
