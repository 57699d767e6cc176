"""Laws that read the same recipes read the same cases, unless one of them changes a case."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from hypothesis_pytrees import Recipe
from treelaws.core.failure import Breach
from treelaws.draws.built_cases import BuiltCases
from treelaws.draws.held_objects import CannotTell, Held
from treelaws.equality import same
from treelaws.laws import law_named
from treelaws.subjects.registry import subject

_TEXTS = (
    "tree = [1, {'a': jnp.arange(3)}, np.arange(2)]\nnumbers = [7]",
    "tree = (None, [2.0])\nnumbers = []",
)
_RECIPES = [Recipe(statements=tuple(text.split("\n"))) for text in _TEXTS]


class _Slots:
    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x


class _Object:
    def __init__(self, x: Any) -> None:
        self.x = x


class _Text(str):
    pass


def _counter() -> Any:
    count = 0

    def add() -> None:
        nonlocal count
        count += 1

    return add


def _module() -> Any:
    class Linear(eqx.Module):
        weight: Any

    return Linear([1, 2])


def _donate(array: jax.Array) -> None:
    jax.jit(lambda x: x + 1, donate_argnums=0)(array)


_CHANGES: list[Any] = [
    ([1, [2]], lambda one: one[1].append(3)),
    ([1, [2]], lambda one: one[1].__setitem__(0, 3)),
    ([[]], lambda one: one.__setitem__(0, [])),
    ({"a": 1}, lambda one: one.update(b=one.pop("a"))),
    ({1}, lambda one: one.add(2)),
    (np.zeros(2), lambda one: one.__setitem__(0, 1.0)),
    (np.zeros(2), lambda one: one.setflags(write=False)),
    (jnp.zeros(2), _donate),
    (_Object(1), lambda one: setattr(one, "x", 2)),
    (_Object(1), lambda one: delattr(one, "x")),
    (_Slots(1), lambda one: setattr(one, "x", 2)),
    (_Text("a"), lambda one: setattr(one, "x", 2)),
    (_counter(), lambda one: one()),
    (_module(), lambda one: one.weight.pop()),
    (_module(), lambda one: object.__setattr__(one, "weight", 0)),
    (nnx.Param(jnp.zeros(2)), lambda one: one.set_value(jnp.ones(2))),
    (nnx.Linear(2, 2, rngs=nnx.Rngs(0)), lambda one: one.set_attributes(use_bias=False)),
    (
        nnx.Linear(2, 2, rngs=nnx.Rngs(0)),
        lambda one: nnx.update(one, jax.tree.map(jnp.ones_like, nnx.state(one))),
    ),
    (nnx.Rngs(0), lambda one: one.params()),
    (nnx.Dict(a=1), lambda one: setattr(one, "b", 1)),
    (jax.tree_util.Partial(len, [1]), lambda one: one.args[0].append(2)),
]


@pytest.mark.parametrize(("value", "change"), _CHANGES)
def test_a_change_is_seen(value: Any, change: Any) -> None:
    found = Held([value])
    assert found.is_unchanged()
    assert Held([(value, 1)]).is_unchanged()
    change(value)
    assert not found.is_unchanged()


def test_reading_changes_nothing() -> None:
    model = [
        _module(),
        nnx.Linear(2, 2, rngs=nnx.Rngs(0)),
        jax.jit(len),
        _Object(1),
    ]
    found = Held(model)
    jax.tree.map(lambda leaf: leaf, model[0])
    nnx.split(model[1])
    assert vars(model[3]) == {"x": 1}
    assert found.is_unchanged()


def _numbers() -> Iterator[int]:
    yield 1


@pytest.mark.parametrize(
    "value", [_numbers(), iter([1]), np.random.default_rng(0), np.array([[]], object)]
)
def test_what_may_change_unseen_is_refused(value: Any) -> None:
    with pytest.raises(CannotTell):
        Held([[value]])


_seen: list[Any] = []


def _reads(lib: Any, case: Any) -> None:
    _seen.append(case)


def _writes(lib: Any, case: Any) -> None:
    _seen.append(case)
    case.tree[1].clear()


def _reads_once(lib: Any, case: Any) -> None:
    same(case in _seen, False)
    _seen.append(case)


def _fails(lib: Any, case: Any) -> None:
    _seen.append(case)
    same(1, 2)


# Not the topic's own laws, which the whole process would have.
_LAW = law_named("jax.map.map_is_flatten_apply_unflatten")
reads, writes, reads_once, fails = (
    dataclasses.replace(_LAW, check=check, parents=())
    for check in (_reads, _writes, _reads_once, _fails)
)


@pytest.fixture
def seen() -> list[Any]:
    """Return the list of cases that the laws have read, which is empty."""
    _seen.clear()
    return _seen


def test_laws_that_only_read_get_one_case(seen: list[Any]) -> None:
    cases = BuiltCases()
    for _ in range(3):
        for recipe in _RECIPES:
            cases.hunt(reads, subject("jax"), recipe)
    assert len({*map(id, seen)}) == 2


def test_after_a_law_that_writes_the_case_is_built_again(seen: list[Any]) -> None:
    cases = BuiltCases()
    for law in (reads, writes, writes, reads, reads):
        cases.hunt(law, subject("jax"), _RECIPES[0])
    first, second, third, fourth, fifth = seen
    assert first is second
    assert len({id(one) for one in (second, third, fourth)}) == 3
    assert fourth is fifth


def test_a_law_fails_only_on_a_new_case(seen: list[Any]) -> None:
    cases = BuiltCases()
    for law in (reads, reads_once, reads):
        cases.hunt(law, subject("jax"), _RECIPES[0])
    assert len({*map(id, seen)}) == 3
    with pytest.raises(Breach):
        cases.hunt(fails, subject("jax"), _RECIPES[0])
    assert seen[-1] is not seen[-2]


def test_a_case_that_cannot_be_seen_through_is_not_shared(seen: list[Any]) -> None:
    cases, recipe = BuiltCases(), Recipe(statements=("tree = iter([1])",))
    for _ in range(2):
        cases.hunt(reads, subject("jax"), recipe)
    assert seen[0] is not seen[1]
