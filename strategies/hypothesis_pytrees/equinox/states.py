"""Stateful models: `model, state = eqx.nn.make_with_state(make)()` for any tree of layers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.prior_operations import (
    COMPILED_PRIOR_OPERATIONS,
    EQUINOX_PRIOR_OPERATIONS,
    PRIOR_OPERATIONS,
    PriorOperation,
)
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.trees.trees import draw_tree, every_kind

from .states_layers import stateful_layers
from .states_values import AS_ARRAYS, CHANGED

INDICES_OF = """\
def is_index(node):
    return isinstance(node, eqx.nn.StateIndex)

def indices_of(tree):
    return [node for node in jtu.tree_leaves(tree, is_leaf=is_index) if is_index(node)]
"""
_STEPPED = """\
def stepped(tree):
    # As a step of gradient descent: other arrays, the rest as it was.
    return eqx.apply_updates(tree, eqx.filter(tree, eqx.is_inexact_array))
"""
_PUT_BACK = """\
def put_back(tree):
    # tree_at with each leaf as a target, where there is one. It shows () to `where` as a leaf.
    def slots(tree):
        return jtu.tree_leaves(tree, is_leaf=lambda node: type(node) is tuple and not node)
    targets = [i for i, slot in enumerate(slots(tree)) if type(slot) is not tuple]
    def where(tree):
        return [slots(tree)[i] for i in targets]
    return eqx.tree_at(where, tree, where(tree)) if targets else tree
"""
_MODEL_PRIOR_OPERATIONS: tuple[PriorOperation, ...] = (
    *PRIOR_OPERATIONS,
    *EQUINOX_PRIOR_OPERATIONS,
    PriorOperation("step", "$tree = stepped($tree)", (_STEPPED,)),
    PriorOperation("tree-at", "$tree = put_back($tree)", (_PUT_BACK,)),
    PriorOperation("abstract", "$tree = eqx.filter_eval_shape(lambda tree: tree, $tree)"),
)
_STATE_PRIOR_OPERATIONS: tuple[PriorOperation, ...] = (
    *PRIOR_OPERATIONS,
    *EQUINOX_PRIOR_OPERATIONS,
    PriorOperation("tree-at", "$tree = put_back($tree)", (_PUT_BACK,)),
)


@st.composite
def stateful_models(
    draw: st.DrawFn,
    layers: st.SearchStrategy[Recipe] | None = None,
    *,
    kinds: Sequence[Kind] | None = None,
    max_layers: int = 3,
    alias: bool = False,
    history: bool = False,
    compiled: bool = False,
) -> Recipe:
    """Draw a model and its state, both from `eqx.nn.make_with_state`.

    Binds `make`, the function that makes the model with the state inside, and `made`, its result;
    `model` and `state`; `indices`, every index of the model; `started`, what each was made with,
    and `given`, the same as arrays; `others`, other arrays of the same structures.

    Args:
        layers: strategy of layers; default `stateful_layers()`.
        kinds: the kinds of nodes around them; default every kind; kinds without children are
            ignored.
        max_layers: approximate maximum number of layers; default 3.
        alias: let the same layer or subtree occur twice; default `False`.
        history: draw prior operations on the model, with and without its state; default
            `False`.
        compiled: allow prior operations that compile; default `False`.
    """
    layers = stateful_layers() if layers is None else layers
    inner = Scope()
    # Without childless nodes, every tree holds a layer.
    kinds = [kind for kind in (every_kind() if kinds is None else kinds) if kind.arity]
    options = {"kinds": kinds, "max_leaves": max_layers, "alias": alias}
    made = draw_tree(draw, inner, leaves=layers, **options)
    if history:
        made = inner.bind("made", made)
        prior_operations.apply(draw, inner, made)
    scope = Scope()
    write_make(scope, inner.recipe(made))
    scope.define(INDICES_OF, AS_ARRAYS, CHANGED)
    # Another build has another initial state if that is uninitialised memory.
    scope.statement("made = make()")
    scope.statement("model, state = eqx.nn.make_with_state(lambda: made)()")
    if history:
        table = _MODEL_PRIOR_OPERATIONS + (COMPILED_PRIOR_OPERATIONS if compiled else ())
        prior_operations.apply(draw, scope, "model", table)
        prior_operations.apply(draw, scope, "state", _STATE_PRIOR_OPERATIONS)
    scope.statement("indices = indices_of(model)")
    scope.statement("started = [index.init for index in indices_of(made)]")
    scope.statement("given = [as_arrays(value) for value in started]")
    scope.statement("others = [changed(value) for value in given]")
    return scope.recipe()


def write_make(scope: Scope, made: Recipe, name: str = "make") -> None:
    """Write a function without arguments that builds the recipe again in each call."""
    scope.define(*made.definitions)
    scope.note(*made.features)
    body = "\n".join([*made.statements, f"return {made.expression}"])
    scope.statement(f"def {name}():\n{textwrap.indent(body, '    ')}")


_PARTS: tuple[tuple[str, str, str], ...] = (
    ("first", "[0]", "indices[0]"),
    ("model", "range(len(indices))", "model"),
    ("none", "[]", "None"),
    ("backwards", "range(len(indices))", "indices[::-1]"),
    ("every-other", "range(len(indices))[::2]", "tuple(indices[::2])"),
    ("rest", "range(len(indices))[1:]", "{'rest': indices[1:], 'number': 1.0}"),
    ("repeated", "range(len(indices))", "[model, indices, model]"),
)


@st.composite
def parts(draw: st.DrawFn, models: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw a part of a stateful model: bind `part`, and `chosen`, the positions of its indices.

    Features: `part:first`, `part:none`, `part:model`, ...

    Args:
        models: strategy from `stateful_models`.
    """
    scope = Scope()
    scope.include(draw(models))
    name, chosen, part = _PARTS[draw(st.integers(0, len(_PARTS) - 1))]
    scope.note(f"part:{name}")
    scope.statement(f"chosen = list({chosen})")
    scope.statement(f"part = {part}")
    return scope.recipe()


