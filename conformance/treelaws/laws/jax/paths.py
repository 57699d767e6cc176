"""JAX: key paths, and flattening by one level."""

from __future__ import annotations

import operator
import pickle
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.predicates import predicates
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true
from treelaws.laws._short_trees import or_short

from ._inputs import expressions, hostile_trees

law = Topic("jax.paths", "JAX: key paths", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary"
_WITH_PATH = f"{_DOCS}/jax.tree.flatten_with_path.html"
_KEYS = "https://docs.jax.dev/en/latest/101/pytrees.html#explicit-key-paths"
# The newer page says less about keys, and does not contradict this one.
_KEY_TYPES = "https://github.com/jax-ml/jax/blob/jax-v0.10.2/docs/pytrees.md#explicit-key-paths"
_TESTS = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"
_LEVEL = f"{_DOCS}/jax.tree_util.flatten_one_level.html"
_ONE_LEVEL = "https://github.com/jax-ml/jax/issues/39297"
# Nodes whose keys JAX itself writes.
_KEYED = (*CONTAINERS, *(kind for kind in NODES if kind.name == "register_dataclass"))
# The only key of a dict needs no order.
_HASHABLE = ("'a'", "0", "None", "1j", "int", "frozenset({1})", "(1, 'a')", "(None,)", "...")
# A NaN, which does not equal itself, is left out: no document says that its key equals itself.
_BY_IDENTITY = ("object()", "lambda: 0")


def _keys(*texts: str) -> st.SearchStrategy[Recipe]:
    return st.sampled_from(
        [Recipe(expression=text, features=frozenset([f"key:{text}"])) for text in texts]
    )


@law(
    "`tree_flatten_with_path` returns the leaves and the structure of `tree_flatten`, in the same "
    "order",
    source=_WITH_PATH,
    case=predicates(hostile_trees),
)
def flatten_with_path_agrees_with_flatten(lib, case):
    pairs, structure = lib.tree_util.tree_flatten_with_path(case.tree, case.is_leaf)
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, case.is_leaf)
    same([leaf for _, leaf in pairs], leaves, identical=True)
    equal(structure, treedef)


@law(
    "`tree_leaves_with_path` returns the pairs of `tree_flatten_with_path`",
    source=f"{_DOCS}/jax.tree.leaves_with_path.html",
    case=predicates(hostile_trees),
)
def leaves_with_path_is_flatten_with_path(lib, case):
    got = lib.tree_util.tree_leaves_with_path(case.tree, case.is_leaf)
    wanted, _ = lib.tree_util.tree_flatten_with_path(case.tree, case.is_leaf)
    same([path for path, _ in got], [path for path, _ in wanted])
    same([leaf for _, leaf in got], [leaf for _, leaf in wanted], identical=True)


@law(
    "the path of a leaf leads to that leaf",
    source=_KEYS,
    case=cases(tree=trees(kinds=_KEYED, history=True)),
)
def path_leads_to_its_leaf(lib, case):
    """Only nodes whose keys JAX writes: keys of a user's class may mean anything."""
    for path, leaf in lib.tree_util.tree_flatten_with_path(case.tree)[0]:
        found = case.tree
        for key in path:
            found = _follow(lib, found, key)
        true(found is leaf, found, f"the leaf at {lib.tree_util.keystr(path)}")


@law(
    "no two leaves have the same path",
    source=_KEY_TYPES,
    case=predicates(hostile_trees),
)
def paths_are_distinct(lib, case):
    """The keys of each node are distinct; JAX promises this for its own types."""
    pairs, _ = lib.tree_util.tree_flatten_with_path(case.tree, case.is_leaf)
    paths = [path for path, _ in pairs]
    true(len(set(paths)) == len(paths), paths, "distinct paths")


@law(
    "`flatten_one_level` returns the children of the root in the order of `treedef_children`",
    source=_LEVEL,
    needs={"tree_util.flatten_one_level"},
    case=cases(tree=or_short(trees(history=True, roots=(*CONTAINERS, *NODES)), leaves=False)),
    level="should",
)
def one_level_has_the_children_of_the_root(lib, case):
    children, _ = lib.tree_util.flatten_one_level(case.tree)
    structures = [lib.tree_util.tree_structure(child) for child in children]
    wanted = lib.tree_util.treedef_children(lib.tree_util.tree_structure(case.tree))
    equal(structures, wanted)


@law(
    "`flatten_one_level_with_keys` returns the first key of each path of `tree_flatten_with_path`",
    source=_ONE_LEVEL,
    needs={"tree_util.flatten_one_level_with_keys"},
    case=cases(tree=trees(history=True), container=trees(kinds=CONTAINERS, roots=CONTAINERS)),
    level="should",
)
def one_level_has_the_first_keys(lib, case):
    flatten = lib.tree_util.tree_flatten_with_path
    for tree in _nodes(lib, [case.tree, case.container]):
        pairs, _ = lib.tree_util.flatten_one_level_with_keys(tree)
        got = [(key, *path) for key, child in pairs for path, _ in flatten(child)[0]]
        same(got, [path for path, _ in flatten(tree)[0]])


@law(
    "`flatten_one_level_with_keys` returns the children and the metadata of `flatten_one_level`",
    source=_ONE_LEVEL,
    needs={"tree_util.flatten_one_level_with_keys", "tree_util.flatten_one_level"},
    case=cases(tree=trees(history=True, roots=(*CONTAINERS, *NODES))),
    level="should",
)
def one_level_is_the_same_with_keys(lib, case):
    pairs, keyed_data = lib.tree_util.flatten_one_level_with_keys(case.tree)
    children, data = lib.tree_util.flatten_one_level(case.tree)
    same([child for _, child in pairs], list(children), identical=True)
    true(bool(keyed_data == data), keyed_data, f"{data}")


