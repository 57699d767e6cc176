"""Node types in every form of registration that JAX has."""
