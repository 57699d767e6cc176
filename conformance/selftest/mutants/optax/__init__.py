"""Mutants for the laws in `treelaws/laws/optax/`."""
