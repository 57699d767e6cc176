"""JAX: `tree_flatten`, `tree_leaves`, `tree_map`, `tree_reduce` and how they agree."""

from __future__ import annotations

import functools

from hypothesis_pytrees import CONTAINERS, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.predicates import predicates
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._inputs import expressions, hostile_trees, replaceable_trees

law = Topic("jax.map", "JAX: flatten, map and reduce", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary"
_MODULE = "https://docs.jax.dev/en/latest/jax.tree.html"


class _Refused(Exception):
    """Raised by a mapped function."""


@law(
    "`tree_leaves` and `tree_structure` return the two halves of `tree_flatten`",
    source=f"{_DOCS}/jax.tree.flatten.html",
    case=predicates(hostile_trees),
)
def leaves_and_structure_are_the_halves_of_flatten(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, case.is_leaf)
    same(lib.tree_util.tree_leaves(case.tree, case.is_leaf), leaves, identical=True)
    structure = lib.tree_util.tree_structure(case.tree, case.is_leaf)
    equal(structure, treedef)


@law(
    "`tree_unflatten(treedef, leaves)` undoes `tree_flatten` for any iterable of leaves, and looks "
    "at no leaf",
    source=f"{_DOCS}/jax.tree.unflatten.html",
    case=cases(tree=hostile_trees),
)
def unflatten_undoes_flatten(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree)
    for iterable in (list, tuple, iter):
        got = lib.tree_util.tree_unflatten(treedef, iterable(leaves))
        same(got, case.tree, identical=True)


@law(
    "`tree_unflatten` raises ValueError for too few or too many leaves",
    source=f"{_DOCS}/jax.tree.unflatten.html",
    case=cases(tree=hostile_trees),
    level="should",
)
def unflatten_refuses_another_number_of_leaves(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree)
    refuses(ValueError, lambda: lib.tree_util.tree_unflatten(treedef, [*leaves, 0]))
    refuses(
        ValueError, lambda: lib.tree_util.tree_unflatten(treedef, leaves[1:] if leaves else [0])
    )


@law(
    "`tree_map(f, tree)` puts `f(leaf)` in the place of each leaf and keeps the structure",
    source=f"{_DOCS}/jax.tree.map.html",
    case=predicates(replaceable_trees),
)
def map_is_flatten_apply_unflatten(lib, case):
    mapped = lib.tree_util.tree_map(lambda leaf: ("of", leaf), case.tree, is_leaf=case.is_leaf)
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, case.is_leaf)
    wanted = lib.tree_util.tree_unflatten(treedef, [("of", leaf) for leaf in leaves])
    same(mapped, wanted, identical=True)


@law(
    "`tree_map` calls the function once for each leaf, in the order of `tree_leaves`",
    source=f"{_DOCS}/jax.tree.map.html",
    case=predicates(replaceable_trees),
    level="should",
)
def map_calls_the_function_once_a_leaf(lib, case):
    seen = []
    lib.tree_util.tree_map(lambda leaf: seen.append(leaf), case.tree, is_leaf=case.is_leaf)
    leaves = lib.tree_util.tree_leaves(case.tree, case.is_leaf)
    true(_identical(seen, leaves), seen, "the leaves in order")


@law(
    "`tree_map` over several trees passes the leaves at the same position to the function",
    source=f"{_DOCS}/jax.tree.map.html",
    case=predicates(replaceable_trees),
)
def map_over_several_trees_pairs_the_leaves(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, case.is_leaf)
    numbers = lib.tree_util.tree_unflatten(treedef, range(len(leaves)))
    labels = lib.tree_util.tree_unflatten(treedef, [f"{n}" for n in range(len(leaves))])
    seen = []
    lib.tree_util.tree_map(
        lambda *found: seen.append(found), case.tree, numbers, labels, is_leaf=case.is_leaf
    )
    wanted = [(leaf, number, f"{number}") for number, leaf in enumerate(leaves)]
    true(all(got[0] is leaf for got, leaf in zip(seen, leaves, strict=True)), seen, "the leaves")
    same([found[1:] for found in seen], [found[1:] for found in wanted])


