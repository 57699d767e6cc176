"""Nodes: key paths."""

from __future__ import annotations

import copy

from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._inputs import instances, with_predicate
from .flatten import unflatten_accepts_documented_placeholders, unflatten_undoes_flatten

law = Topic("node.keys", "Nodes: key paths", family="node")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_FLATTEN = f"{_API}/jax.tree.flatten_with_path.html"
_REGISTER = f"{_API}/jax.tree_util.register_pytree_with_keys.html"
_ONE_LEVEL = f"{_API}/jax.tree_util.flatten_one_level_with_keys.html"
# "the sequence of keys you'd follow to reach it from the root"
_PATHS = "https://docs.jax.dev/en/latest/101/pytrees.html#explicit-key-paths"
_KEYSTR = f"{_API}/jax.tree_util.keystr.html"


def _any_instance(subject):
    return cases(node=instances(subject))


@law(
    "`tree_flatten_with_path` returns the leaves of `tree_flatten`, in the same order",
    source=_REGISTER,
    case=_any_instance,
)
def flatten_with_path_gives_the_leaves_of_flatten(lib, case):
    with_path = lib.tree_util.tree_flatten_with_path(case.node)[0]
    leaves = lib.tree_util.tree_leaves(case.node)
    same([leaf for _, leaf in with_path], leaves, identical=True)


@law(
    "`tree_flatten_with_path` returns the treedef of `tree_flatten`",
    source=_REGISTER,
    case=_any_instance,
)
def flatten_with_path_gives_the_treedef_of_flatten(lib, case):
    treedef = lib.tree_util.tree_flatten_with_path(case.node)[1]
    wanted = lib.tree_util.tree_structure(case.node)
    equal(treedef, wanted)


@law(
    "with any `is_leaf`, `tree_flatten_with_path` returns the leaves and the treedef of "
    "`tree_flatten`",
    source=_FLATTEN,
    case=with_predicate,
    parents=[
        flatten_with_path_gives_the_leaves_of_flatten,
        flatten_with_path_gives_the_treedef_of_flatten,
    ],
)
def flatten_with_path_agrees_under_is_leaf(lib, case):
    with_path, treedef = lib.tree_util.tree_flatten_with_path(case.tree, is_leaf=case.is_leaf)
    leaves, wanted = lib.tree_util.tree_flatten(case.tree, is_leaf=case.is_leaf)
    equal(treedef, wanted)
    same([leaf for _, leaf in with_path], leaves, identical=True)


@law(
    "`tree_map_with_path` of the identity returns an equal node with the same leaf objects",
    source=f"{_API}/jax.tree.map_with_path.html",
    case=_any_instance,
    parents=[flatten_with_path_gives_the_leaves_of_flatten, unflatten_undoes_flatten],
)
def identity_map_with_path_is_the_identity(lib, case):
    back = lib.tree_util.tree_map_with_path(lambda _, leaf: leaf, case.node)
    same(back, case.node, identical=True)


@law(
    "nodes that are built alike have equal key paths with equal hashes",
    source=_PATHS,
    level="should",
    case=_any_instance,
)
def equal_builds_have_equal_paths(lib, case):
    """Key entries of a user's class must have a hash and a text; they are compared by value."""
    one, other = (
        lib.tree_util.tree_flatten_with_path(n)[0] for n in (case.node, case.rebuild().node)
    )
    mine, theirs = [path for path, _ in one], [path for path, _ in other]
    true(mine == theirs, mine, f"{theirs}")
    equal(list(map(hash, mine)), list(map(hash, theirs)))


@law(
    "`flatten_one_level_with_keys` returns the children of `flatten_one_level`, in the same order",
    source=_ONE_LEVEL,
    level="should",
    needs={"tree_util.flatten_one_level_with_keys"},
    case=_any_instance,
)
def one_level_with_keys_gives_the_children(lib, case):
    pairs, _ = lib.tree_util.flatten_one_level_with_keys(case.node)
    children, _ = lib.tree_util.flatten_one_level(case.node)
    same([child for _, child in pairs], list(children), identical=True)


