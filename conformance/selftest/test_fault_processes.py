"""A fault that ends the process of a law costs the matrix that law alone."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest

from treelaws.laws import law_named
from treelaws.strength.faults.matrix import NOTICED, Cell
from treelaws.strength.faults.running import tried

_LAWS = (
    "jax.map.unflatten_undoes_flatten",
    "jax.map.map_is_flatten_apply_unflatten",
    "jax.map.map_with_path_is_map_over_paths",
    "jax.map.reduce_folds_the_leaves",
)


def _ends_at_the_second(law: str, cases: int, settled: Iterable[tuple[str, str]]) -> list[Cell]:
    if law == _LAWS[1]:
        os._exit(1)
    return [Cell(law, "jax", "jax.tree.map", "value", NOTICED)]


@pytest.mark.sweep
@pytest.mark.parametrize("workers", [1, 2])
def test_the_law_alone_is_left_out(workers: int, capsys: pytest.CaptureFixture[str]):
    laws = [law_named(one) for one in _LAWS]
    done = tried(laws, [], cases=3, enough=None, workers=workers, work=_ends_at_the_second)
    assert {law for law, _ in done} == {*_LAWS} - {_LAWS[1]}
    assert capsys.readouterr().err == f"{_LAWS[1]} is left out: its process ended twice\n"
