"""Equinox: `tree_at` changes the selected nodes and nothing else."""

from __future__ import annotations

import functools

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import arrays, trees
from treelaws.core.law import Topic
from treelaws.equality import same, true

from ._tree_at_inputs import (
    attributes_of,
    both_ways,
    edits,
    exchanged,
    lasting_edits,
    logged_modules,
    monotonous_tree,
    nones,
    replaced,
    targets,
    twins,
)

law = Topic("equinox.tree_at", "Equinox: tree_at", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_at"
_NEEDS = {"tree_at"}


@law(
    "`tree_at(where, tree, x)` replaces the selected nodes; every other leaf is the very same"
    " object",
    source=_DOCS,
    needs=_NEEDS,
    case=edits(),
)
def only_the_targets_change(lib, case):
    got = lib.tree_at(case.where, case.tree, case.replace, is_leaf=case.is_leaf)
    same(got, replaced(case), identical=True)


@law(
    "put-get: `where(tree_at(where, tree, x))` returns `x`",
    source=_DOCS,
    needs=_NEEDS,
    case=st.one_of(lasting_edits(2), lasting_edits()),
    parents=(only_the_targets_change,),
)
def what_is_put_can_be_read(lib, case):
    got = lib.tree_at(case.where, case.tree, case.replace, is_leaf=case.is_leaf)
    same(case.where(got), case.replace, identical=True)


@law(
    "get-put: `tree_at(where, tree, where(tree))` equals `tree`",
    source=_DOCS,
    needs=_NEEDS,
    case=targets(),
    parents=(only_the_targets_change,),
    weight=2,
)
def putting_back_changes_nothing(lib, case):
    got = lib.tree_at(case.where, case.tree, case.where(case.tree), is_leaf=case.is_leaf)
    same(got, case.tree, identical=True)


@law(
    "put-put: if a node is replaced twice, the later replacement counts",
    source=_DOCS,
    needs=_NEEDS,
    case=lasting_edits(),
    parents=(only_the_targets_change,),
)
def the_later_replacement_counts(lib, case):
    first = lib.tree_at(case.where, case.tree, case.replace, is_leaf=case.is_leaf)
    got = lib.tree_at(case.where, first, case.other, is_leaf=case.is_leaf)
    same(got, lib.tree_at(case.where, case.tree, case.other, is_leaf=case.is_leaf), identical=True)


@law(
    "`tree_at` does not change any node of its input",
    source=_DOCS,
    needs=_NEEDS,
    case=edits(),
    parents=(only_the_targets_change,),
)
def the_input_is_unchanged(lib, case):
    attributes, (leaves, treedef) = attributes_of(case.tree), jtu.tree_flatten(case.tree)
    lib.tree_at(case.where, case.tree, case.replace, is_leaf=case.is_leaf)
    same(case.tree, jtu.tree_unflatten(treedef, leaves), identical=True)
    same(attributes_of(case.tree), attributes)


@law(
    "`where` works on any tree of the same structure, whatever its leaves are",
    source=_DOCS,
    needs=_NEEDS,
    case=edits(subtrees=False),
    parents=(only_the_targets_change,),
)
def a_specification_of_flags_can_be_edited(lib, case):
    flags = jtu.tree_map(lambda _: True, case.tree, is_leaf=case.is_leaf)
    got = lib.tree_at(case.where, flags, replace_fn=lambda _: False)
    same(got, exchanged(flags, dict.fromkeys(case.places, False)))


@law(
    "`tree_at` replaces only the selected leaves, even if other leaves are the same interned"
    " object",
    source=_DOCS,
    needs=_NEEDS,
    case=edits(monotonous_tree()),
    parents=(only_the_targets_change,),
)
def identical_leaves_are_told_apart(lib, case):
    """The trees of `only_the_targets_change` rarely hold one object at several places."""
    got = lib.tree_at(case.where, case.tree, case.replace, is_leaf=case.is_leaf)
    same(got, replaced(case), identical=True)


@law(
    "`tree_at` replaces only the selected place, even if other places hold the same leaf or"
    " subtree",
    source=_DOCS,
    needs=_NEEDS,
    case=twins(),
    parents=(only_the_targets_change,),
)
def aliases_are_told_apart(lib, case):
    got = lib.tree_at(lambda tree: tree[case.index], case.tree, "new")
    wanted = list(case.tree)
    wanted[case.index] = "new"
    same(got, wanted, identical=True)


@law(
    "`is_leaf` makes `None` replaceable, also if it occurs several times",
    source=_DOCS,
    needs=_NEEDS,
    case=nones(),
    parents=(only_the_targets_change,),
)
def is_leaf_makes_none_replaceable(lib, case):
    got = lib.tree_at(lambda tree: tree[case.index], case.tree, case.replace, is_leaf=case.is_leaf)
    same(got, replaced(case), identical=True)


@law(
    "selecting a leaf by its position equals selecting it by its path",
    source=_DOCS,
    needs=_NEEDS,
    case=both_ways(),
    parents=(only_the_targets_change,),
)
def position_and_path_lead_to_one_leaf(lib, case):
    by_path = lib.tree_at(case.by_path, case.tree, case.replace)
    same(lib.tree_at(case.by_position, case.tree, case.replace), by_path, identical=True)


@law(
    "replacing several disjoint targets at once equals replacing them one by one",
    source=_DOCS,
    needs=_NEEDS,
    case=lasting_edits(2),
    parents=(only_the_targets_change,),
)
def several_targets_are_single_ones_in_turn(lib, case):
    def put(tree, index):
        one = case.replace[index]
        return lib.tree_at(lambda tree: case.where(tree)[index], tree, one, is_leaf=case.is_leaf)

    got = lib.tree_at(case.where, case.tree, case.replace, is_leaf=case.is_leaf)
    same(got, functools.reduce(put, range(len(case.replace)), case.tree), identical=True)


@law(
    "the order in which `where` returns several targets does not matter",
    source=_DOCS,
    needs=_NEEDS,
    case=lasting_edits(2),
    parents=(only_the_targets_change,),
)
def the_order_of_targets_does_not_matter(lib, case):
    def reversed_where(tree):
        return tuple(reversed(case.where(tree)))

    got = lib.tree_at(reversed_where, case.tree, case.replace[::-1], is_leaf=case.is_leaf)
    same(got, replaced(case), identical=True)


@law(
    "targets and replacements may each be a tuple or a list",
    source=_DOCS,
    needs=_NEEDS,
    case=lasting_edits(2),
    parents=(only_the_targets_change,),
)
def targets_may_be_a_tuple_or_a_list(lib, case):
    for form, other in ((tuple, list), (list, tuple), (list, list)):
        where, replace = (lambda tree, form=form: form(case.where(tree))), other(case.replace)
        got = lib.tree_at(where, case.tree, replace, is_leaf=case.is_leaf)
        same(got, replaced(case), identical=True)


@law(
    "`tree_at` without targets returns the tree unchanged",
    source="https://docs.kidger.site/equinox/api/nn/inference/#equinox.nn.inference_mode",
    needs=_NEEDS,
    case=targets(),
    level="should",
    parents=(only_the_targets_change,),
)
def no_targets_change_nothing(lib, case):
    """`inference_mode` makes this call for a model without flags, and promises its structure."""
    same(lib.tree_at(lambda tree: [], case.tree, []), case.tree, identical=True)
    same(lib.tree_at(lambda tree: [], case.tree, replace_fn=id), case.tree, identical=True)


@law(
    "`tree_at` runs neither `__init__` nor `__post_init__` nor `__check_init__`",
    source=_DOCS,
    needs=_NEEDS,
    case=logged_modules(),
    parents=(only_the_targets_change,),
)
def no_constructor_runs(lib, case):
    before = len(case.log)
    lib.tree_at(case.where, case.tree, "not what the constructor expects")
    true(len(case.log) == before, case.log[before:], "no call of a constructor")


@law(
    "`tree_at` returns the same result under `jit` as outside of it",
    source=_DOCS,
    needs=_NEEDS | {"filter_jit"},
    case=edits(trees(arrays(), max_leaves=3), none=False),
    level="should",
    parents=(only_the_targets_change,),
)
def tree_at_traces(lib, case):
    """Both sides pass through `jit` once, which converts NumPy arrays to JAX arrays."""

    def edit(tree):
        return lib.tree_at(case.where, tree, replace_fn=lambda node: [node, node])

    same(lib.filter_jit(edit)(case.tree), lib.filter_jit(lambda tree: tree)(edit(case.tree)))
