"""Strategies and helpers that several laws of Flax NNX use."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, Scope, arrays, trees
from hypothesis_pytrees.core.releases import PLAIN_CONTAINERS
from hypothesis_pytrees.nnx.filters import filter_lists
from hypothesis_pytrees.nnx.modules import NNX_CONTAINERS, NNX_MODULES, attributes, nnx_modules
from hypothesis_pytrees.nnx.objects import nnx_objects
from hypothesis_pytrees.nnx.states import nnx_states
from hypothesis_pytrees.nnx.variables import values, variables
from hypothesis_pytrees.trees.trees import or_mixed_in

from ._model import kind_of

# Modules of users' classes, with reference cycles and with a history of operations.
MODULES = nnx_modules(cycles=True, history=True)
_TIED_KINDS = tuple(kind for kind in NNX_MODULES if "nnx:tied" in kind.features)
_DATA_KINDS = tuple(kind for kind in NNX_MODULES if "nnx:data" in kind.features)
# A Variable that holds a number, an array, a NumPy array or a tree.
_ANY_VARIABLE = variables(or_mixed_in(values(), arrays()))
HOLDING = nnx_modules(_ANY_VARIABLE)
# Also the library's own modules, and more modules with shared references.
EVERY_MODULE = st.one_of(MODULES, nnx_modules(roots=_TIED_KINDS), HOLDING, nnx_objects())
_COMPILED = frozenset({"attribute:function", "nnx:static", "nnx:sequential"})


def _is_rebuilt_equal(recipe: Recipe) -> bool:
    # A deep copy of a compiled function, such as `jnp.tanh`, is not equal to the function.
    return "history:deepcopy" not in recipe.features or not _COMPILED & recipe.features


REBUILT = EVERY_MODULE.filter(_is_rebuilt_equal)
# Modules whose data are only arrays, in Variables or not.
NUMERIC = nnx_modules(attributes(static=False))
# Kinds that can hold a static value in the place of data.
_MIXING = frozenset({"nnx:data", "nnx:marked", "nnx:plain-list", "nnx:plain-dict"})
# `graph=False` supports neither shared Variables nor classes that are not PyTrees.
_NO_TREE = frozenset({"nnx:tied", "nnx:data", "nnx:object"})


def without_sharing(recipe: Recipe) -> bool:
    """Return whether a module can be taken as a tree: no shared Variables, all classes PyTrees."""
    return not _NO_TREE & recipe.features


TREES = nnx_modules(alias=False).filter(without_sharing)
TIED = nnx_modules(variables(), roots=_TIED_KINDS, max_leaves=1)
# States of Variables, arrays, numbers, and Variables that hold trees.
STATES = nnx_states(st.one_of(variables(), _ANY_VARIABLE, arrays()))


def without_mappings(cases: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    """Leave out users' nodes that are mappings: a pure dict does not tell one from a nested State.

    Source: https://github.com/google/flax/blob/v0.12.8/flax/nnx/traversals.py (`flatten_mapping`)
    """
    return cases.filter(lambda recipe: "mapping" not in recipe.features)


_HOLDER = """\
class NnxHolder(nnx.Module):
    def __init__(self, tree):
        self.tree = tree
