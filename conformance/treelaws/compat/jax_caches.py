"""Counts the programs in the caches of JAX, which take one to two megabytes each."""

from __future__ import annotations

import jax
import jax.monitoring

from . import matches

# Clearing costs 0.1 s, and JAX compiles again the programs that every test needs.
_MOST_KEPT = 500
_EVENT = "/jax/core/compile/backend_compile_duration"
# In JAX 0.7.0, `clear_caches` ends the process if what is dropped with a cache runs a callback of a
# weak reference. Its programs stay, so a worker needs some gigabytes.
_CLEARS = not matches("jax", "==0.7.0")
_kept = 0


def _count(event: str, duration_secs: float, **kwargs: str | int) -> None:
    global _kept
    _kept += event == _EVENT


jax.monitoring.register_event_duration_secs_listener(_count)


def kept() -> int:
    """Return the number of programs compiled since the caches were cleared."""
    return _kept


def forget_many() -> None:
    """Clear the caches of JAX if they contain many programs."""
    global _kept
    if _CLEARS and _kept > _MOST_KEPT:
        jax.clear_caches()
        _kept = 0
