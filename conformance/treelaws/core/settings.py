"""Settings of the command line, in a module that the plugin can set without importing jax."""

from __future__ import annotations

PROFILES = ("quick", "default", "ci", "thorough")
LEVELS = ("must", "should", "observed")
EDITIONS = ("2026.1",)
# Files of `treelaws.subjects.builtin`; importing one imports no library except jax.
LIBRARIES = ("jax", "equinox", "flax", "chex", "nnx", "optax", "mixed")

# The plugin sets these before any law is imported.
profile = "default"
edition = EDITIONS[-1]
# The shard that runs, such as "1/4"; empty for all laws.
shard = ""
# URL of the example database of Hypothesis; empty for its own default.
database = ""
# Time limit of one case of a law, in seconds. All cases of the slowest law take 2 seconds together.
case_seconds = 60.0
# After this many broken laws, the scripts of further ones are written but not run.
most_scripts = 20
# Address of the documentation, such as "https://example.org/treelaws"; empty: it has none yet.
SITE = ""
