"""The configuration of JAX, for a child process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax

# Values of other types cannot be sent.
_PLAIN = (bool, int, float, str, type(None))


def configuration() -> dict[str, Any]:
    """Return the values of `jax.config` by name, for another process."""
    return {name: one for name, one in jax.config.values.items() if type(one) in _PLAIN}


def configure(values: Mapping[str, Any]) -> None:
    """Set the values of `jax.config` that differ.

    Args:
        values: as `configuration` returned them in another process.
    """
    for name, value in values.items():
        if jax.config.values.get(name) != value:
            jax.config.update(name, value)
