"""Equinox: `Shared`, which ties nodes of a tree."""

from __future__ import annotations

import io

import jax.tree_util as jtu

from hypothesis_pytrees.equinox.states_shared import (
    equal_shared,
    shared_layers,
    shared_trees,
    tied_sequences,
    untied_trees,
)
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

from ._functions import counted, energy, is_array
from ._state_inputs import STATE, strong

law = Topic("equinox.shared", "Equinox: Shared and tied nodes", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/nn/shared/#equinox.nn.Shared"
_INIT = f"{_DOCS}.__init__"
_CALL = f"{_DOCS}.__call__"
_FAQ = (
    "https://docs.kidger.site/equinox/faq/"
    "#i-think-my-function-is-being-recompiled-each-time-it-is-run"
)
_SHARED = frozenset({"nn.Shared", "tree_at"})
_FRESH = shared_trees(history=False)
_TREES = shared_trees()


@law(
    "`Shared(tree, where, get)()` equals `tree_at(where, tree, get(tree))`",
    source=_CALL,
    needs=_SHARED,
    case=shared_trees(history=False, more=True),
)
def calling_puts_get_where_where_says(lib, case):
    same(case.shared(), lib.tree_at(case.where, case.tree, case.get(case.tree)))


@law(
    "calling a `Shared` returns a tree whose tied nodes are the same objects, whatever happened to"
    " the `Shared` before",
    source=_DOCS,
    needs=_SHARED,
    case=_TREES,
    parents=(calling_puts_get_where_where_says,),
)
def tied_nodes_are_one_object(lib, case):
    tree = case.shared()
    same(case.where(tree), case.get(tree), identical=True)


@law(
    "calling a `Shared` returns a tree of the original structure, whatever happened to the"
    " `Shared` before",
    source=_CALL,
    needs=_SHARED,
    case=_TREES,
    parents=(calling_puts_get_where_where_says,),
)
def a_call_restores_the_structure(lib, case):
    same(jtu.tree_structure(case.shared()), jtu.tree_structure(case.tree))


@law(
    "the arrays of a `Shared` are those of the tree without the nodes at `where`",
    source=_INIT,
    needs=_SHARED,
    case=_FRESH,
)
def the_duplicates_are_gone(lib, case):
    rest = lib.tree_at(case.where, case.tree, replace_fn=lambda _: 0)
    kept = [leaf for leaf in jtu.tree_leaves(case.shared) if is_array(leaf)]
    same(kept, [leaf for leaf in jtu.tree_leaves(rest) if is_array(leaf)])


@law(
    "a change to the node that `get` selects also shows in the nodes that `where` selects",
    source=_DOCS,
    needs=_SHARED,
    case=_TREES,
    parents=(tied_nodes_are_one_object,),
)
def a_change_shows_in_both_places(lib, case):
    other = jtu.tree_map(lambda leaf: leaf, case.changed(case.get(case.tree)))
    changed = lib.tree_at(lambda shared: case.get(shared.pytree), case.shared, other)
    same(case.get(changed()), other)
    same(case.where(changed()), other)


@law(
    "the gradient of a tied node is the sum of the gradients at its places",
    source=_DOCS,
    needs=_SHARED | {"filter_grad"},
    case=shared_trees(real=True),
    parents=(tied_nodes_are_one_object,),
)
def gradients_of_the_places_add_up(lib, case):
    tied = lib.filter_grad(lambda shared: energy(shared()))(case.shared)
    each = lib.filter_grad(energy)(case.shared())
    source = jtu.tree_leaves(case.get(each))[0]
    total = sum(jtu.tree_leaves(case.where(each)), start=source)
    same(jtu.tree_leaves(case.get(tied.pytree))[0], total)


@law(
    "calling a `Shared` under `filter_jit` returns the same tree as calling it directly",
    source=_CALL,
    needs=_SHARED | {"filter_jit"},
    case=shared_trees(real=True),
    parents=(calling_puts_get_where_where_says,),
)
def a_jitted_call_is_the_call(lib, case):
    same(lib.filter_jit(lambda shared: shared())(case.shared), case.shared())


@law(
    "`Shared` raises ValueError for nodes of different structure, shape or dtype",
    source="https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/nn/_shared.py#L129-L139",
    level="should",
    needs=_SHARED,
    case=untied_trees(),
)
def nodes_that_differ_are_refused(lib, case):
    refuses(ValueError, lambda: lib.nn.Shared(case.tree, case.where, case.get))


@law(
    "`where` and `get` may return any two sequences of the same length",
    source=_INIT,
    needs=_SHARED,
    case=tied_sequences(),
    parents=(calling_puts_get_where_where_says,),
)
def any_sequences_of_one_length_tie(lib, case):
    tree = lib.nn.Shared(case.tree, case.where, case.get)()
    same(tree, [case.one] * 3)


@law(
    "a `Shared` with other arrays, or mapped, copied or combined again, does not retrace a jitted"
    " function",
    source=_FAQ,
    needs=_SHARED | {"filter_jit"},
    case=equal_shared(rebuilt=False),
)
def new_arrays_do_not_retrace(lib, case):
    """The static leaves stay the same objects, so they are equal by `__eq__`."""
    _traced_once(lib, case)


@law(
    "a `Shared` that is built, deep-copied or pickled again does not retrace a jitted function",
    source=_FAQ,
    needs=_SHARED | {"filter_jit"},
    level="observed",
    case=equal_shared(rebuilt=True),
)
def an_equal_one_does_not_retrace(lib, case):
    """The placeholders of tied nodes need not be equal by `__eq__`, so this is not promised."""
    _traced_once(lib, case)


def _traced_once(lib, case):
    body, traces = counted(lambda shared: shared.get(shared.pytree))
    jitted = lib.filter_jit(body)
    for shared in (case.shared, case.again, case.shared):
        same(jitted(shared), case.get(shared.pytree))
    true(len(traces) == 1, len(traces), "one trace")


@law(
    "a saved `Shared` can be loaded into another build of it",
    source="https://docs.kidger.site/equinox/api/serialisation/#equinox.tree_deserialise_leaves",
    needs=_SHARED | {"tree_serialise_leaves", "tree_deserialise_leaves"},
    case=shared_trees(real=True),
    parents=(tied_nodes_are_one_object,),
)
def a_saved_shared_is_loaded(lib, case):
    file = io.BytesIO()
    lib.tree_serialise_leaves(file, case.shared)
    file.seek(0)
    empty = jtu.tree_map(lambda leaf: 0 * leaf if is_array(leaf) else leaf, case.tree)
    fresh = lib.nn.Shared(empty, case.where, case.get)
    same(strong(lib.tree_deserialise_leaves(file, fresh)()), strong(case.shared()))


@law(
    "a tied stateful layer has one state, wherever the layer is called",
    source=_DOCS,
    level="should",
    needs=_SHARED | STATE,
    case=shared_layers(),
    parents=(tied_nodes_are_one_object,),
)
def a_tied_layer_has_one_state(lib, case):
    one, other = map(case.indices_of, case.model())
    values = [case.changed(case.state.get(index)) for index in one]
    state = case.state
    for index, value in zip(one, values, strict=True):
        state = state.set(index, value)
    same([state.get(index) for index in other], values)
