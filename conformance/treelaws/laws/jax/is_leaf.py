"""JAX: the predicate `is_leaf`."""

from __future__ import annotations

import functools
from typing import Any

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.predicates import predicates
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._inputs import expressions, hostile_trees

law = Topic("jax.is_leaf", "JAX: the predicate is_leaf", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary"
_FLATTEN = f"{_DOCS}/jax.tree.flatten.html"
_TESTS = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"
_NO_BOOLS = (
    "1",
    "0",
    "0.0",
    "''",
    "'yes'",
    "[]",
    "np.bool_(True)",
    "np.array(True)",
    "jnp.asarray(False)",
    "object",
)


class _Refused(Exception):
    """Raised by a predicate."""


@law(
    "flattening calls `is_leaf` once for each node and each leaf, the root first",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
    level="should",
)
def is_leaf_is_asked_once_everywhere(lib, case):
    asked = []
    treedef = lib.tree_util.tree_structure(case.tree, lambda node: bool(asked.append(node)))
    true(asked[0] is case.tree, asked[0], "a first call for the root")
    equal(len(asked), _size(treedef))


@law(
    "flattening calls `is_leaf` for the leaves from left to right",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
    level="should",
)
def is_leaf_is_asked_from_left_to_right(lib, case):
    asked = []
    leaves = lib.tree_util.tree_leaves(case.tree, lambda node: bool(asked.append(node)))
    rest = iter(asked)
    true(all(any(leaf is node for node in rest) for leaf in leaves), asked, "the leaves in order")


@law(
    "flattening never calls `is_leaf` inside a node that it accepted",
    source=_FLATTEN,
    case=predicates(hostile_trees),
    level="should",
)
def is_leaf_is_not_asked_inside_an_accepted_node(lib, case):
    asked = []
    treedef = lib.tree_util.tree_structure(
        case.tree, lambda node: bool(asked.append(node)) or case.is_leaf(node)
    )
    equal(len(asked), _size(treedef))


@law(
    "each node that `is_leaf` accepts is a leaf",
    source=_FLATTEN,
    case=predicates(hostile_trees),
)
def what_is_leaf_accepts_is_a_leaf(lib, case):
    accepted = []
    leaves = lib.tree_util.tree_leaves(
        case.tree, lambda node: case.is_leaf(node) and not accepted.append(node)
    )
    rest = iter(leaves)
    true(all(any(node is leaf for leaf in rest) for node in accepted), leaves, "the accepted nodes")


@law(
    "if `is_leaf` accepts the root, the root is the only leaf",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
)
def accepted_root_is_the_only_leaf(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, lambda node: True)
    true(len(leaves) == 1 and leaves[0] is case.tree, leaves, "the root")
    same(lib.tree_util.treedef_children(treedef), [])
    leaves = lib.tree_util.tree_leaves(case.tree, lambda node: True)
    true(len(leaves) == 1 and leaves[0] is case.tree, leaves, "the root")


@law(
    "`is_leaf` stops the descent and filters nothing: nodes that it does not accept are flattened "
    "as usual",
    source=_FLATTEN,
    case=predicates(hostile_trees),
)
def is_leaf_filters_nothing(lib, case):
    flatten = lib.tree_util.tree_leaves
    inside = [leaf for node in flatten(case.tree, case.is_leaf) for leaf in flatten(node)]
    same(inside, flatten(case.tree), identical=True)


@law(
    "`tree_unflatten` undoes `tree_flatten` with `is_leaf`",
    source=f"{_DOCS}/jax.tree.unflatten.html",
    case=predicates(hostile_trees),
)
def flatten_with_is_leaf_is_undone_by_unflatten(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, case.is_leaf)
    same(lib.tree_util.tree_unflatten(treedef, leaves), case.tree, identical=True)


@law(
    "an `is_leaf` that always returns `False` changes nothing",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
)
def is_leaf_that_says_false_changes_nothing(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, lambda node: False)
    same(leaves, lib.tree_util.tree_leaves(case.tree), identical=True)
    equal(treedef, lib.tree_util.tree_structure(case.tree))


@law(
    "an `is_leaf` that always returns `None` changes nothing",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
    level="observed",
)
def is_leaf_may_return_none(lib, case):
    leaves = lib.tree_util.tree_leaves(case.tree, lambda node: None)
    same(leaves, lib.tree_util.tree_leaves(case.tree), identical=True)


@law(
    "every function raises ValueError if `is_leaf` returns neither a bool nor `None`",
    source=_FLATTEN,
    case=cases(tree=hostile_trees, answer=expressions(*_NO_BOOLS)),
    level="should",
)
def is_leaf_must_return_a_bool(lib, case):
    answer = lambda node: case.answer
    for function in _functions(lib):
        refuses(ValueError, lambda function=function: function(case.tree, is_leaf=answer))


@law(
    "an error raised in `is_leaf` reaches the caller unchanged",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
    level="should",
)
def error_in_is_leaf_reaches_the_caller(lib, case):
    def is_leaf(node):
        raise _Refused

    for function in _functions(lib):
        refuses(_Refused, lambda function=function: function(case.tree, is_leaf=is_leaf))


@law(
    "with `is_leaf_takes_path`, a predicate that ignores the path accepts the same nodes as "
    "without",
    source=_TESTS,
    needs={"is_leaf_takes_path"},
    case=predicates(hostile_trees),
    level="should",
)
def is_leaf_with_path_decides_as_without(lib, case):
    flatten = lib.tree_util.tree_flatten_with_path
    pairs, treedef = flatten(
        case.tree, lambda path, node: case.is_leaf(node), is_leaf_takes_path=True
    )
    wanted, structure = flatten(case.tree, case.is_leaf)
    same([leaf for _, leaf in pairs], [leaf for _, leaf in wanted], identical=True)
    equal(treedef, structure)


@law(
    "with `is_leaf_takes_path`, `is_leaf` receives the path of each node",
    source=_TESTS,
    needs={"is_leaf_takes_path"},
    case=cases(tree=hostile_trees),
    level="should",
)
def is_leaf_receives_the_path(lib, case):
    asked = []
    pairs, _ = lib.tree_util.tree_flatten_with_path(
        case.tree, lambda path, node: bool(asked.append(path)), is_leaf_takes_path=True
    )
    true(asked[0] == (), asked[0], "an empty path for the root")
    for path, _ in pairs:
        true(asked.count(path) > 0, asked, f"a call with the path {path}")


@law(
    "with `is_leaf_takes_path`, the functions of `jax.tree` and `jax.tree_util` that know paths "
    "stop at the same nodes",
    source=_TESTS,
    level="should",
    needs={"is_leaf_takes_path", "tree.flatten_with_path"},
    case=predicates(hostile_trees),
    parents=[is_leaf_with_path_decides_as_without],
)
def is_leaf_with_path_is_one_for_all(lib, case):
    accepts = lambda path, node: len(path) == 2 or case.is_leaf(node)
    options = {"is_leaf": accepts, "is_leaf_takes_path": True}
    wanted, treedef = lib.tree_util.tree_flatten_with_path(case.tree, **options)
    pairs, structure = lib.tree.flatten_with_path(case.tree, **options)
    equal(structure, treedef)
    for found in (pairs, *(function(case.tree, **options) for function in _with_path(lib))):
        same([path for path, _ in found], [path for path, _ in wanted])
        same([leaf for _, leaf in found], [leaf for _, leaf in wanted], identical=True)


def _with_path(lib: Any) -> tuple[Any, ...]:
    """Return the functions whose result is, or becomes here, the pairs of paths and leaves."""
    mapping = (lib.tree.map_with_path, lib.tree_util.tree_map_with_path)
    return (
        lib.tree.leaves_with_path,
        lib.tree_util.tree_leaves_with_path,
        *(functools.partial(_paired, map_with_path) for map_with_path in mapping),
    )


def _paired(map_with_path: Any, tree: Any, **options: Any) -> list[Any]:
    """Return the arguments of the function that is mapped."""
    seen: list[Any] = []
    map_with_path(lambda *given: seen.append(given) or given[1], tree, **options)
    return seen


def _functions(lib: Any) -> tuple[Any, ...]:
    """Return every function with `is_leaf`, each as a function of the tree and `is_leaf`."""
    util, one = lib.tree_util, lambda *_: 1
    names = ("tree_flatten", "tree_leaves", "tree_structure", "tree_flatten_with_path", "tree_all")
    mapping = (util.tree_map, util.tree_map_with_path)
    return (
        *(getattr(util, name) for name in (*names, "tree_leaves_with_path")),
        *(functools.partial(function, one) for function in mapping),
        lambda tree, is_leaf: util.tree_reduce(one, tree, 0, is_leaf=is_leaf),
    )


def _size(treedef: Any) -> int:
    """Count the nodes of a structure, leaves included."""
    return 1 + sum(map(_size, treedef.children()))
