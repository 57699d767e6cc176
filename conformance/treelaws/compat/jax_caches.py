"""Programs that JAX compiled and keeps: one to two megabytes each until its caches are cleared."""

from __future__ import annotations

import jax
import jax.monitoring

# Clearing costs 0.1 s and makes JAX compile anew what every test needs (200 programs hold 0.3 GB).
_MOST_KEPT = 500
_EVENT = "/jax/core/compile/backend_compile_duration"
_kept = 0


def _count(event: str, duration_secs: float, **kwargs: str | int) -> None:
    global _kept
    _kept += event == _EVENT


jax.monitoring.register_event_duration_secs_listener(_count)


def kept() -> int:
    """Give how many programs were compiled since the caches were cleared."""
    return _kept


def forget_many() -> None:
    """Clear JAX's caches where they hold many programs."""
    global _kept
    if _kept > _MOST_KEPT:
        jax.clear_caches()
        _kept = 0