@law(
    "`tree_map_with_path` passes the paths and leaves of `tree_flatten_with_path` to the function",
    source=f"{_DOCS}/jax.tree.map_with_path.html",
    case=predicates(replaceable_trees),
)
def map_with_path_is_map_over_paths(lib, case):
    pairs, treedef = lib.tree_util.tree_flatten_with_path(case.tree, case.is_leaf)
    paths = lib.tree_util.tree_map_with_path(
        lambda path, leaf, other: ((path,), leaf is other),
        case.tree,
        case.tree,
        is_leaf=lambda node: case.is_leaf(node),
    )
    wanted = lib.tree_util.tree_unflatten(treedef, [((path,), True) for path, _ in pairs])
    same(paths, wanted)


@law(
    "`tree_reduce` folds the leaves from the left, from the initial value if there is one",
    source=f"{_DOCS}/jax.tree.reduce.html",
    case=predicates(replaceable_trees),
)
def reduce_folds_the_leaves(lib, case):
    leaves = lib.tree_util.tree_leaves(case.tree, case.is_leaf)
    folded = lib.tree_util.tree_reduce(
        lambda found, leaf: [*found, leaf], case.tree, [], is_leaf=case.is_leaf
    )
    true(_identical(folded, leaves), folded, "the leaves")
    nested = functools.reduce(lambda left, right: (left, right), [*leaves, "end"])
    ends = [case.tree, "end"]
    predicate = lambda node: node is not ends and case.is_leaf(node)
    got = lib.tree_util.tree_reduce(lambda left, right: (left, right), ends, is_leaf=predicate)
    same(got, nested, identical=True)


@law(
    "`tree_reduce` without an initial value raises TypeError for a tree without leaves",
    source="https://docs.python.org/3/library/functools.html#functools.reduce",
    case=cases(tree=expressions("()", "None", "{'a': [], 'b': None}", "jtu.Partial(max)")),
    level="should",
)
def reduce_of_nothing_needs_an_initial_value(lib, case):
    refuses(TypeError, lambda: lib.tree_util.tree_reduce(max, case.tree))
    same(lib.tree_util.tree_reduce(max, case.tree, None), None)


@law(
    "`tree_reduce_associative` combines every leaf once, in order, and returns the identity if "
    "there are none",
    source=f"{_DOCS}/jax.tree.reduce_associative.html",
    needs={"tree_util.tree_reduce_associative"},
    case=predicates(replaceable_trees),
)
def reduce_associative_combines_the_leaves(lib, case):
    got = lib.tree_util.tree_reduce_associative(
        _joined, case.tree, identity=_Joined([]), is_leaf=case.is_leaf
    )
    leaves = lib.tree_util.tree_leaves(case.tree, case.is_leaf)
    true(_identical(_items(got), leaves), got, "the leaves in order")


@law(
    "`tree_reduce_associative` needs no identity if the tree has leaves",
    source=f"{_DOCS}/jax.tree.reduce_associative.html",
    needs={"tree_util.tree_reduce_associative"},
    case=predicates(replaceable_trees),
)
def reduce_associative_needs_no_identity_for_leaves(lib, case):
    ends = [case.tree, "end"]
    predicate = lambda node: node is not ends and case.is_leaf(node)
    got = lib.tree_util.tree_reduce_associative(_joined, ends, is_leaf=predicate)
    leaves = [*lib.tree_util.tree_leaves(case.tree, case.is_leaf), "end"]
    true(_identical(_items(got), leaves), got, "the leaves in order")


@law(
    "`tree_reduce_associative` uses the identity only for a tree without leaves",
    source=f"{_DOCS}/jax.tree.reduce_associative.html",
    needs={"tree_util.tree_reduce_associative"},
    case=predicates(replaceable_trees),
)
def reduce_associative_uses_the_identity_for_nothing_else(lib, case):
    ends, identity = [case.tree, "end"], _Joined(["identity"])
    predicate = lambda node: node is not ends and case.is_leaf(node)
    got = lib.tree_util.tree_reduce_associative(_joined, ends, identity=identity, is_leaf=predicate)
    leaves = [*lib.tree_util.tree_leaves(case.tree, case.is_leaf), "end"]
    true(_identical(_items(got), leaves), got, "the leaves in order")


