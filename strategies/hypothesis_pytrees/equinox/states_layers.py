"""Layers with state: classes that get a `StateIndex` in every way, and those of `eqx.nn`."""

from __future__ import annotations

import functools

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available, usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.core.releases import BATCH_NORM_MODES, ONE_BATCH_NORM, Since

from .states_values import state_values, values_for

_ADDING = """\
class AddingState(eqx.Module):
    index: eqx.nn.StateIndex
    weight: jax.Array
    tag: str = eqx.field(static=True)

    def __init__(self, value):
        self.index = eqx.nn.StateIndex(value)
        self.weight = jax.device_put(np.float32([1, 2]))
        self.tag = 'tag'

    def current(self, state):
        return state.get(self.index)
"""
_POST_INIT = """\
class StateAfterInit(eqx.Module):
    index: typing.Any

    def __post_init__(self):
        self.index = eqx.nn.StateIndex(self.index)
"""
_CONVERTED = """\
class StateByConverter(eqx.Module):
    index: eqx.nn.StateIndex = eqx.field(converter=eqx.nn.StateIndex)
"""
_GIVEN = """\
class StateFromOutside(eqx.Module):
    index: eqx.nn.StateIndex
"""
_TWO = """\
class TwoStates(eqx.Module):
    second: eqx.nn.StateIndex
    first: eqx.nn.StateIndex

    def __init__(self, first, second):
        self.first = eqx.nn.StateIndex(first)
        self.second = eqx.nn.StateIndex(second)
"""
_DERIVED = """\
class DerivedState(AddingState):
    other: eqx.nn.StateIndex

    def __init__(self, value, other):
        super().__init__(value)
        self.other = eqx.nn.StateIndex(other)
"""
_GENERIC = """\
_Kept = typing.TypeVar('_Kept')

class GenericState(eqx.Module, typing.Generic[_Kept]):
    index: eqx.nn.StateIndex[_Kept]

    def __init__(self, value):
        self.index = eqx.nn.StateIndex[_Kept](value)
"""
_LISTED = """\
class ListedStates(eqx.Module):
    layers: list
    named: dict

    def __init__(self, first, second):
        self.layers = [None, eqx.nn.StateIndex(first)]
        self.named = {'b': eqx.nn.StateIndex(second), 'a': 1.0}
"""
_FACTORY = """\
class StateByFactory(eqx.Module):
    index: eqx.nn.StateIndex = eqx.field(
        default_factory=lambda: eqx.nn.StateIndex(jax.device_put(np.float32([0, 0])))
    )
"""
_TWICE = """\
class StateTwice(eqx.Module):
    one: eqx.nn.StateIndex
    other: eqx.nn.StateIndex

    def __init__(self, value):
        self.one = self.other = eqx.nn.StateIndex(value)
"""
_DEFAULT = """\
class StateByDefault(eqx.Module):
    index: eqx.nn.StateIndex = eqx.nn.StateIndex(np.float32([0, 0]))
"""
_SAME_REPR = """\
@functools.total_ordering
class QuietKey:
    def __init__(self, rank):
        self.rank = rank

    def __eq__(self, other):
        return self.rank == other.rank

    def __lt__(self, other):
        return self.rank < other.rank

    def __hash__(self):
        return hash(self.rank)

    def __repr__(self):
        return 'QuietKey'
"""


def _layer(name: str, template: str, *definitions: str, needs: tuple[Since, ...] = ()) -> Kind:
    features = tuple(f"stateful:{one}" for one in name.split())
    return Kind("stateful", template, definitions, features, needs=needs)


