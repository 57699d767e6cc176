"""A user's class shares the known departures of the library that registers it, and no others."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import pytest

import treelaws
from treelaws.subjects.user import subject_of
from treelaws.subjects.user.bases import base_of, features_inside, features_of

eqx = pytest.importorskip("equinox")
struct = pytest.importorskip("flax.struct")
nnx = pytest.importorskip("flax.nnx")
_Item = TypeVar("_Item")
_INSIDE = ("equinox.filter.combine_undoes_partition", "nnx.split.merge_undoes_split")
_LAWS = ("node.*", *_INSIDE)
# Transformations compile, and see children alone: one class of each base is enough for them.
_SHORT = ("node.flatten.*", "node.keys.*", "node.aux.*", "node.copies.*", *_INSIDE)


class Layer(eqx.Module):
    weight: jax.Array
    name: str = eqx.field(static=True, default="layer")


class Box(eqx.Module, Generic[_Item]):
    weight: Any

    @functools.cached_property
    def doubled(self) -> Any:
        return [self.weight, self.weight]


class Doubled(eqx.Module):
    """Its constructor may raise after it wrote to a field; Equinox then keeps the instance."""

    weight: jax.Array
    doubled: jax.Array

    def __init__(self, weight: jax.Array) -> None:
        self.weight = weight
        self.doubled = weight * 2


class Unset(eqx.Module):
    """Its constructor leaves a field with a default out."""

    weight: Any
    function: Any = eqx.field(default=None, static=True)

    def __init__(self, weight: Any) -> None:
        self.weight = weight


class Wrapping(eqx.Module):
    weight: Any

    @property
    def __wrapped__(self) -> Any:
        return self.weight


class Plain:
    """Not a Module."""


class Named(eqx.Module, Plain):
    weight: Any


class Wider(Layer):
    name = "wider"


class Forgetful(eqx.Module):
    """Broken by itself: a deep copy has another weight."""

    weight: Any

    def __deepcopy__(self, memo: Any) -> Forgetful:
        return Forgetful(None)


@struct.dataclass
class Point:
    x: jax.Array
    y: Any


class Node(struct.PyTreeNode):
    x: jax.Array
    y: Any


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Pair:
    left: jax.Array
    right: Any
    name: str = dataclasses.field(default="pair", metadata={"static": True})


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Width:
    value: int


class Record(NamedTuple):
    x: Any


class Parameter(nnx.Variable):
    pass


@jax.tree_util.register_pytree_node_class
class Own:
    def tree_flatten(self) -> Any:
        return (), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Own:
        return cls()


_CLASSES: list[type] = [
    Layer,
    Box,
    Doubled,
    Unset,
    Wrapping,
    Named,
    Point,
    Node,
    Pair,
    Width,
    Record,
]
if importlib.util.find_spec("chex") is not None:

    @importlib.import_module("chex").dataclass
    class ChexPoint:
        x: jax.Array
        y: Any

    _CLASSES.append(ChexPoint)


@pytest.mark.parametrize(
    ("found", "base"),
    [
        (Layer, "eqx.Module"),
        (eqx.nn.StateIndex, "eqx.nn.StateIndex"),
        (Point, "flax.struct"),
        (Node, "flax.struct"),
        (Pair, "register_dataclass"),
        (Width, "register_static"),
        (Record, "namedtuple"),
        (Parameter, "nnx.Variable"),
        (Own, ""),
    ],
)
def test_the_library_that_registers_a_class_is_its_base(found: type, base: str) -> None:
    assert base_of(found) == base


def test_a_class_of_chex_has_that_base() -> None:
    pytest.importorskip("chex")
    assert base_of(ChexPoint) == "chex.dataclass"


def test_features_are_those_that_regions_of_the_base_name() -> None:
    assert features_of(Box) == ("module:generic", "module:cached-property")
    assert features_of(Unset) == ("module:init-writes-argument",)
    assert features_of(Layer) == ()
    assert features_of(Own) == ()


def test_attributes_that_are_not_the_fields_are_a_feature() -> None:
    unset = "module:default-unset"
    for made in (Unset(1.0), Box[int](1.0), eqx.module_update_wrapper(Wrapping(abs))):
        assert unset in set(features_inside([made]))
    for made in (Layer(1.0), Box(1.0), Named(1.0), Wider(1.0)):
        assert unset not in set(features_inside([made]))


@pytest.mark.sweep
@pytest.mark.parametrize("found", _CLASSES, ids=lambda found: found.__name__)
def test_a_sound_class_passes(found: type) -> None:
    first = next(one for one in _CLASSES if base_of(one) == base_of(found))
    laws = _LAWS if found is first else _SHORT
    records = treelaws.check(found, laws=laws, profile="quick", on_broken="return")
    assert [one.message for one in records if one.fails] == []


@pytest.mark.sweep
def test_a_node_inside_shares_them_too() -> None:
    make = lambda: Layer(Unset(jax.numpy.ones(2)))
    (kind,) = subject_of(Layer, instances=make).kinds
    assert "module:default-unset" in kind.features
    records = treelaws.check(Layer, instances=make, laws=_LAWS, mixed=False, on_broken="return")
    assert [one.message for one in records if one.fails] == []


@pytest.fixture(scope="module")
def verdicts() -> dict[str, treelaws.Record]:
    """Return the records of a Module with a fault of its own, by law."""
    laws = ("node.copies.*copy*", "node.aux.*")
    records = treelaws.check(Forgetful, laws=laws, mixed=False, on_broken="return")
    return {one.law: one for one in records}


def test_a_record_names_the_finding_of_the_base(verdicts: dict[str, treelaws.Record]) -> None:
    known = [one for one in verdicts.values() if one.verdict == "known"]
    if not known:
        pytest.skip("this release of Equinox has no known departure for every Module")
    name = subject_of(Forgetful).name
    for record in known:
        assert record.message.startswith("eqx.Module has the known departure ")
        assert record.message.endswith(f"which every case of {name} shares")


def test_a_fault_of_its_own_is_found(verdicts: dict[str, treelaws.Record]) -> None:
    assert verdicts["node.copies.deepcopy_equals_the_original"].verdict == "broken"
