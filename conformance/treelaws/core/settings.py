"""What the command line chose; light, so that the plugin can write it without importing jax."""

from __future__ import annotations

PROFILES = ("quick", "default", "ci", "thorough")
LEVELS = ("must", "should", "observed")
EDITIONS = ("2026.1",)
# Files of `treelaws.libraries`; importing one imports no library but jax.
LIBRARIES = ("jax", "equinox", "flax", "chex", "nnx", "optax", "mixed")

# The plugin assigns these before any law is imported.
profile = "default"
edition = EDITIONS[-1]
# Which part of the laws, such as "1/4"; empty for all.
shard = ""
# Where Hypothesis keeps examples, as a URL; empty for its own default.
database = ""
# Address of the documentation, such as "https://example.org/treelaws"; empty: it has none yet.
SITE = ""
