"""JAX: tree prefixes, where they match and where they do not."""

from __future__ import annotations

from typing import Any

from hypothesis_pytrees import trees
from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import refuses, same, true

from ._inputs import (
    builds_another_than_none,
    guarded_mismatches,
    hostile_trees,
    mismatches,
    prefixes,
)

law = Topic("jax.prefix", "JAX: tree prefixes", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary"
_MAP = f"{_DOCS}/jax.tree.map.html"
_MAP_WITH_PATH = f"{_DOCS}/jax.tree.map_with_path.html"
_BROADCAST = f"{_DOCS}/jax.tree.broadcast.html"
# No page documents the errors; JAX's own tests check them.
_MISMATCH = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"
_PLACE = "https://github.com/jax-ml/jax/commit/69a50b7a86408d35f165416d4f352e41dbfb48dd"
_NONE = "https://docs.jax.dev/en/latest/changelog.html#jax-0-4-34-october-4-2024"
_VMAP = "https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html"


@law(
    "`tree_map` pairs each leaf of a prefix with the subtree in its place",
    source=_MAP,
    case=prefixes(),
)
def map_pairs_prefix_leaves_with_subtrees(lib, case):
    subtrees = lib.tree_util.tree_map(lambda leaf, subtree: subtree, case.prefix, case.tree)
    same(subtrees, case.tree, identical=True)
    leaves = lib.tree_util.tree_map(lambda leaf, subtree: leaf, case.prefix, case.tree)
    same(leaves, case.prefix, identical=True)


@law(
    "`tree_map_with_path` pairs each leaf of a prefix with its path and the subtree in its place",
    source=_MAP_WITH_PATH,
    case=prefixes(),
)
def map_with_path_pairs_prefix_leaves_with_subtrees(lib, case):
    keep = lambda path, leaf, subtree: subtree
    same(lib.tree_util.tree_map_with_path(keep, case.prefix, case.tree), case.tree, identical=True)
    paths = lib.tree_util.tree_map_with_path(lambda path, *_: [path], case.prefix, case.tree)
    flat, treedef = lib.tree_util.tree_flatten_with_path(case.prefix)
    same(paths, lib.tree_util.tree_unflatten(treedef, [[path] for path, _ in flat]))


@law(
    "`flatten_up_to` returns one subtree for each leaf of the prefix, and `tree_unflatten` undoes "
    "it",
    source=_MISMATCH,
    case=prefixes(),
    level="should",
)
def flatten_up_to_cuts_at_the_prefix(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.prefix)
    subtrees = treedef.flatten_up_to(case.tree)
    same(len(subtrees), len(leaves))
    same(lib.tree_util.tree_unflatten(treedef, subtrees), case.tree, identical=True)


@law(
    "every tree is a prefix of itself, whatever its leaves are",
    source=_MISMATCH,
    case=cases(tree=hostile_trees),
    level="should",
)
def tree_is_a_prefix_of_itself(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree)
    same(treedef.flatten_up_to(case.tree), leaves, identical=True)


@law(
    "`tree_broadcast(prefix, tree)` puts each leaf of the prefix at every leaf of its subtree",
    source=_BROADCAST,
    needs={"tree_util.tree_broadcast"},
    case=prefixes(),
    weight=2,
)
def broadcast_repeats_prefix_leaves(lib, case):
    fill = lambda leaf, subtree: lib.tree_util.tree_map(lambda _: leaf, subtree)
    wanted = lib.tree_util.tree_map(fill, case.prefix, case.tree)
    same(lib.tree_util.tree_broadcast(case.prefix, case.tree), wanted, identical=True)
    same(lib.tree.broadcast(case.prefix, case.tree), wanted, identical=True)


@law(
    "a node that `is_leaf` accepts matches any subtree, in `tree_map` and in `tree_map_with_path`",
    source=_MAP,
    case=guarded_mismatches(),
)
def accepted_node_matches_any_subtree(lib, case):
    pairs = []
    lib.tree_util.tree_map(
        lambda *pair: pairs.append(pair), case.agreeing, case.wide, is_leaf=case.is_leaf
    )
    found = [other for one, other in pairs if one is case.accepted]
    true(len(found) == 1 and found[0] is case.below, found, "the node at its place")
    keep = lambda path, leaf, subtree: subtree
    got = lib.tree_util.tree_map_with_path(keep, case.agreeing, case.wide, is_leaf=case.is_leaf)
    same(got, case.wide, identical=True)


@law(
    "`flatten_up_to` takes any subtree in the place of a node that `is_leaf` accepted",
    source=_MISMATCH,
    case=guarded_mismatches(),
    level="should",
)
def flatten_up_to_takes_any_subtree_for_an_accepted_node(lib, case):
    nodes, treedef = lib.tree_util.tree_flatten(case.agreeing, case.is_leaf)
    pairs = list(zip(nodes, treedef.flatten_up_to(case.wide), strict=True))
    found = [subtree for node, subtree in pairs if node is case.accepted]
    true(len(found) == 1 and found[0] is case.below, found, "the node at its place")


@law(
    "`tree_broadcast` and `jax.tree.broadcast` repeat a node that `is_leaf` accepts",
    source=_BROADCAST,
    needs={"tree_util.tree_broadcast"},
    case=guarded_mismatches(),
)
def broadcast_repeats_accepted_nodes(lib, case):
    fill = lambda leaf, subtree: lib.tree_util.tree_map(lambda _: leaf, subtree)
    wanted = lib.tree_util.tree_map(fill, case.agreeing, case.wide, is_leaf=case.is_leaf)
    for broadcast in (lib.tree_util.tree_broadcast, lib.tree.broadcast):
        got = broadcast(case.agreeing, case.wide, is_leaf=case.is_leaf)
        same(got, wanted, identical=True)


@law(
    "`None` is an empty container: it is a prefix of `None` and of nothing else",
    source=_NONE,
    case=cases(tree=trees(history=True).filter(builds_another_than_none)),
)
def none_is_a_prefix_of_none_only(lib, case):
    """Only leaves that can be printed, since an error message may print them."""
    same(lib.tree_util.tree_map(lambda *_: 0, None, None), None)
    same(lib.tree_util.tree_map(lambda *_: 0, [None, 1], [None, case.tree]), [None, 0])
    refuses(Exception, lambda: lib.tree_util.tree_map(lambda *_: 0, None, case.tree))
    refuses(Exception, lambda: lib.tree_util.tree_map(lambda *_: 0, [case.tree], None))


@law(
    "`tree_map` raises ValueError if the first tree is not a prefix of the second",
    source=_MISMATCH,
    case=mismatches(),
    level="should",
)
def map_refuses_a_mismatch(lib, case):
    refuses(ValueError, lambda: lib.tree_util.tree_map(_any, case.prefix, case.tree))


@law(
    "`tree_map` raises ValueError for a mismatch even if the repr of a leaf raises",
    source=_PLACE,
    case=mismatches(printable=False),
    level="observed",
    parents=(map_refuses_a_mismatch,),
)
def map_refuses_a_mismatch_of_unprintable_leaves(lib, case):
    refuses(ValueError, lambda: lib.tree_util.tree_map(_any, case.prefix, case.tree))


@law(
    "the error of `tree_map` names the key path where the trees differ",
    source=_PLACE,
    needs={"mismatch_place"},
    case=mismatches(),
    level="should",
    parents=(map_refuses_a_mismatch,),
)
def map_names_the_place(lib, case):
    _names_the_place(case.place, lambda: lib.tree_util.tree_map(_any, case.prefix, case.tree))


@law(
    "`tree_map` finds a mismatch among any number of trees, and its error names the key path",
    source=_PLACE,
    needs={"mismatch_place"},
    case=mismatches(),
    level="should",
    parents=(map_names_the_place,),
)
def map_refuses_a_mismatch_of_a_later_tree(lib, case):
    trees = (case.prefix, case.prefix, case.tree, case.prefix)
    _names_the_place(case.place, lambda: lib.tree_util.tree_map(_any, *trees))


@law(
    "`tree_map_with_path` raises ValueError if the first tree is not a prefix of the second",
    source=_MISMATCH,
    case=mismatches(),
    level="should",
    parents=(map_refuses_a_mismatch,),
)
def map_with_path_refuses_a_mismatch(lib, case):
    refuses(ValueError, lambda: lib.tree_util.tree_map_with_path(_any, case.prefix, case.tree))


@law(
    "the error of `tree_map_with_path` names the key path where the trees differ",
    source=_PLACE,
    needs={"mismatch_place"},
    case=mismatches(),
    level="should",
    parents=(map_with_path_refuses_a_mismatch, map_names_the_place),
)
def map_with_path_names_the_place(lib, case):
    _names_the_place(
        case.place, lambda: lib.tree_util.tree_map_with_path(_any, case.prefix, case.tree)
    )


@law(
    "`tree_map_with_path` with `is_leaf_takes_path` raises ValueError if the first tree is not a "
    "prefix of the second",
    source=_MISMATCH,
    needs={"is_leaf_takes_path"},
    case=mismatches(where=True),
    level="should",
    parents=(map_with_path_refuses_a_mismatch,),
)
def map_with_path_refuses_a_mismatch_with_path_predicate(lib, case):
    options = {"is_leaf": case.where, "is_leaf_takes_path": True}
    call = lambda: lib.tree_util.tree_map_with_path(_any, case.prefix, case.tree, **options)
    refuses(ValueError, call)


@law(
    "`tree_broadcast` raises ValueError if the first tree is not a prefix of the second",
    source=_MISMATCH,
    needs={"tree_util.tree_broadcast"},
    case=mismatches(),
    level="should",
)
def broadcast_refuses_a_mismatch(lib, case):
    refuses(ValueError, lambda: lib.tree_util.tree_broadcast(case.prefix, case.tree))


@law(
    "`tree_broadcast` raises ValueError for a mismatch even if the repr of a leaf raises",
    source=_PLACE,
    needs={"tree_util.tree_broadcast"},
    case=mismatches(printable=False),
    level="observed",
    parents=(broadcast_refuses_a_mismatch,),
)
def broadcast_refuses_a_mismatch_of_unprintable_leaves(lib, case):
    refuses(ValueError, lambda: lib.tree_util.tree_broadcast(case.prefix, case.tree))


@law(
    "the error of `tree_broadcast` names the key path where the trees differ",
    source=_MISMATCH,
    needs={"tree_util.tree_broadcast"},
    case=mismatches(),
    level="should",
    parents=(broadcast_refuses_a_mismatch,),
)
def broadcast_names_the_place(lib, case):
    _names_the_place(case.place, lambda: lib.tree_util.tree_broadcast(case.prefix, case.tree))


@law(
    "`treedef.flatten_up_to(tree)` raises ValueError if `treedef` is not a prefix of the tree",
    source=_MISMATCH,
    case=mismatches(),
    level="should",
)
def flatten_up_to_refuses_a_mismatch(lib, case):
    treedef = lib.tree_util.tree_structure(case.prefix)
    refuses(ValueError, lambda: treedef.flatten_up_to(case.tree))


@law(
    "`treedef.flatten_up_to(tree)` raises ValueError for a mismatch even if the repr of a leaf "
    "raises",
    source=_PLACE,
    case=mismatches(printable=False),
    level="observed",
    parents=(flatten_up_to_refuses_a_mismatch,),
)
def flatten_up_to_refuses_a_mismatch_of_unprintable_leaves(lib, case):
    treedef = lib.tree_util.tree_structure(case.prefix)
    refuses(ValueError, lambda: treedef.flatten_up_to(case.tree))


@law(
    "the error of `tree_map` names the place of the mismatch, not the place of a node that "
    "`is_leaf` accepts",
    source=_PLACE,
    needs={"mismatch_place"},
    case=guarded_mismatches(),
    level="should",
    parents=(map_names_the_place,),
)
def map_names_no_place_that_is_leaf_accepts(lib, case):
    map = lib.tree_util.tree_map
    _names_the_place(case.place, lambda: map(_any, case.prefix, case.tree, is_leaf=case.is_leaf))


@law(
    "the error of `tree_broadcast` names the place of the mismatch, not the place of a node that "
    "`is_leaf` accepts",
    source=_MISMATCH,
    needs={"tree_util.tree_broadcast"},
    case=guarded_mismatches(),
    level="should",
    parents=(broadcast_names_the_place,),
)
def broadcast_names_no_place_that_is_leaf_accepts(lib, case):
    broadcast = lib.tree_util.tree_broadcast
    _names_the_place(case.place, lambda: broadcast(case.prefix, case.tree, is_leaf=case.is_leaf))


@law(
    "`vmap` raises ValueError if `in_axes` is not a prefix of the arguments",
    source=_VMAP,
    case=mismatches(nones=False),
    level="should",
)
def vmap_refuses_axes_that_are_no_prefix(lib, case):
    """No `None` in the axes: it means "not mapped" and matches any subtree."""
    axes = lib.tree_util.tree_map(lambda _: 0, case.prefix)
    wide = lib.tree_util.tree_map(lambda _: lib.numpy.zeros((2,)), case.tree)
    refuses(ValueError, lambda: lib.vmap(lambda tree: tree, in_axes=(axes,))(wide))


def _any(*_: Any) -> int:
    return 0


def _names_the_place(place: str, call: Any) -> None:
    """Demand that `call` raises ValueError with the key path at the end of a line."""
    try:
        value = call()
    except ValueError as raised:
        lines = [line.strip() for line in str(raised).splitlines()]
        if not any(line.endswith(f"tree{place}") for line in lines):
            raise Mismatch("", "message", " / ".join(lines), f"the place {place!r}") from raised
        return
    raise Mismatch("", "no error", shown(value), f"a ValueError that names {place!r}")