@law(
    "`tree_all(tree)` is `all(tree_leaves(tree))`",
    source=f"{_DOCS}/jax.tree.all.html",
    case=cases(tree=trees(history=True)),
)
def all_is_all_of_the_leaves(lib, case):
    truths = lib.tree_util.tree_map(lambda leaf: bool(leaf is not None), case.tree)
    leaves, treedef = lib.tree_util.tree_flatten(truths)
    same(lib.tree_util.tree_all(truths), True)
    for index in range(len(leaves)):
        falsy = [*leaves[:index], 0, *leaves[index + 1 :]]
        same(lib.tree_util.tree_all(lib.tree_util.tree_unflatten(treedef, falsy)), False)


@law(
    "`tree_all` tests the truth of a node that `is_leaf` accepts, not of the leaves inside it",
    source=f"{_DOCS}/jax.tree.all.html",
    case=cases(tree=replaceable_trees),
)
def all_asks_accepted_nodes_for_their_truth(lib, case):
    leafless = not lib.tree_util.tree_leaves(case.tree)
    for node in ([0], [], (1,)):
        tree = lib.tree_util.tree_map(lambda _, node=node: node, case.tree)
        got = lib.tree_util.tree_all(tree, is_leaf=lambda found, node=node: found is node)
        same(got, bool(node) or leafless)


@law(
    "`all_leaves(elements)` says whether every element is a leaf",
    source=f"{_DOCS}/jax.tree_util.all_leaves.html",
    case=cases(tree=hostile_trees),
)
def all_leaves_knows_leaves_from_nodes(lib, case):
    leaves = lib.tree_util.tree_leaves(case.tree)
    is_leaf = len(leaves) == 1 and leaves[0] is case.tree
    for iterable in (list, tuple):
        same(lib.tree_util.all_leaves(iterable(leaves)), True)
        same(lib.tree_util.all_leaves(iterable([*leaves, case.tree])), is_leaf)


@law(
    "`all_leaves(leaves, is_leaf)` is `True` for the leaves of a tree that was flattened with that "
    "`is_leaf`",
    source=f"{_DOCS}/jax.tree_util.all_leaves.html",
    case=predicates(hostile_trees),
    level="should",
)
def all_leaves_agrees_with_flatten_on_is_leaf(lib, case):
    leaves = lib.tree_util.tree_leaves(case.tree, case.is_leaf)
    same(lib.tree_util.all_leaves(leaves, case.is_leaf), True)


@law(
    "`all_leaves(elements, is_leaf)` says whether each element, flattened with that `is_leaf`, is "
    "its own only leaf, whatever the leaves are",
    source=f"{_DOCS}/jax.tree_util.all_leaves.html",
    case=predicates(hostile_trees),
    level="should",
)
def all_leaves_with_is_leaf_knows_leaves_from_nodes(lib, case):
    flatten = lambda element: lib.tree_util.tree_leaves(element, case.is_leaf)
    leaves = flatten(case.tree)
    alone = len(leaves) == 1 and leaves[0] is case.tree
    for elements in ([case.tree], [case.tree, *leaves], [*leaves, case.tree]):
        same(lib.tree_util.all_leaves(elements, case.is_leaf), alone)


@law(
    "`is_tree_node(type)` says whether instances of the type are nodes",
    source=f"{_DOCS}/jax.tree_util.is_tree_node.html",
    needs={"tree_util.is_tree_node"},
    case=cases(tree=hostile_trees, container=trees(roots=CONTAINERS)),
)
def is_tree_node_knows_node_types(lib, case):
    nodes = []
    both = [case.tree, case.container]
    lib.tree_util.tree_leaves(both, lambda node: bool(nodes.append(node)))
    for node in nodes:
        is_leaf = lib.tree_util.all_leaves([node])
        same(lib.tree_util.is_tree_node(type(node)), not is_leaf)


@law(
    "`jax.tree.leaves`, `structure` and `flatten` return the same as `tree_leaves`, "
    "`tree_structure` and `tree_flatten`",
    source=_MODULE,
    case=predicates(replaceable_trees),
)
def tree_flattens_as_tree_util(lib, case):
    short, tree, is_leaf = lib.tree, case.tree, case.is_leaf
    leaves, treedef = lib.tree_util.tree_flatten(tree, is_leaf)
    same(short.leaves(tree, is_leaf), leaves, identical=True)
    same(short.flatten(tree, is_leaf)[0], leaves, identical=True)
    equal(short.flatten(tree, is_leaf)[1], treedef)
    equal(short.structure(tree, is_leaf), treedef)