_WAYS = {
    "set": "new = state.set(indices[0], others[0])",
    "update": "new = state.update(state.substate(model))",
}
_USES = {
    "get": "state.get(indices[0])",
    "set": "state.set(indices[0], others[0])",
    "substate": "state.substate(model)",
    "update": "state.update(new)",
    "leaves": "jtu.tree_leaves(state)",
    "map": "jtu.tree_map(lambda leaf: leaf, state)",
    "argument": "jax.eval_shape(lambda tree: tree, state)",
    "equal": "eqx.tree_equal(state, new)",
    "partition": "eqx.partition(state, eqx.is_array)",
    "update-with": "new.update(state)",
}


@st.composite
def used_states(draw: st.DrawFn, models: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw a use of a state whose successor exists: bind `new`, the successor, and `use`.

    Features: `used-by:set`, ... and `use:get`, `use:update-with`, ...

    Args:
        models: strategy from `stateful_models`.
    """
    scope = Scope()
    scope.include(draw(models))
    way = draw(st.sampled_from(tuple(_WAYS)))
    use = draw(st.sampled_from(tuple(_USES)))
    scope.note(f"used-by:{way}", f"use:{use}")
    scope.statement(_WAYS[way])
    scope.statement(f"use = lambda: {_USES[use]}")
    return scope.recipe()


_MADE = {
    "make_with_state": "state",
    "set": "state.set(indices[0], others[0])",
    "substate": "state.substate(indices)",
    "update": "state.update(state.substate(model))",
    "State": "eqx.nn.State(make())",
}
_LEAVES = (
    "leaf",
    "None",
    "'text'",
    "(leaf, leaf)",
    "{}",
    "object()",
    "jax.eval_shape(lambda: leaf)",
)


@st.composite
def odd_states(draw: st.DrawFn, models: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw a state created in any way, with any content: bind `odd`.

    Features: `made-by:set`, `made-by:State`, ...

    Args:
        models: strategy from `stateful_models`.
    """
    scope = Scope()
    scope.include(draw(models))
    way = draw(st.sampled_from(tuple(_MADE)))
    scope.note(f"made-by:{way}")
    scope.statement(f"state = {_MADE[way]}")
    leaf = draw(st.sampled_from(_LEAVES))
    scope.statement(f"odd = jtu.tree_map(lambda leaf: {leaf}, state)")
    return scope.recipe()
