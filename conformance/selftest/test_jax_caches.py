"""Memory reaches a plateau: JAX's caches are cleared once they hold many programs."""

from __future__ import annotations

import jax
import numpy as np

from treelaws.compat import jax_caches


def test_each_compilation_is_counted() -> None:
    before = jax_caches.kept()
    jax.jit(lambda x: x + 1)(np.float32(0))
    assert jax_caches.kept() > before


def test_many_are_forgotten(monkeypatch) -> None:
    monkeypatch.setattr(jax_caches, "_MOST_KEPT", 0)
    twice = jax.jit(lambda x: x * 2)
    twice(np.float32(0))
    jax_caches.forget_many()
    assert jax_caches.kept() == 0
    twice(np.float32(0))
    assert jax_caches.kept() > 0
