"""What signatures and type hints say about instances, and how children of such kinds are drawn."""

from __future__ import annotations

import collections.abc
import dataclasses
import typing
from typing import Any, Literal, Optional

import jax
import pytest
from hypothesis import given, settings, strategies as st

from hypothesis_pytrees import Kind, Recipe, trees
from hypothesis_pytrees.classes.inferred import NothingInferred, kinds_of_class
from hypothesis_pytrees.trees.trees import mixed_in


def _templates(found: type) -> list[str]:
    kinds = kinds_of_class(found, name="Box", called="Box", definition="")
    return [kind.template for kind in kinds]


def _with(hint: Any, **more: Any) -> type:
    return dataclasses.make_dataclass("Box", [("x", hint, dataclasses.field(**more))])


@pytest.mark.parametrize(
    ("hint", "first"),
    [
        (Any, "Box(x=$0)"),
        (jax.Array, "Box(x=$0)"),
        (int, "Box(x=3)"),
        (str, "Box(x='text')"),
        (Optional[bool], "Box(x=True)"),  # noqa: UP045
        (int | None, "Box(x=3)"),
        (Literal["a", 2], "Box(x='a')"),
        (list[jax.Array], "Box(x=[$0, $1])"),
        (tuple[int, ...], "Box(x=(3, 3))"),
        (tuple[int, jax.Array], "Box(x=(3, $0, ))"),
        (dict, "Box(x={'a': $0, 'b': $1})"),
        (dict[str, Any], "Box(x={'text': $0})"),
        (collections.abc.Callable[[Any], Any], "Box(x=operator.neg)"),
        (typing.Annotated[float, "seconds"], "Box(x=0.5)"),
        (jax.typing.ArrayLike, "Box(x=$0)"),
    ],
    ids=str,
)
def test_a_hint_gives_values(hint: Any, first: str) -> None:
    assert _templates(_with(hint))[0] == first


def test_optional_arguments_are_left_out_and_given() -> None:
    assert _templates(_with(int, default=7)) == ["Box()", "Box(x=3)", "Box(x=0)", "Box(x=1)"]


def test_what_takes_an_array_says_so() -> None:
    (kind, *_) = kinds_of_class(_with(jax.Array), name="Box", called="Box", definition="")
    assert kind.takes == "array"


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (_with(slice), "argument 'x' of Box is hinted as slice"),
        (_with("NoSuchName"), "argument 'x' of Box is hinted as NoSuchName"),
        (type("Bare", (), {"__init__": lambda self, y: None}), "argument 'y' of Bare has no type"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_hint_that_says_nothing_is_refused(found: type, line: str) -> None:
    with pytest.raises(NothingInferred) as raised:
        _templates(found)
    assert line in str(raised.value)


_ARRAYS = Kind("Arrays", "tuple([$0])", takes="array")


@settings(max_examples=60, database=None)
@given(recipe=trees(roots=[_ARRAYS]))
def test_children_that_must_be_arrays_are(recipe: Recipe) -> None:
    (child,) = recipe.build()
    assert isinstance(child, jax.Array)


def test_somebody_elses_nodes_are_mixed_in() -> None:
    found: list[Recipe] = []

    @settings(max_examples=300, database=None, derandomize=True)
    @given(data=st.data())
    def draw(data: st.DataObject) -> None:
        with mixed_in([_ARRAYS]):
            found.append(data.draw(trees()))

    draw()
    assert sum("Arrays" in recipe.features for recipe in found) >= 20
    assert not any("Arrays" in recipe.features for recipe in _plain())


def _plain() -> list[Recipe]:
    found: list[Recipe] = []

    @settings(max_examples=20, database=None, derandomize=True)
    @given(recipe=trees())
    def draw(recipe: Recipe) -> None:
        found.append(recipe)

    draw()
    return found