# Each has one or more indices, and no index twice.
LAYERS_WITH_STATE: tuple[Kind, ...] = (
    _layer("bare", "eqx.nn.StateIndex($0)"),
    _layer("plain", "AddingState($0)", _ADDING),
    _layer("post-init", "StateAfterInit($0)", _POST_INIT),
    _layer("converter", "StateByConverter($0)", _CONVERTED),
    _layer("given", "StateFromOutside(eqx.nn.StateIndex($0))", _GIVEN),
    _layer("two", "TwoStates($0, $1)", _TWO),
    _layer("derived", "DerivedState($0, $1)", _ADDING, _DERIVED),
    _layer("generic", "GenericState($0)", _GENERIC),
    _layer("listed", "ListedStates($0, $1)", _LISTED),
    _layer("factory", "StateByFactory()", _FACTORY),
    _layer("method", "AddingState($0).current", _ADDING),
    _layer("partial", "eqx.Partial(operator.add, AddingState($0))", _ADDING),
    _layer("jax-partial", "jtu.Partial(operator.add, AddingState($0), two=$1)", _ADDING),
    _layer(
        "same-repr",
        "{QuietKey(1): eqx.nn.StateIndex($0), QuietKey(2): eqx.nn.StateIndex($1)}",
        _SAME_REPR,
    ),
)
# The same index twice.
LAYERS_OF_ONE_INDEX: tuple[Kind, ...] = (
    _layer("twice alias", "StateTwice($0)", _TWICE),
    _layer("default alias", "[StateByDefault(), StateByDefault()]", _DEFAULT),
    _layer("mapped alias", "jtu.tree_map(lambda leaf: leaf, StateTwice($0))", _TWICE),
)
# A state that holds a part of a model, like the state of an optimiser, and so an index.
LAYERS_IN_STATES: tuple[Kind, ...] = (
    _layer("nested", "eqx.nn.StateIndex([AddingState($0)])", _ADDING),
)
# Layers of `eqx.nn`.
_NORM = "eqx.nn.SpectralNorm(eqx.nn.Linear(2, 2, key=jax.random.key(0)), 'weight', key={})"
_SPECTRAL = _NORM.format("jax.random.key(1)")
_MODES = (BATCH_NORM_MODES,)
BATCH_NORMS: tuple[Kind, ...] = (
    _layer("batch-norm ema", "eqx.nn.BatchNorm(2, 'batch', mode='ema')", needs=_MODES),
    _layer("batch-norm batch", "eqx.nn.BatchNorm(2, 'batch', mode='batch')", needs=_MODES),
    _layer(
        "batch-norm no-affine",
        "eqx.nn.BatchNorm(2, ('outer', 'inner'), channelwise_affine=False, mode='batch')",
        needs=_MODES,
    ),
)
# Up to Equinox 0.12 there is one mode and no argument for it.
BATCH_NORMS_WITHOUT_MODE: tuple[Kind, ...] = (
    _layer("batch-norm ema", "eqx.nn.BatchNorm(2, 'batch')", needs=(ONE_BATCH_NORM,)),
)
_UNINITIALISED = (BATCH_NORMS[0], BATCH_NORMS_WITHOUT_MODE[0])
OTHER_NORMS: tuple[Kind, ...] = (
    _layer("spectral-norm", _SPECTRAL),
    _layer("sequential", f"eqx.nn.Sequential([{_SPECTRAL}, eqx.nn.Lambda(abs)])"),
)


@functools.cache
def built_in() -> tuple[Kind, ...]:
    """Return the layers of `eqx.nn` with state, in the modes of the installed release."""
    return available((*BATCH_NORMS, *BATCH_NORMS_WITHOUT_MODE, *OTHER_NORMS))


def stateful_layers(
    values: st.SearchStrategy[Recipe] | None = None,
    *,
    alias: bool = False,
    norms: bool = False,
    uninitialised: bool = True,
    nested: bool = False,
) -> st.SearchStrategy[Recipe]:
    """Draw a layer that holds one `StateIndex` or more, as its constructor made it.

    Args:
        values: strategy of initial states; default any PyTree of arrays.
        alias: also draw layers that hold one index twice; default `False`.
        norms: also draw the layers of `eqx.nn`, which are slow to create; default `False`.
        uninitialised: with `norms`, also draw the layers whose state is uninitialised memory: on a
            GPU its numbers differ from build to build; default `True`.
        nested: also draw layers whose state holds an index; default `False`.
    """
    kinds = LAYERS_WITH_STATE
    kinds += LAYERS_OF_ONE_INDEX if alias else ()
    kinds += LAYERS_IN_STATES if nested else ()
    values = _VALUES if values is None else values
    layers = built_in() if norms else ()
    if not uninitialised:
        layers = tuple(kind for kind in layers if kind not in _UNINITIALISED)
    return _drawn((*kinds, *layers), values)


_VALUES = state_values()


@functools.cache
def _drawn(kinds: tuple[Kind, ...], values: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    filled = tuple(values_for(kind, values) for kind in usable(kinds))
    return st.integers(0, len(filled) - 1).flatmap(filled.__getitem__)