@law(
    "`flatten_one_level` raises ValueError for a leaf",
    source=_LEVEL,
    needs={"tree_util.flatten_one_level"},
    case=cases(tree=trees(history=True)),
)
def one_level_refuses_leaves(lib, case):
    for leaf in lib.tree_util.tree_leaves(case.tree):
        refuses(ValueError, lambda leaf=leaf: lib.tree_util.flatten_one_level(leaf))


@law(
    "`flatten_one_level_with_keys` raises ValueError for a leaf",
    source=_TESTS,
    needs={"tree_util.flatten_one_level_with_keys"},
    case=cases(tree=trees(history=True)),
    level="should",
)
def one_level_with_keys_refuses_leaves(lib, case):
    for leaf in lib.tree_util.tree_leaves(case.tree):
        refuses(ValueError, lambda leaf=leaf: lib.tree_util.flatten_one_level_with_keys(leaf))


@law(
    "a key is a `SequenceKey` in lists and tuples, a `DictKey` in dicts, a `GetAttrKey` in "
    "namedtuples",
    source=_KEY_TYPES,
    case=cases(tree=trees(kinds=CONTAINERS, history=True)),
)
def keys_have_the_type_for_their_node(lib, case):
    for node in _nodes(lib, case.tree):
        shallow = lambda inner, node=node: inner is not node
        pairs, _ = lib.tree_util.tree_flatten_with_path(node, shallow)
        wanted = _key_type(lib, node)
        true(all(type(path[0]) is wanted for path, _ in pairs), pairs, wanted.__name__)


@law(
    "pickled and loaded keys equal the originals and have equal hashes",
    source=_TESTS,
    case=cases(tree=trees(kinds=CONTAINERS), key=_keys(*_HASHABLE)),
    level="should",
)
def keys_survive_pickle(lib, case):
    for path, _ in lib.tree_util.tree_flatten_with_path({case.key: [case.tree, 0]})[0]:
        keys = (*path, lib.tree_util.FlattenedIndexKey(len(path)))
        loaded = pickle.loads(pickle.dumps(keys))
        equal(loaded, keys)
        equal(hash(loaded), hash(keys))


@law(
    "a key that is made of the index, the key or the name of another of its type equals it and has "
    "its hash, for any hashable key of a dict that equals itself",
    source=_KEY_TYPES,
    case=cases(tree=trees(kinds=CONTAINERS), key=_keys(*_HASHABLE, *_BY_IDENTITY)),
    level="should",
)
def keys_are_made_of_their_parts(lib, case):
    for path, _ in lib.tree_util.tree_flatten_with_path({case.key: [case.tree, 0]})[0]:
        made = tuple(type(key)(_simple(lib, key)) for key in path)
        equal(made, path)
        equal(hash(made), hash(path))


@law(
    "`keystr(path)` joins the texts of the keys",
    source=f"{_DOCS}/jax.tree_util.keystr.html",
    case=cases(tree=trees()),
)
def keystr_joins_the_keys(lib, case):
    for path, _ in lib.tree_util.tree_flatten_with_path(case.tree)[0]:
        same(lib.tree_util.keystr(path), "".join(map(str, path)))


@law(
    "`keystr(path, separator=...)` puts the separator between the texts of the keys",
    source=f"{_DOCS}/jax.tree_util.keystr.html",
    needs={"keystr_simple"},
    case=cases(tree=trees(), separator=expressions("'/'", "''", "' > '")),
)
def keystr_separates_the_keys(lib, case):
    for path, _ in lib.tree_util.tree_flatten_with_path([case.tree])[0]:
        got = lib.tree_util.keystr(path, separator=case.separator)
        same(got, case.separator.join(map(str, path)))


@law(
    "`keystr(path, simple=True)` writes only the index, key or name of each key",
    source=f"{_DOCS}/jax.tree_util.keystr.html",
    needs={"keystr_simple"},
    case=cases(tree=trees(kinds=_KEYED)),
)
def keystr_writes_simple_keys(lib, case):
    for path, _ in lib.tree_util.tree_flatten_with_path([case.tree])[0]:
        got = lib.tree_util.keystr(path, simple=True, separator="/")
        same(got, "/".join(str(_simple(lib, key)) for key in path))


def _nodes(lib: Any, tree: Any) -> list[Any]:
    nodes = []
    lib.tree_util.tree_leaves(tree, lambda node: bool(nodes.append(node)))
    return [node for node in nodes if not lib.tree_util.all_leaves([node])]


def _key_type(lib: Any, node: Any) -> type:
    if isinstance(node, dict):
        return lib.tree_util.DictKey
    return lib.tree_util.GetAttrKey if hasattr(node, "_fields") else lib.tree_util.SequenceKey


def _simple(lib: Any, key: Any) -> Any:
    if isinstance(key, lib.tree_util.GetAttrKey):
        return key.name
    return key.idx if isinstance(key, lib.tree_util.SequenceKey) else key.key


def _follow(lib: Any, node: Any, key: Any) -> Any:
    if isinstance(key, lib.tree_util.GetAttrKey):
        return getattr(node, key.name)
    if isinstance(key, lib.tree_util.DictKey):
        return node[key.key]
    return operator.getitem(node, key.idx)
