"""`got` and `wanted` never print as the same text, and places have the names of the user."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
import pytest

from treelaws.core.mismatch import Mismatch
from treelaws.core.object_addresses import without_addresses
from treelaws.equality import equal, same, true


class Layer:
    """A node without key paths: a leaf, a list of children, and aux data."""

    def __init__(self, weight: Any, act: Any = None, layers: Any = ()) -> None:
        self.weight, self.act, self.layers = weight, act, list(layers)


jtu.register_pytree_node(
    Layer,
    lambda node: ((node.weight, *node.layers), (node.act, len(node.layers))),
    lambda aux, children: Layer(children[0], aux[0], children[1:]),
)


class Hidden:
    """A node whose children are in none of its attributes."""

    def __init__(self, one: Any, two: Any) -> None:
        self.both = ((one,), (two,))


jtu.register_pytree_node(
    Hidden, lambda node: (sum(node.both, ()), None), lambda _, children: Hidden(*children)
)


class Keyed:
    """A node with key paths."""

    def __init__(self, x: Any) -> None:
        self.x = x


jtu.register_pytree_with_keys(
    Keyed, lambda node: (((jtu.GetAttrKey("x"), node.x),), None), lambda _, x: Keyed(*x)
)


class Quiet:
    """An object that prints nothing of its contents, and is compared by identity."""

    def __init__(self, size: int = 0) -> None:
        self.size = size

    def method(self) -> None: ...

    def __repr__(self) -> str:
        return "Quiet()"


@jtu.register_pytree_node_class
class Numbered:
    """Keeps items as attributes whose names are integers."""

    def __init__(self, *items: Any) -> None:
        vars(self).update(enumerate(items))  # pyright: ignore[reportCallIssue, reportArgumentType]

    def tree_flatten(self) -> tuple[Any, Any]:
        return tuple(vars(self).values()), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Numbered:
        return cls(*children)


class Renamed(Quiet):
    """Prints as `Quiet`."""


def _function() -> Callable[[], None]:
    return lambda: None


def _report(got: Any, wanted: Any, check: Any = same, **options: Any) -> list[str]:
    """Return the lines of a report; got and wanted are different texts without addresses."""
    with pytest.raises(Mismatch) as caught:
        check(got, wanted, **options)
    text = without_addresses(str(caught.value))
    assert "0x" not in text
    told = text.partition("\n  got     ")[2]
    got_text, _, wanted_text = told.partition("\n  wanted  ")
    assert got_text != wanted_text
    return text.splitlines()


@pytest.mark.parametrize(
    ("one", "other", "ends"),
    [
        (_function(), _function(), ("<function _function.<locals>.<lambda> #1>", "<lambda> #2>")),
        (Quiet().method, Quiet().method, ("Quiet.method bound to Quiet() #1", "Quiet() #2")),
        (Quiet(), Quiet(), (".act is Quiet() #1", ".act is Quiet() #2")),
        (Quiet(1), Quiet(2), (".act.size is 1", ".act.size is 2")),
        (Quiet(), Renamed(), ("Quiet() of type Quiet", "Quiet() of type Renamed")),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, (".act['a']['b'] is 1", ".act['a']['b'] is 2")),
        (float("nan"), float("nan"), (".act is nan #1", ".act is nan #2")),
        ([Quiet(1), Quiet(2)], [Quiet(1), Quiet(3)], (".act[1].size is 2", ".act[1].size is 3")),
        ({1, 2}, {1, 3}, ("{1, 2} without item 3", "{1, 3} without item 2")),
        (
            functools.partial(print, Quiet(1)),
            functools.partial(print, Quiet(2)),
            (".act.args[0].size is 1", ".act.args[0].size is 2"),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_aux_data_that_prints_alike_is_told_apart(one: Any, other: Any, ends: Any) -> None:
    lines = _report(Layer(1, one), Layer(1, other))
    last, wanted = (index for index, line in enumerate(lines) if "where .act" in line)
    assert lines[last].endswith(ends[0])
    assert lines[wanted].endswith(ends[1])


def test_arrays_in_aux_data_are_named() -> None:
    lines = _report(Layer(1, [np.zeros(2)]), Layer(1, [np.zeros(2)]))
    assert lines[0] == "at .act[0]: treedefs cannot be compared"


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0.0, -0.0)])
def test_a_retyped_static_value_is_named_by_its_attribute(one: Any, other: Any) -> None:
    lines = _report([Layer(2, (5, one))], [Layer(2, (5, other))])
    assert lines[0] == "at [0].act[1]: static value"
    assert repr(one) in lines[1]
    assert repr(other) in lines[2]


@pytest.mark.parametrize(
    ("make", "place"),
    [
        (lambda leaf: Layer(leaf), ".weight"),
        (lambda leaf: Layer(0, None, [7, leaf]), ".layers[1]"),
        (lambda leaf: {"a": Layer(0, None, [Layer(leaf)])}, "['a'].layers[0].weight"),
        (lambda leaf: Keyed([leaf]), ".x[0]"),
        (lambda leaf: jtu.Partial(print, 0, [leaf]), ".args[1][0]"),
        (lambda leaf: Hidden("one", leaf), "child 1 of Hidden"),
        (lambda leaf: [Hidden("one", Keyed(leaf))], "[0], child 1 of Hidden, .x"),
        (lambda leaf: Numbered(7, leaf), "[1]"),
        (lambda leaf: leaf, "the root"),
    ],
)
def test_places_are_those_of_the_user(make: Any, place: str) -> None:
    assert _report(make(1), make(2))[0] == f"at {place}: value"


def test_a_child_held_twice_is_not_guessed() -> None:
    one, other = Layer(1), Layer(2)
    other.act = one.act = 2
    assert _report(one, other)[0].startswith("at child 0 of Layer: value")


def test_a_structure_is_shown_where_it_differs() -> None:
    lines = _report([5, Layer(1, None, [(1,)])], [5, Layer(1, None, [[1]])])
    assert lines == [
        "at [1].layers[0]: structure",
        "  got     PyTreeDef((*,))",
        "      of  (1,)",
        "  wanted  PyTreeDef([*])",
        "      of  [1]",
    ]


_LONG = np.zeros(5000)
_CHANGED = np.where(np.arange(5000) == 4000, 1.5, 0.0)


@pytest.mark.parametrize(
    ("one", "other", "ends"),
    [
        (_LONG, _CHANGED, ("where [4000] is 0.0", "where [4000] is 1.5")),
        (jnp.asarray(_LONG), jnp.asarray(_CHANGED), ("[4000] is 0.0", "[4000] is 1.5")),
        (_LONG.reshape(50, 100), _CHANGED.reshape(50, 100), ("[40, 0] is 0.0", "[40, 0] is 1.5")),
        (np.full(1, 0.1 + 0.2), np.full(1, 0.3), ("is 0.30000000000000004", "is 0.3")),
        (
            np.array([np.nan], "<f4"),
            np.array([0x7FC00001], "<u4").view("<f4"),
            ("nan of bytes 0000c07f", "nan of bytes 0100c07f"),
        ),
        (jnp.asarray(1.0), jax.device_put(np.float32(1)), ("weak_type=True)", "dtype=float32)")),
        (np.float32(1), np.float64(1), ("np.float32(1.0)", "np.float64(1.0)")),
        (
            np.ones(1, "f4"),
            jnp.ones(1),
            ("array([1.], dtype=float32)", "Array([1.], dtype=float32)"),
        ),
        (Quiet(), Quiet(), ("Quiet() #1", "Quiet() #2")),
        (Quiet(), Renamed(), ("of type Quiet", "of type Renamed")),
        (object(), object(), ("<object #1>", "<object #2>")),
        (
            np.array([1, Quiet(1)], object),
            np.array([1, Quiet(2)], object),
            ("where [1].size is 1", "where [1].size is 2"),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_leaves_that_print_alike_are_told_apart(one: Any, other: Any, ends: Any) -> None:
    lines = _report({"w": one}, {"w": other})
    assert lines[0].startswith("at ['w']: ")
    wanted = next(index for index, line in enumerate(lines) if line.startswith("  wanted"))
    assert lines[wanted - 1].endswith(ends[0])
    assert lines[-1].endswith(ends[1])


def test_a_long_text_is_cut_around_the_difference() -> None:
    lines = _report(["a" * 400 + "b" + "c" * 400], ["a" * 400 + "d" + "c" * 400])
    assert lines[1].startswith("  got     ...aaa")
    assert "ab" + "c" * 100 in lines[1]
    assert "ad" + "c" * 100 in lines[2]
    assert max(map(len, lines)) < 320


def test_objects_that_must_be_identical_are_numbered() -> None:
    assert [line[-2:] for line in _report([_LONG], [_LONG.copy()], identical=True)[1:]] == [
        "#1",
        "#2",
    ]
    assert _report([1.5], [float("1.5")], identical=True)[1:] == [
        "  got     1.5 #1",
        "  wanted  1.5 #2",
    ]


def test_plain_values_that_print_alike_are_told_apart() -> None:
    nan = float("nan")
    assert _report(nan, nan, equal)[2].endswith("nan, the same object, which does not equal itself")
    one, other = (jtu.tree_structure(Layer(1, _function())) for _ in range(2))
    assert _report(one, other, equal)[-1].endswith("<lambda> #2>, 0)], [*]))")
    with pytest.raises(Mismatch, match="wanted  1, another value that prints the same"):
        true(False, 1, "1")
