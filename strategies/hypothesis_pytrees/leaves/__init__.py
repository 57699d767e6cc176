"""Leaves and their dtypes."""
