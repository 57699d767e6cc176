"""Optax: transformations, parameters, masks and steps."""
