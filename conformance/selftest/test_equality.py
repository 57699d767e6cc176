"""`same` sees every difference that users see, and names the first one."""

from __future__ import annotations

import collections

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
import pytest

from treelaws.core.mismatch import Mismatch
from treelaws.equality import differ, equal, refuses, same, true

Pair = collections.namedtuple("Pair", ["first", "second"])


class Tagged:
    """A node with a static value."""

    def __init__(self, tag: object) -> None:
        self.tag = tag


jtu.register_pytree_node(Tagged, lambda node: ((), node.tag), lambda tag, _: Tagged(tag))


class Hostile:
    """Raises when compared or printed."""

    def __eq__(self, _: object) -> bool:
        raise RuntimeError("compared")

    def __hash__(self) -> int:
        raise RuntimeError("hashed")

    def __repr__(self) -> str:
        raise RuntimeError("printed")


@pytest.mark.parametrize(
    ("got", "wanted", "aspect"),
    [
        ([1], (1,), "structure"),
        ({"a": 1}, {"b": 1}, "structure"),
        (Pair(1, 2), (1, 2), "structure"),
        (None, 0, "structure"),
        ([1], [True], "type"),
        ([1], [1.0], "type"),
        ([0.0], [-0.0], "value"),
        ([np.float32(1)], [1.0], "type"),
        ([np.asarray([1], np.float32)], [np.asarray([1], np.float64)], "dtype"),
        ([np.zeros((0, 2))], [np.zeros((0, 3))], "shape"),
        ([jnp.asarray(1.0)], [jax.device_put(np.float32(1))], "weak_type"),
        ([jnp.zeros(2)], [np.zeros(2, np.float32)], "type"),
        ([np.asarray([0.0], np.float32)], [np.asarray([-0.0], np.float32)], "value"),
        ([jax.random.key(0)], [jax.random.key(1)], "value"),
        ([object()], [object()], "identity"),
        ([Hostile()], [Hostile()], "identity (and == raises RuntimeError)"),
        (Tagged(1), Tagged(True), "static value"),
        (Tagged(0.0), Tagged(-0.0), "static value"),
        (Tagged((1, "a")), Tagged((1.0, "a")), "static value"),
        (Tagged(1), Tagged(2), "structure"),
    ],
)
def test_difference_is_seen_and_named(got: object, wanted: object, aspect: str) -> None:
    with pytest.raises(Mismatch) as broken:
        same(got, wanted)
    assert broken.value.aspect == aspect


@pytest.mark.parametrize(
    "make",
    [
        lambda: [1, 1.0, True, "a", None, ()],
        lambda: {"b": np.asarray([np.nan], np.float32), "a": float("nan")},
        lambda: Pair(jax.random.key(0), jnp.asarray([1.0, -0.0], jnp.bfloat16)),
        lambda: [np.array(["a"]), np.array([1, "a"], object), jnp.tanh],
        lambda: Tagged((1, "a")),
    ],
)
def test_equal_builds_are_the_same(make) -> None:
    same(make(), make())


def test_the_first_differing_leaf_is_named_by_its_path() -> None:
    with pytest.raises(Mismatch, match=r"at \['b'\]\[1\]: value\n  got     3\n  wanted  2"):
        same({"a": 0, "b": [1, 3]}, {"a": 0, "b": [1, 2]})


def test_identical_wants_the_very_object() -> None:
    leaf = np.zeros(2)
    same([leaf], [leaf], identical=True)
    with pytest.raises(Mismatch, match="identity"):
        same([leaf.copy()], [leaf], identical=True)


def test_differ_asks_both_operators() -> None:
    differ(1, 2)
    with pytest.raises(Mismatch):
        differ(1, True)
    with pytest.raises(Mismatch):
        differ(1.0, _HalfEqual())


class _HalfEqual:
    """Neither equal nor unequal to anything."""

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __eq__(self, _: object) -> bool:
        return False

    def __ne__(self, _: object) -> bool:
        return False


def test_refuses_tells_no_error_from_another_error() -> None:
    refuses(ValueError, lambda: int("x"))
    with pytest.raises(Mismatch, match="no error"):
        refuses(ValueError, lambda: int("1"))
    with pytest.raises(Mismatch, match="another error"):
        refuses(KeyError, lambda: int("x"))


@pytest.mark.parametrize("answer", [False, None, 1, np.bool_(True)])
def test_true_takes_nothing_but_true(answer: object) -> None:
    with pytest.raises(Mismatch):
        true(answer, answer, "True")


@pytest.mark.parametrize(("got", "wanted"), [(1, 2), ([1], (1,)), (np.zeros(2), np.zeros(2))])
def test_equal_wants_a_plain_true(got: object, wanted: object) -> None:
    with pytest.raises(Mismatch) as caught:
        equal(got, wanted)
    assert caught.value.aspect == "result"
    equal({"a": 1}, {"a": 1})


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (True, 1),
        (1.0, 1),
        ([np.float16(1)], [np.float32(1)]),
        ({"a": [np.asarray(1)]}, {"a": [1]}),
        ((1, True), (1, 1)),
    ],
)
def test_equal_wants_numbers_of_one_type(got: object, wanted: object) -> None:
    with pytest.raises(Mismatch, match="number type"):
        equal(got, wanted)


def test_equal_leaves_the_types_of_containers_and_other_objects_open() -> None:
    equal(collections.OrderedDict(a=(1, None)), {"a": (1, None)})
    equal({"b": 1, "a": 2.0}, {"a": 2.0, "b": 1})
