"""Equinox: how `tree_at` calls `where` and `replace_fn`, and its errors."""

from __future__ import annotations

import jax.tree_util as jtu

from treelaws.equality import refuses, same, true

from ._tree_at_inputs import (
    ancestors,
    edits,
    leaf_dependent,
    listed,
    singletons,
    strangers,
    targets,
)
from .tree_at import law, only_the_targets_change

_DOCS = "https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_at"
_SOURCE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_tree.py"
_NEEDS = {"tree_at"}


@law(
    "a `replace_fn` that ignores its argument does the same as `replace`",
    source=_DOCS,
    needs=_NEEDS,
    case=edits(count=(1, 1)),
    parents=(only_the_targets_change,),
)
def replace_fn_does_what_replace_does(lib, case):
    (value,) = listed(case, case.replace)
    got = lib.tree_at(case.where, case.tree, replace_fn=lambda _: value, is_leaf=case.is_leaf)
    wanted = lib.tree_at(case.where, case.tree, case.replace, is_leaf=case.is_leaf)
    same(got, wanted, identical=True)


@law(
    "`replace_fn` gets the original node: the same structure and the very same leaves",
    source=_DOCS,
    needs=_NEEDS,
    case=targets(count=(1, 1)),
    parents=(only_the_targets_change,),
)
def replace_fn_receives_the_node(lib, case):
    seen = []
    lib.tree_at(case.where, case.tree, replace_fn=seen.append, is_leaf=case.is_leaf)
    same(seen, listed(case, case.where(case.tree)), identical=True)


@law(
    "`replace_fn` is called exactly once for each target",
    source=_DOCS,
    needs=_NEEDS,
    case=targets(),
    parents=(only_the_targets_change,),
)
def replace_fn_is_called_once_a_target(lib, case):
    seen = []
    lib.tree_at(case.where, case.tree, replace_fn=seen.append, is_leaf=case.is_leaf)
    true(len(seen) == len(case.places), seen, f"{len(case.places)} calls")


@law(
    "the result of `replace_fn` takes the place of its node",
    source=_DOCS,
    needs=_NEEDS,
    case=targets(subtrees=False),
    parents=(only_the_targets_change,),
    weight=2,
)
def what_replace_fn_returns_is_put(lib, case):
    def pair(node):
        return [node, "seen"]

    got = lib.tree_at(case.where, case.tree, replace_fn=pair, is_leaf=case.is_leaf)
    pairs = [pair(node) for node in listed(case, case.where(case.tree))]
    values = pairs if case.many else pairs[0]
    wanted = lib.tree_at(case.where, case.tree, values, is_leaf=case.is_leaf)
    same(got, wanted, identical=True)


@law(
    "`where` is called with trees of the same structure as the given tree",
    source=_DOCS,
    needs=_NEEDS,
    case=targets(),
    parents=(only_the_targets_change,),
)
def where_gets_the_structure_of_the_tree(lib, case):
    def where(tree):
        same(jtu.tree_structure(tree, is_leaf=case.is_leaf), wanted)
        return case.where(tree)

    wanted = jtu.tree_structure(case.tree, is_leaf=case.is_leaf)
    lib.tree_at(where, case.tree, replace_fn=lambda node: node, is_leaf=case.is_leaf)


@law(
    "`tree_at` raises ValueError if `where` depends on the leaves",
    source=_DOCS,
    needs=_NEEDS,
    level="should",
    case=leaf_dependent(),
)
def a_selector_that_looks_at_leaves_is_refused(lib, case):
    """The leaves are different objects: a choice between two `1` would not be visible."""
    refuses(ValueError, lambda: lib.tree_at(case.where, case.tree, replace_fn=lambda node: node))


@law(
    "`tree_at` raises TypeError or ValueError if `where` returns something outside of the tree",
    source=f"{_SOURCE}#L236-L240",
    needs=_NEEDS,
    case=strangers(),
    level="should",
)
def a_selector_that_leaves_the_tree_is_refused(lib, case):
    refuses((TypeError, ValueError), lambda: lib.tree_at(case.where, case.tree, case.replace))


@law(
    "`tree_at` raises ValueError if `where` returns both a node and something inside that node",
    source=f"{_SOURCE}#L236-L240",
    needs=_NEEDS,
    case=ancestors(),
    level="should",
)
def a_node_with_its_descendant_is_refused(lib, case):
    refuses(ValueError, lambda: lib.tree_at(case.where, case.tree, ["new", "new"]))


@law(
    "`tree_at` raises ValueError for a target that is a singleton, such as `None`, and occurs"
    " several times",
    source=f"{_SOURCE}#L235-L257",
    needs=_NEEDS,
    case=singletons(),
    level="should",
)
def a_repeated_singleton_is_refused(lib, case):
    refuses(ValueError, lambda: lib.tree_at(lambda tree: tree[case.index], case.tree, "new"))


@law(
    "`tree_at` raises ValueError unless there are as many replacements as targets",
    source=_DOCS,
    needs=_NEEDS,
    level="should",
    case=targets(count=(2, 3)),
)
def another_number_of_replacements_is_refused(lib, case):
    def put(count):
        return lib.tree_at(case.where, case.tree, ["new"] * count, is_leaf=case.is_leaf)

    refuses(ValueError, lambda: put(len(case.places) - 1))
    refuses(ValueError, lambda: put(len(case.places) + 1))


@law(
    "`tree_at` raises ValueError if it gets both `replace` and `replace_fn`",
    source=_DOCS,
    needs=_NEEDS,
    level="should",
    case=edits(),
)
def replace_with_replace_fn_is_refused(lib, case):
    keywords = {"replace_fn": lambda node: node, "is_leaf": case.is_leaf}
    refuses(ValueError, lambda: lib.tree_at(case.where, case.tree, case.replace, **keywords))


@law(
    "`tree_at` raises ValueError if it gets neither `replace` nor `replace_fn`",
    source=_DOCS,
    needs=_NEEDS,
    level="should",
    case=targets(),
)
def no_replacement_is_refused(lib, case):
    refuses(ValueError, lambda: lib.tree_at(case.where, case.tree, is_leaf=case.is_leaf))
