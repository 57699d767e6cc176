"""JAX: the predicate `is_leaf`."""

from __future__ import annotations

import functools
from typing import Any

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.predicates import predicates
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

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
    "is_leaf is asked once about each node and each leaf, the root first",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
    level="should",
)
def is_leaf_is_asked_once_everywhere(lib, case):
    asked = []
    treedef = lib.tree_util.tree_structure(case.tree, lambda node: bool(asked.append(node)))
    true(asked[0] is case.tree, asked[0], "a first question about the root")
    true(len(asked) == _size(treedef), len(asked), f"{_size(treedef)} questions")


@law(
    "is_leaf is asked about leaves from left to right",
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
    "is_leaf is never asked about the inside of a node that it accepted",
    source=_FLATTEN,
    case=predicates(hostile_trees),
    level="should",
)
def is_leaf_is_not_asked_inside_an_accepted_node(lib, case):
    asked = []
    treedef = lib.tree_util.tree_structure(
        case.tree, lambda node: bool(asked.append(node)) or case.is_leaf(node)
    )
    true(len(asked) == _size(treedef), len(asked), f"{_size(treedef)} questions")


@law(
    "each node that is_leaf accepts is a leaf",
    source=_FLATTEN,
    case=predicates(hostile_trees),
)
def what_is_leaf_accepts_is_a_leaf(lib, case):
    accepted = []
    leaves = lib.tree_util.tree_leaves(
        case.tree, lambda node: case.is_leaf(node) and not accepted.append(node)
    )
    rest = iter(leaves)
    true(all(any(node is leaf for leaf in rest) for node in accepted), leaves, "what it accepted")


@law(
    "a root that is_leaf accepts is the only leaf",
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
    "is_leaf stops the descent and filters nothing: what it does not accept is flattened as ever",
    source=_FLATTEN,
    case=predicates(hostile_trees),
)
def is_leaf_filters_nothing(lib, case):
    flatten = lib.tree_util.tree_leaves
    inside = [leaf for node in flatten(case.tree, case.is_leaf) for leaf in flatten(node)]
    same(inside, flatten(case.tree), identical=True)


@law(
    "flattening with is_leaf is undone by unflatten",
    source=f"{_DOCS}/jax.tree.unflatten.html",
    case=predicates(hostile_trees),
)
def flatten_with_is_leaf_is_undone_by_unflatten(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, case.is_leaf)
    same(lib.tree_util.tree_unflatten(treedef, leaves), case.tree, identical=True)


@law(
    "a predicate that always says False is the same as none",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
)
def is_leaf_that_says_false_changes_nothing(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, lambda node: False)
    same(leaves, lib.tree_util.tree_leaves(case.tree), identical=True)
    true(treedef == lib.tree_util.tree_structure(case.tree), treedef, "the plain structure")


@law(
    "a predicate that returns None has said False",
    source=_FLATTEN,
    case=cases(tree=hostile_trees),
    level="observed",
)
def is_leaf_may_return_none(lib, case):
    leaves = lib.tree_util.tree_leaves(case.tree, lambda node: None)
    same(leaves, lib.tree_util.tree_leaves(case.tree), identical=True)


@law(
    "an answer that is neither a bool nor None is refused with a ValueError, by every function",
    source=_FLATTEN,
    case=cases(tree=hostile_trees, answer=expressions(*_NO_BOOLS)),
    level="should",
)
def is_leaf_must_return_a_bool(lib, case):
    answer = lambda node: case.answer
    for function in _functions(lib):
        refuses(ValueError, lambda function=function: function(case.tree, is_leaf=answer))


@law(
    "an error in the predicate reaches the caller unchanged",
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
    "with is_leaf_takes_path the predicate decides as one that ignores the path",
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
    true(treedef == structure, treedef, f"{structure}")


@law(
    "with is_leaf_takes_path the predicate receives the path of the node",
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
        true(asked.count(path) > 0, asked, f"a question at {path}")


def _functions(lib: Any) -> tuple[Any, ...]:
    """List every function that takes `is_leaf`, each as a function of the tree and of that."""
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
