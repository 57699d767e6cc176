"""Counts are exact, see what they are for, and are the same when they are read back."""

from __future__ import annotations

import itertools
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from pytree_timing import recorded, trees
from pytree_timing.figures import Figures, figures
from pytree_timing.operation import Case, operation, operations


def _case(name: str) -> Case:
    found = Case.named(name)
    assert found is not None
    return found


@pytest.mark.parametrize("size", trees.SIZES[:3])
def test_a_flatten_calls_each_node_once(size: int) -> None:
    found = figures(_case(f"tree.flatten-node-{size}-cpu").prepare(), steady=True)
    assert found.flattens == trees.inner_nodes(size)
    assert found.unflattens == found.traces == found.compilations == found.blocks == 0
    assert found == figures(_case(f"tree.flatten-node-{size}-cpu").prepare(), steady=True)


@pytest.mark.parametrize("kind", ["dict", "node", "module", "mixed", "nnx"])
def test_trees_of_every_kind_have_the_same_leaves(kind: str) -> None:
    leaves = list(range(100))
    found = jax.tree_util.tree_leaves(trees.KINDS[kind].tree(leaves))
    # Some kinds sort their children by name.
    assert sorted(leaf for leaf in found if type(leaf) is int) == leaves


def test_a_program_that_is_compiled_again_is_seen() -> None:
    def again() -> object:
        return jax.jit(lambda x: x + 1)(jnp.float32(1))

    found = figures(again, steady=False)
    assert (found.traces, found.lowerings, found.compilations) == (1, 1, 1)
    assert found.blocks is None


def test_what_a_call_keeps_is_seen() -> None:
    kept: list[object] = []
    found = figures(lambda: kept.append(object()), steady=True)
    assert found.blocks == 1


@pytest.mark.parametrize("freed", [1, 100])
def test_blocks_that_are_freed_meanwhile_hide_none_that_is_kept(freed: int) -> None:
    kept: list[object] = [object() for _ in range(1000)]
    others = [object() for _ in range(100_000)]
    calls = itertools.count()

    def call() -> None:
        kept.append(object())
        if next(calls) % 7 == 0:
            del others[-freed:]

    assert figures(call, steady=True).blocks == 1


def test_what_every_seventh_call_keeps_is_seen() -> None:
    kept: list[object] = [object() for _ in range(1000)]
    calls = itertools.count()

    def call() -> None:
        if next(calls) % 7 == 0:
            kept.extend(object() for _ in range(100))

    # Two or three of twenty calls.
    assert figures(call, steady=True).blocks in (10, 15)


def test_a_cycle_that_a_call_leaves_is_not_kept() -> None:
    def call() -> None:
        cycle: list[object] = []
        cycle.append(cycle)

    assert figures(call, steady=True).blocks == 0


def test_a_function_more_for_each_leaf_is_seen() -> None:
    def twice(tree: object) -> object:
        return jax.tree_util.tree_map(lambda leaf: (lambda: leaf)(), tree)

    tree = tuple(range(100))
    once = figures(lambda: jax.tree_util.tree_map(lambda leaf: leaf, tree), steady=True)
    assert figures(lambda: twice(tree), steady=True).events == once.events + 101


_FIGURES = Figures(12, 3, 4, 0, 0, 0, 0)


def test_what_was_recorded_is_read_for_these_releases_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uncounted = Figures(12, 3, 4, 1, 1, 1, None)
    recorded.write({"a-b-10-cpu": _FIGURES, "c-d-10-cpu": uncounted}, tmp_path)
    assert recorded.read(tmp_path) == {"a-b-10-cpu": _FIGURES, "c-d-10-cpu": uncounted}
    newer = {**recorded.versions(), "optax": "99"}
    monkeypatch.setattr(recorded, "versions", lambda: newer)
    assert recorded.read(tmp_path) == {}


@pytest.mark.parametrize("text", ["[figures", '[figures]\n"a-b-10-cpu" = { evnts = 1 }\n'])
def test_a_record_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    path = recorded.write({}, tmp_path)
    path.write_text(text)
    with pytest.raises(recorded.BadRecord, match=r"python3.*\.toml: no record of figures"):
        recorded.read(tmp_path)


def test_only_what_compiles_has_play() -> None:
    steady, compiling = _case("tree.flatten-node-10-cpu"), _case("compile.trace-node-10-cpu")
    before, after = Figures(1000, 1, 1, 0, 0, 0, 0), Figures(1002, 1, 1, 0, 0, 0, 0)
    assert recorded.differences(steady, after, before) == {"events": (1000, 1002)}
    assert recorded.differences(compiling, after, before) == {}


@pytest.mark.parametrize("name", sorted(operations()))
def test_every_operation_has_a_floor_and_a_statement(name: str) -> None:
    found = operations()[name]
    floor = operations()[found.floor]
    assert found.statement
    assert trees.FLOOR in floor.kinds
    assert set(found.sizes) <= set(floor.sizes)


def test_an_operation_that_is_not_there_is_none() -> None:
    assert operation("dispatch.unheard_of") is None
    assert Case.named("dispatch.unheard_of-module-10-cpu") is None
