"""Names that options may have, without an import of JAX."""

from __future__ import annotations

from collections.abc import Sequence

# `jax.devices` takes "gpu" for the devices of CUDA and of ROCm alike.
BACKENDS: Sequence[str] = ("cpu", "gpu", "tpu")
