"""Counts the programs in the caches of JAX, which take one to two megabytes each."""

from __future__ import annotations

import jax
import jax.monitoring

# Clearing costs 0.1 s, and JAX compiles again the programs that every test needs.
_MOST_KEPT = 500
_EVENT = "/jax/core/compile/backend_compile_duration"
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
    if _kept > _MOST_KEPT:
        jax.clear_caches()
        _kept = 0