_MARK: list[object] = []
_SECOND = functools.partial(lambda _, number: number)


@law(
    "`jax.tree.unflatten` undoes flattening, `map` passes the leaves of each tree to the function, "
    "`reduce` folds the leaves in order, and `all` asks each leaf; they stop at the nodes that "
    "`is_leaf` accepts",
    source=_MODULE,
    case=predicates(replaceable_trees),
)
def tree_maps_as_tree_util(lib, case):
    short, tree, is_leaf = lib.tree, case.tree, case.is_leaf
    leaves, treedef = lib.tree_util.tree_flatten(tree, is_leaf)
    same(short.unflatten(treedef, leaves), tree, identical=True)
    same(short.unflatten(treedef, tuple(leaves)), tree, identical=True)
    numbers = short.unflatten(treedef, range(len(leaves)))
    same(short.map(_SECOND, tree, numbers, is_leaf=is_leaf), numbers)
    folded = short.reduce(lambda found, leaf: [*found, leaf], tree, [], is_leaf=is_leaf)
    true(_identical(folded, leaves), folded, "the leaves")
    marked = short.map(lambda leaf: _MARK, tree, is_leaf=is_leaf)
    same(short.all(marked, is_leaf=lambda node: node is _MARK), not leaves)


@law(
    "the functions of `jax.tree` that know paths return the same as their counterparts in "
    "`jax.tree_util`",
    source=_MODULE,
    needs={"tree.flatten_with_path", "tree.leaves_with_path", "tree.map_with_path"},
    case=predicates(hostile_trees),
)
def tree_with_path_is_tree_util_with_path(lib, case):
    short, long, tree, is_leaf = lib.tree, lib.tree_util, case.tree, case.is_leaf
    pairs, treedef = long.tree_flatten_with_path(tree, is_leaf)
    for got in (short.flatten_with_path(tree, is_leaf)[0], short.leaves_with_path(tree, is_leaf)):
        same([path for path, _ in got], [path for path, _ in pairs])
        same([leaf for _, leaf in got], [leaf for _, leaf in pairs], identical=True)
    equal(short.flatten_with_path(tree, is_leaf)[1], treedef)
    second = lambda path, leaf, other: other
    same(short.map_with_path(second, tree, tree, is_leaf=is_leaf), tree, identical=True)


@law(
    "`jax.tree.reduce_associative` combines the leaves as `tree_reduce_associative` does",
    source=_MODULE,
    needs={"tree.reduce_associative", "tree_util.tree_reduce_associative"},
    case=predicates(replaceable_trees),
)
def tree_reduces_associatively_as_tree_util(lib, case):
    options = {"identity": "identity", "is_leaf": case.is_leaf}
    leaves = lib.tree_util.tree_leaves(case.tree, case.is_leaf)
    for reduce in (lib.tree.reduce_associative, lib.tree_util.tree_reduce_associative):
        got = reduce(_joined, case.tree, **options)
        true(_identical(_items(got), leaves or ["identity"]), got, "the leaves in order")


@law(
    "an error in the function given to `tree_map`, `tree_map_with_path` or `tree_reduce` reaches "
    "the caller unchanged",
    source=f"{_DOCS}/jax.tree.map.html",
    case=cases(tree=hostile_trees),
    level="should",
)
def error_in_the_function_reaches_the_caller(lib, case):
    def fail(*_):
        raise _Refused

    two = [case.tree, 0, 1]
    refuses(_Refused, lambda: lib.tree_util.tree_map(fail, two, two))
    refuses(_Refused, lambda: lib.tree_util.tree_map_with_path(fail, two, two))
    refuses(_Refused, lambda: lib.tree_util.tree_reduce(fail, two))


def _identical(got, wanted) -> bool:
    return len(got) == len(wanted) and all(map(lambda one, other: one is other, got, wanted))


class _Joined:
    """Several leaves that were combined."""

    def __init__(self, leaves):
        self.leaves = leaves


def _joined(left, right):
    """Combine two values, each a leaf or leaves that were combined; this is associative."""
    return _Joined([*_items(left), *_items(right)])


def _items(value):
    return value.leaves if isinstance(value, _Joined) else [value]