"""
_HOLDERS = (
    Kind("nnx-holder", "NnxHolder(nnx.data($0))", (_HOLDER,)),
    Kind(
        "nnx-holder",
        "NnxHolder([np.zeros(2, np.float32), $0])",
        (_HOLDER,),
        ("nnx:plain-list",),
        needs=(PLAIN_CONTAINERS,),
    ),
)


def _bind(scope: Scope, name: str, recipe: Recipe) -> None:
    # A recipe with a history binds the name itself.
    expression = scope.include(recipe)
    if expression != name:
        scope.bind(name, expression)


def compilable(recipe: Recipe) -> bool:
    """Return whether a module's data are only arrays and numbers, as `jax.jit` requires.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.jit.html (`fun`)
    """
    return "attribute:no-number" not in recipe.features or not _MIXING & recipe.features


def modules_of(strategy: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    """Draw `module` from a strategy."""

    def bound(recipe: Recipe) -> Recipe:
        scope = Scope()
        _bind(scope, "module", recipe)
        return scope.recipe()

    return strategy.map(bound)


@st.composite
def split_cases(
    draw: st.DrawFn,
    modules: st.SearchStrategy[Recipe] = MODULES,
    *,
    exhaustive: bool = True,
    min_size: int = 1,
) -> Recipe:
    """Draw `module`, `filters` and their `meanings`.

    Args:
        modules: the strategy of `module`; default users' modules of every shape.
        exhaustive: let the last filter match everything; default `True`.
        min_size: least number of filters; default 1.
    """
    scope = Scope()
    _bind(scope, "module", draw(modules))
    scope.include(draw(filter_lists(exhaustive=exhaustive, min_size=min_size)))
    return scope.recipe()


@st.composite
def state_cases(draw: st.DrawFn, *, exhaustive: bool = True, min_size: int = 1) -> Recipe:
    """Draw `state`, `filters` and their `meanings`, as `split_cases` does for a module."""
    scope = Scope()
    scope.bind("state", draw(STATES))
    scope.include(draw(filter_lists(exhaustive=exhaustive, min_size=min_size)))
    return scope.recipe()


@st.composite
def holders(draw: st.DrawFn, kinds: tuple[Kind, ...] | None = None) -> Recipe:
    """Draw `module`, whose attribute `tree` is a PyTree of arrays; default every kind of node."""
    scope = Scope()
    scope.bind("module", draw(trees(arrays(), kinds=kinds, roots=_HOLDERS, max_leaves=4)))
    return scope.recipe()


@st.composite
def alone(draw: st.DrawFn) -> Recipe:
    """Draw `node`: a Variable outside of any module, or a list or dict of Variables."""
    template = draw(st.sampled_from(("{}", "[{}]", "{{'b': {}, 'a': 1}}", "[[{0}], {0}]")))
    scope = Scope()
    variable = scope.bind("variable", draw(variables()))
    scope.note("alone:root" if template == "{}" else "alone:inside")
    scope.bind("node", template.format(variable))
    return scope.recipe()


def first_match(case: Any, path: Any, leaf: Any) -> int | None:
    """Return the index of the first filter of a case that matches this leaf, or `None`."""
    matches = (index for index, meaning in enumerate(case.meanings) if meaning(path, leaf))
    return next(matches, None)


@functools.cache
def jitted_merge(lib: Any) -> Any:
    """Return a jitted function that merges a module and returns its State; compiled once."""
    return jax.jit(lambda graphdef, state: lib.state(lib.merge(graphdef, state)), static_argnums=0)


def is_variable(node: Any) -> bool:
    """Return whether a node is a Variable or a VariableState."""
    return kind_of(type(node)) == "variable"


# Variables to pop are in lists and dicts as often as elsewhere.
_POPPED_FROM = st.one_of(MODULES, nnx_modules(roots=(*NNX_CONTAINERS, *_DATA_KINDS), cycles=True))
# Classes that print in a way of their own; a dataclass does, too.
_OWN_REPR = {"nnx:dataclass", "nnx:own-repr"}
_PRINTED = _POPPED_FROM.filter(lambda recipe: not _OWN_REPR & recipe.features)
_POPPED_BY_TYPE = (
    "nnx.Variable",
    "nnx.Param",
    "(nnx.Param, nnx.BatchStat)",
    "nnx.Intermediate",
    "nnx.All(nnx.Variable, nnx.Not(nnx.Param))",
)
_POPPED_BY_PATH = (
    "nnx.All(nnx.Param, nnx.PathContains('x'))",
    "nnx.All(nnx.Variable, 'encoder')",
)


_POPPED = """\
class NnxPopped(nnx.Variable):
    pass
"""


@st.composite
def pop_cases(draw: st.DrawFn, *, printed: bool = False) -> Recipe:
    """Draw `module`, `filters` that match only Variables, as documented, and a new type, `kind`.

    Args:
        printed: leave out dataclasses, which cannot be printed without one of their fields.
    """
    scope = Scope()
    scope.define(_POPPED)
    scope.bind("kind", "NnxPopped")
    module = draw(_PRINTED if printed else _POPPED_FROM)
    _bind(scope, "module", module)
    # Which of its paths a shared Variable has for a filter is not documented.
    shared = module.features & {"nnx:tied", "alias:leaf", "alias:subtree"}
    filters = (*_POPPED_BY_TYPE, *(() if shared else _POPPED_BY_PATH))
    chosen = draw(st.lists(st.sampled_from(filters), min_size=1, max_size=2))
    scope.bind("filters", f"({', '.join(chosen)},)")
    return scope.recipe()


def fresh_values(tree: Any) -> Any:
    """Return a copy of a tree in which each Variable and each leaf holds a different new array."""
    numbers = itertools.count(100)

    def fresh(node: Any) -> Any:
        if is_variable(node):
            return node.replace(fresh(None))
        return jax.device_put(np.float32(next(numbers)))

    return jax.tree_util.tree_map(fresh, tree, is_leaf=is_variable)
