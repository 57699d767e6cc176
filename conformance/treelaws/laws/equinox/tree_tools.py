"""Equinox: `tree_check`, `tree_flatten_one_level`, `inference_mode`, `apply_updates`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import leaves, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true
from treelaws.laws._short_trees import or_short

from ._functions import arrays_of, inexact_leaves, only_inexact, with_arrays
from ._tree_at_inputs import any_tree, nones
from ._tree_tools_inputs import (
    children_of,
    cycles,
    flagged,
    flags_of,
    maybe_repeated,
    no_updates,
    repeated_trifles,
    repeats_a_node,
    some_updates,
    without_flags,
)

law = Topic("equinox.tree_tools", "Equinox: other functions on trees", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/manipulation/"
_CHECK = f"{_DOCS}#equinox.tree_check"
_ONE_LEVEL = f"{_DOCS}#equinox.tree_flatten_one_level"
_UPDATES = f"{_DOCS}#equinox.apply_updates"
_INFERENCE = "https://docs.kidger.site/equinox/api/nn/inference/#equinox.nn.inference_mode"


@law(
    "`tree_check` raises ValueError exactly if a node with children occurs twice",
    source=_CHECK,
    needs={"tree_check"},
    case=maybe_repeated(),
)
def tree_check_refuses_repeated_nodes(lib, case):
    try:
        lib.tree_check(case.tree)
    except ValueError as error:
        true(repeats_a_node(case.tree), error, "no error: no node occurs twice")
    else:
        true(not repeats_a_node(case.tree), "no error", "ValueError: a node occurs twice")


@law(
    "`tree_check` accepts leaves and nodes without children that occur several times",
    source=_CHECK,
    needs={"tree_check"},
    case=repeated_trifles(),
)
def tree_check_accepts_repeated_leaves(lib, case):
    lib.tree_check(case.tree)


@law(
    "`tree_check` raises ValueError for a tree that contains itself",
    source=_CHECK,
    needs={"tree_check"},
    case=cycles(),
)
def tree_check_refuses_cycles(lib, case):
    refuses(ValueError, lambda: lib.tree_check(case.tree))


@law(
    "`tree_flatten_one_level` returns the children, and a treedef that rebuilds the node from them",
    source=_ONE_LEVEL,
    needs={"tree_flatten_one_level"},
    case=st.one_of(cases(tree=any_tree()), nones()),
)
def one_level_is_put_back(lib, case):
    children, treedef = lib.tree_flatten_one_level(case.tree)
    same(jtu.tree_unflatten(treedef, children), case.tree, identical=True)


@law(
    "`tree_flatten_one_level` returns the immediate children, not the nodes inside them",
    source=_ONE_LEVEL,
    needs={"tree_flatten_one_level"},
    case=cases(tree=trees(leaves(hostile=True), history=True)),
)
def one_level_is_one_level(lib, case):
    children, treedef = lib.tree_flatten_one_level(case.tree)
    wanted = children_of(case.tree) or ([case.tree] if treedef.num_leaves else [])
    same([*children], wanted, identical=True)
    equal(treedef.num_leaves, len(children))


@law(
    "`tree_flatten_one_level(leaf)` returns the leaf itself as the only child",
    source=_ONE_LEVEL,
    needs={"tree_flatten_one_level"},
    case=cases(leaf=leaves(hostile=True)),
)
def one_level_of_a_leaf_is_the_leaf(lib, case):
    children, treedef = lib.tree_flatten_one_level(case.leaf)
    same(children, [case.leaf], identical=True)
    same(treedef, jtu.tree_structure(0))


@law(
    "`tree_flatten_one_level` raises ValueError for a node that is its own child",
    source="https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_tree.py#L392-L418",
    needs={"tree_flatten_one_level"},
    case=cycles(immediate=True),
    level="should",
)
def one_level_refuses_its_own_child(lib, case):
    refuses(ValueError, lambda: lib.tree_flatten_one_level(case.tree))


@law(
    "`inference_mode(model, value)` sets every inference flag to `value`, by default to `True`",
    source=_INFERENCE,
    needs={"nn.inference_mode"},
    case=flagged(),
)
def inference_mode_sets_every_flag(lib, case):
    count = len(flags_of(case.tree))
    on = lib.nn.inference_mode(case.tree)
    same(flags_of(on), [True] * count)
    same(flags_of(lib.nn.inference_mode(on, value=False)), [False] * count)


@law(
    "`inference_mode` changes only flags: switching it on and off again restores the model",
    source=_INFERENCE,
    needs={"nn.inference_mode"},
    case=flagged(),
)
def inference_mode_can_be_undone(lib, case):
    again = lib.nn.inference_mode(lib.nn.inference_mode(case.tree), value=False)
    same(again, lib.nn.inference_mode(case.tree, value=False), identical=True)
    same(jtu.tree_structure(again), jtu.tree_structure(case.tree))


@law(
    "`inference_mode` returns a model without flags unchanged",
    source=_INFERENCE,
    needs={"nn.inference_mode"},
    case=lambda _: cases(tree=trees(leaves(), kinds=without_flags(), history=True)),
    weight=2,
)
def inference_mode_needs_no_flags(lib, case):
    same(lib.nn.inference_mode(case.tree), case.tree, identical=True)


@law(
    "`apply_updates` adds each update to its leaf, and keeps a leaf whose update is `None`",
    source=_UPDATES,
    needs={"apply_updates"},
    case=cases(tree=or_short(trees(leaves(), history=True))),
)
def updates_are_added_leaf_by_leaf(lib, case):
    updates = [_update(leaf) for leaf in jtu.tree_leaves(case.tree)]
    tree = jtu.tree_structure(case.tree)
    got = lib.apply_updates(case.tree, tree.unflatten(updates))
    pairs = zip(jtu.tree_leaves(case.tree), updates, strict=True)
    same(got, tree.unflatten([leaf if update is None else leaf + update for leaf, update in pairs]))


@law(
    "`apply_updates` adds the same updates inside `jit` as outside",
    source=_UPDATES,
    needs={"apply_updates"},
    case=cases(tree=structures(finite=True)),
)
def updates_are_added_under_jit(lib, case):
    updates = only_inexact(case.tree, inexact_leaves(case.tree))
    added = lambda tree, updates: arrays_of(lib.apply_updates(tree, updates))
    compiled = jax.jit(lambda arrays, updates: added(with_arrays(case.tree, arrays), updates))
    same(compiled(arrays_of(case.tree), updates), added(case.tree, updates))


@law(
    "an update of `None` keeps its leaf or its whole subtree",
    source=_UPDATES,
    needs={"apply_updates"},
    case=no_updates(any_tree()),
)
def updates_of_none_change_nothing(lib, case):
    same(lib.apply_updates(case.tree, case.updates), case.tree, identical=True)


@law(
    "`apply_updates` adds each update to its leaf or to its whole subtree",
    source=_UPDATES,
    needs={"apply_updates"},
    case=some_updates(any_tree()),
    level="should",
)
def updates_are_added_to_subtrees(lib, case):
    """The docs promise `model + update`, mapped over `updates`, which are a prefix of the model."""
    parts = jtu.tree_structure(case.updates, is_leaf=_is_none).flatten_up_to(case.tree)
    updates = jtu.tree_leaves(case.updates, is_leaf=_is_none)
    pairs = zip(parts, updates, strict=True)
    # A part may define `+` itself.
    wanted = [part if update is None else part + update for part, update in pairs]
    got = lib.apply_updates(case.tree, case.updates)
    same(got, jtu.tree_structure(case.updates, is_leaf=_is_none).unflatten(wanted), identical=True)


@law(
    "`apply_updates` raises ValueError for updates that are not a prefix of the model",
    source=_UPDATES,
    needs={"apply_updates"},
    case=cases(tree=trees(leaves(), history=True)),
    level="should",
)
def updates_that_are_no_prefix_are_refused(lib, case):
    refuses(ValueError, lambda: lib.apply_updates([case.tree], [None, None]))
    refuses(ValueError, lambda: lib.apply_updates([case.tree], (None,)))


def _is_none(node):
    return node is None


def _update(leaf):
    """Return a value that can be added to a leaf, or `None` if the leaf is not a number."""
    numeric = isinstance(leaf, (int, float, complex)) or (
        isinstance(leaf, (jax.Array, np.ndarray, np.generic))
        and jnp.issubdtype(leaf.dtype, jnp.number)
    )
    return leaf if numeric else None
