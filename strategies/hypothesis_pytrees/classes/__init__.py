"""Classes: `eqx.Module` in all its forms, layers, and what type hints say."""
