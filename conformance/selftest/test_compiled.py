"""Memory reaches a plateau: JAX's caches are cleared once they hold many programs."""

from __future__ import annotations

import jax
import numpy as np

from treelaws import compiled


def test_each_compilation_is_counted() -> None:
    before = compiled.kept()
    jax.jit(lambda x: x + 1)(np.float32(0))
    assert compiled.kept() > before


def test_many_are_forgotten(monkeypatch) -> None:
    monkeypatch.setattr(compiled, "_MOST_KEPT", 0)
    twice = jax.jit(lambda x: x * 2)
    twice(np.float32(0))
    compiled.forget_many()
    assert compiled.kept() == 0
    twice(np.float32(0))
    assert compiled.kept() > 0
