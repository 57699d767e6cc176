"""Mutants for the laws in `treelaws/laws/nodes/`."""
