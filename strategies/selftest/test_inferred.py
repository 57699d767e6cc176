"""What signatures and type hints say about instances, and how children of such kinds are drawn."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import enum
import itertools
import typing
from collections.abc import Callable
from typing import Any, Literal, Optional

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, PyTree

from hypothesis_pytrees import Kind, Recipe, trees
from hypothesis_pytrees.classes.inferred import (
    NothingInferred,
    instances_of_class,
    kinds_of_class,
)
from hypothesis_pytrees.core.recipe import default_namespace
from hypothesis_pytrees.trees.trees import mixed_in


def _templates(found: type) -> list[str]:
    kinds = kinds_of_class(found, name="Box", called="Box", definition="", define=_define)
    return [kind.template for kind in kinds]


def _define(found: type) -> tuple[str, str]:
    return f"# {found.__name__}\n", found.__name__


class _Mode(enum.Enum):
    FAST = 1


class _Options(typing.TypedDict):
    width: int


class _Inner(typing.NamedTuple):
    x: int
    y: Any


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
        (_Mode, "Box(x=_Mode['FAST'])"),
        (_Options, "Box(x={'width': 3})"),
        (list[_Inner], "Box(x=[_Inner(x=3, y=$0), _Inner(x=3, y=$1)])"),
        (type[Any], "Box(x=float)"),
        (dataclasses.InitVar[int], "Box(x=3)"),
        (typing.TypeVar("_Item"), "Box(x=$0)"),
        (frozenset[int], "Box(x=frozenset((3,)))"),
        (jnp.dtype, "Box(x=np.dtype('float32'))"),
        (
            Float[Array, "2 n"],
            "Box(x=jax.device_put(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)))",
        ),
        (Int[np.ndarray, "n n+1"], "Box(x=np.array([[1, 2, 3], [4, 5, 6]], np.int32))"),
        (Bool[Array, ""], "Box(x=jax.device_put(np.array(True, np.bool_)))"),
        (PRNGKeyArray, "Box(x=jax.random.key(0))"),
        (PyTree, "Box(x=$0)"),
        (PyTree[jax.Array], "Box(x={'a': $0, 'b': [$1]})"),
    ],
    ids=str,
)
def test_a_hint_gives_values(hint: Any, first: str) -> None:
    assert _templates(_with(hint))[0] == first


@pytest.mark.parametrize(
    ("hint", "empty"),
    [
        (list[int], "[]"),
        (tuple[jax.Array, ...], "()"),
        (dict[str, Any], "{}"),
        (set[str], "set()"),
        (collections.abc.Mapping[str, int], "{}"),
        (collections.abc.Sequence[Any], "()"),
        (collections.deque[int], "collections.deque([])"),
        (dict, "{}"),
    ],
    ids=str,
)
def test_a_container_may_be_empty(hint: Any, empty: str) -> None:
    assert f"Box(x={empty})" in _templates(_with(hint))


def test_a_container_of_unknown_things_is_refused() -> None:
    with pytest.raises(NothingInferred):
        _templates(_with(list[slice]))


def test_hints_in_text_form_name_what_their_file_names() -> None:
    class Late:
        def __init__(self, one: int, two: _Mode | None, three: Callable[[], int]) -> None:
            pass

    Late.__init__.__annotations__ |= {"one": "int", "two": "typing.Optional[_Mode]"}
    (first, *_) = _templates(Late)
    assert first == "Box(one=3, two=_Mode['FAST'], three=operator.neg)"


def test_arguments_without_names_are_given_by_place() -> None:
    class Variadic:
        def __init__(self, x: int, /, y: str, *rest: Any, **named: Any) -> None:
            pass

    assert _templates(Variadic)[:2] == ["Box(3, 'text', $0, $1, a=$2, b=$3)", "Box(0, y='')"]


def test_sizes_of_named_axes_agree() -> None:
    fields = [("x", Float[Array, "n m"]), ("y", Float[Array, "m"])]
    one, other = _templates(dataclasses.make_dataclass("Box", fields))
    assert "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]" in one
    assert "[1.0, 2.0, 3.0]" in one
    assert "reshape((3, 4))" in other


def _tried(check: collections.abc.Callable[[Any], bool], hint: Any = jax.Array) -> tuple[Kind, ...]:
    class Picky:
        def __init__(self, x: Any) -> None:
            if not check(x):
                raise ValueError("rejected")

    Picky.__init__.__annotations__["x"] = hint
    text = f"# Picky {next(_COUNTER)}\n"
    default_namespace().give(text, **{(name := f"Picky_{next(_COUNTER)}"): Picky})
    return instances_of_class(Picky, name="Picky", called=name, definition=text)


_COUNTER = itertools.count()


def test_a_constructor_that_accepts_all_children_gets_random_ones() -> None:
    (kind,) = _tried(lambda x: True)
    assert (kind.arity, kind.picky) == (1, False)


def test_a_constructor_that_rejects_few_children_gets_others() -> None:
    (kind,) = _tried(lambda x: not isinstance(x, str), Any)
    assert (kind.arity, kind.picky) == (1, True)

    @settings(max_examples=40, database=None)
    @given(recipe=trees(roots=[kind]))
    def draw(recipe: Recipe) -> None:
        recipe.build()

    draw()


def test_a_constructor_that_rejects_most_children_gets_fixed_ones() -> None:
    kinds = _tried(lambda x: x.ndim == 3)
    assert kinds
    assert all(kind.arity == 0 and "(2, 3, 4)" in kind.template for kind in kinds)


def test_a_constructor_that_rejects_everything_is_refused_with_its_error() -> None:
    with pytest.raises(NothingInferred, match=r"calls of .*Picky .* failed: .* ValueError: reject"):
        _tried(lambda x: False)


def test_optional_arguments_are_left_out_and_given() -> None:
    assert _templates(_with(int, default=7)) == [
        "Box()",
        *(f"Box(x={number})" for number in (3, 0, 1, 2)),
    ]


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
