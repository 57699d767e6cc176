"""Names that options may have, without an import of JAX."""

from __future__ import annotations

from collections.abc import Sequence

# `jax.devices` takes "gpu" for the devices of CUDA and of ROCm alike.
BACKENDS: Sequence[str] = ("cpu", "gpu", "tpu")
# `cpu:8` is as many devices of the processor, which JAX makes for the run.
_MOST_DEVICES = 64


def parts(backend: str) -> tuple[str, int]:
    """Split the name of a backend: the platform, and how many devices it has.

    Args:
        backend: one of `BACKENDS`, perhaps with a colon and a number behind it.

    Raises:
        ValueError: the backend is unknown; the message names those that are allowed.
    """
    platform, colon, count = backend.partition(":")
    if platform not in BACKENDS:
        raise ValueError(f"unknown {backend!r}; choose from {', '.join(BACKENDS)}")
    if not colon:
        return platform, 1
    if not count.isdecimal() or not 2 <= int(count) <= _MOST_DEVICES:
        raise ValueError(f"{backend!r}: the number of devices is 2 to {_MOST_DEVICES}")
    return platform, int(count)