@law(
    "`flatten_one_level_with_keys` returns the keys that `tree_flatten_with_path` gives the "
    "children",
    source=_ONE_LEVEL,
    level="should",
    needs={"tree_util.flatten_one_level_with_keys"},
    case=_any_instance,
    parents=[equal_builds_have_equal_paths],
)
def one_level_has_the_keys_of_the_paths(lib, case):
    pairs, _ = lib.tree_util.flatten_one_level_with_keys(case.node)
    keys = [(key,) for key, _ in pairs]
    equal(keys, [path for path, _ in _one_level(lib, case.node)])


@law(
    "the children of a node have distinct keys",
    source=_PATHS,
    level="should",
    case=_any_instance,
)
def sibling_keys_are_distinct(lib, case):
    """JAX promises this for built-in nodes; otherwise two leaves could have the same path."""
    keys = [path[-1] for path, _ in _one_level(lib, case.node)]
    true(len(set(keys)) == len(keys), keys, "keys that tell the children apart")


@law(
    "`keystr` gives no two leaves of a node the same text",
    source=_KEYSTR,
    level="should",
    case=_any_instance,
    parents=[sibling_keys_are_distinct],
)
def keystr_is_injective(lib, case):
    paths = _paths(lib, case.node)
    printed = [lib.tree_util.keystr(path) for path in paths]
    true(len(set(printed)) == len(set(paths)), printed, f"one text for each of {paths}")


@law(
    "the path of a leaf leads to that leaf",
    source=_PATHS,
    case=_any_instance,
    parents=[flatten_with_path_gives_the_leaves_of_flatten],
)
def path_leads_to_the_leaf(lib, case):
    """`GetAttrKey` by attribute; `DictKey` and `SequenceKey` by item where the node has items.

    A `FlattenedIndexKey` counts children, and a key entry of a user's class may mean anything:
    before such a key, the path must lead to an object that contains the leaf.
    """
    for path, leaf in lib.tree_util.tree_flatten_with_path(case.node)[0]:
        found, whole = _followed(lib, case.node, path)
        inside = [found] if whole else lib.tree_util.tree_leaves(found)
        there = any(one is leaf for one in inside)
        true(there, found, f"{leaf!r}, the leaf at {lib.tree_util.keystr(path)}")


@law(
    "the path of a leaf is the key of its child, followed by the path within the child",
    source=_PATHS,
    level="should",
    case=_any_instance,
    parents=[equal_builds_have_equal_paths],
)
def path_is_a_key_and_the_path_within_the_child(lib, case):
    """Key entries of a user's class are compared by value."""
    wanted = [
        (*path, *rest)
        for path, child in _one_level(lib, case.node)
        for rest, _ in lib.tree_util.tree_flatten_with_path(child)[0]
    ]
    equal(_paths(lib, case.node), wanted)


@law(
    "a deep copy of a key entry equals the original and has the same hash",
    source=_PATHS,
    level="should",
    case=_any_instance,
    parents=[equal_builds_have_equal_paths],
)
def key_entries_can_be_copied(lib, case):
    keys = [key for path in _paths(lib, case.node) for key in path]
    copies = [copy.deepcopy(key) for key in keys]
    equal(copies, keys)
    equal(list(map(hash, copies)), list(map(hash, keys)))


@law(
    "key paths do not depend on the leaves",
    source=_PATHS,
    level="should",
    case=_any_instance,
    parents=[equal_builds_have_equal_paths, unflatten_accepts_documented_placeholders],
)
def paths_depend_on_no_leaf(lib, case):
    """Each leaf is replaced by `object()`, which JAX documents as a placeholder."""
    blank = lib.tree_util.tree_map(lambda _: object(), case.node)
    equal(_paths(lib, blank), _paths(lib, case.node))


def _paths(lib, node):
    return [path for path, _ in lib.tree_util.tree_flatten_with_path(node)[0]]


def _one_level(lib, node):
    pairs = lib.tree_util.tree_flatten_with_path(node, is_leaf=lambda part: part is not node)[0]
    return [(path, child) for path, child in pairs if path]


def _followed(lib, node, path):
    """Follow a path up to a key of unknown meaning; return the object and whether it is the end."""
    for key in path:
        if isinstance(key, lib.tree_util.GetAttrKey):
            node = getattr(node, key.name)
        elif isinstance(key, lib.tree_util.DictKey) and hasattr(node, "__getitem__"):
            node = node[key.key]
        elif isinstance(key, lib.tree_util.SequenceKey) and hasattr(node, "__getitem__"):
            node = node[key.idx]
        else:
            return node, False
    return node, True
