"""Nodes: copies, pickles, and operations that only read."""

from __future__ import annotations

import contextlib
import copy
import gc
import itertools
import pickle
import weakref
from typing import Any

from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.equality import same, same_treedef, true
from treelaws.laws import _watch as watch
from treelaws.laws._carried import carried

from ._copying import (
    leaves_can_be_deepcopied,
    leaves_can_be_pickled,
    static_values_can_be_deepcopied,
    static_values_can_be_pickled,
)
from ._inputs import copiable, instances
from .flatten import unflatten_looks_at_no_leaf, unflatten_undoes_flatten

law = Topic("node.copies", "Nodes: copies, pickles and reading", family="node")
# An instance whose `__getitem__` never raises IndexError can be iterated for ever.
_ITEMS = 10
_COPY = "https://docs.python.org/3/library/copy.html"
_PICKLE = "https://docs.python.org/3/library/pickle.html"
_TREES = "https://docs.jax.dev/en/latest/jax.tree_util.html"
_READ = "https://docs.jax.dev/en/latest/101/pytrees.html#what-is-a-pytree"
_FROZEN = "https://docs.python.org/3/library/dataclasses.html#frozen-instances"
_DEEPCOPIED = (leaves_can_be_deepcopied, static_values_can_be_deepcopied)
_PICKLED = (leaves_can_be_pickled, static_values_can_be_pickled)


def _any_instance(subject):
    return cases(node=instances(subject))


def _deepcopied(subject):
    return copiable(subject, *_DEEPCOPIED)


def _pickled(subject):
    return copiable(subject, *_PICKLED)


def _copied(subject):
    return copiable(subject, *_DEEPCOPIED, *_PICKLED)


@law(
    "`copy.copy(node)` of a node that was flattened has its structure and the same leaf objects",
    source=f"{_COPY}#copy.copy",
    level="should",
    case=_any_instance,
)
def copy_keeps_structure_and_leaves(lib, case):
    """A node may make its children in its first flatten, and a copy has what the original has."""
    lib.tree_util.tree_flatten(case.node)
    same(copy.copy(case.node), case.node, identical=True)


@law(
    "`copy.deepcopy(node)` has the structure of the original and equal leaves",
    source=f"{_COPY}#copy.deepcopy",
    level="should",
    case=_deepcopied,
)
def deepcopy_equals_the_original(lib, case):
    """`copy.deepcopy` must be able to copy each leaf and each static value by itself.

    The copy of a leaf, and of a function in a static value, must equal the original. That leaves
    out objects without equality, compiled functions and Partials in a Partial.
    """
    same(copy.deepcopy(case.node), case.node)


@law(
    "`copy.deepcopy(node)` does not change the original",
    source=f"{_COPY}#copy.deepcopy",
    level="should",
    case=_deepcopied,
    parents=[deepcopy_equals_the_original],
)
def deepcopy_changes_nothing_in_the_original(lib, case):
    taken = watch.snapshot(case.node)
    copy.deepcopy(case.node)
    changes = watch.changes_since(taken)
    true(not changes, changes, "no change in the original")


@law(
    "a pickled and loaded node has the structure of the original and equal leaves",
    source=f"{_PICKLE}#pickling-class-instances",
    level="should",
    case=_pickled,
)
def pickle_equals_the_original(lib, case):
    """Pickle must be able to restore each leaf and each static value by itself.

    The restored leaf, and each function in a static value, must equal the original. That leaves
    out objects without equality, and functions that pickle does not find by name.
    """
    same(pickle.loads(carried(pickle.dumps(case.node))), case.node)


@law(
    "a node that unflatten made can be pickled, and the loaded node has the structure of the "
    "original and equal leaves",
    source=f"{_PICKLE}#pickling-class-instances",
    level="should",
    case=_pickled,
    parents=[pickle_equals_the_original, unflatten_undoes_flatten],
)
def pickle_after_unflatten_equals_the_original(lib, case):
    back = lib.tree_util.tree_map(lambda leaf: leaf, case.node)
    same(pickle.loads(pickle.dumps(back)), case.node)


@law(
    "copies have the attributes and items of the original, no more and no fewer",
    source=_COPY,
    level="should",
    case=_copied,
    parents=[
        copy_keeps_structure_and_leaves,
        deepcopy_equals_the_original,
        pickle_equals_the_original,
    ],
)
def copies_hold_the_same_attributes(lib, case):
    names = list(watch.contents(case.node))
    loaded = pickle.loads(pickle.dumps(case.node))
    copies = (copy.copy(case.node), copy.deepcopy(case.node), loaded)
    held = [list(watch.contents(copied)) for copied in copies]
    true(all(set(one) == set(names) for one in held), held, f"{names} in each copy")


@law(
    "if an attribute of a node cannot be set, it cannot be set after unflatten either",
    source=_FROZEN,
    level="should",
    case=_any_instance,
)
def unflatten_keeps_frozen(lib, case):
    """Each attribute is set to the value that it already has."""
    back = lib.tree_util.tree_map(lambda leaf: leaf, case.node)
    wanted = [name for name in _unsettable(case.node) if name in watch.contents(back)]
    true(set(wanted) <= set(_unsettable(back)), _unsettable(back), f"{wanted} cannot be set")


@law(
    "if an attribute of a node cannot be set, it cannot be set in its copies, deep copies and "
    "pickles either",
    source=_FROZEN,
    level="should",
    case=lambda subject: copiable(subject, *_DEEPCOPIED, *_PICKLED, history=False),
    parents=[
        copy_keeps_structure_and_leaves,
        deepcopy_equals_the_original,
        pickle_equals_the_original,
    ],
)
def copies_keep_frozen(lib, case):
    """Each attribute of a new node is set to the value that it already has."""
    loaded = pickle.loads(pickle.dumps(case.node))
    copies = (copy.copy(case.node), copy.deepcopy(case.node), loaded)
    unsettable, wanted = [_unsettable(node) for node in copies], _unsettable(case.node)
    alike = all(names == wanted for names in unsettable)
    true(alike, unsettable, f"in each copy {wanted} cannot be set")


@law(
    "reading the attributes and properties of a node does not change its structure or leaves",
    source=_READ,
    level="should",
    case=_any_instance,
)
def reading_attributes_keeps_the_structure(lib, case):
    """A property may cache its value in the instance; the structure must stay the same."""
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    for name in dir(case.node):
        with contextlib.suppress(Exception):  # A property may raise; it was read.
            getattr(case.node, name)
    _is_unchanged(lib, case.node, leaves, treedef)


@law(
    "printing, hashing and comparing a node, or subscripting its type, does not change its "
    "structure or leaves",
    source=_READ,
    level="should",
    case=_any_instance,
)
def looking_at_a_node_keeps_the_structure(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    for act in (repr, hash, lambda node: node == node, bool, _iterate, _alias):
        with contextlib.suppress(Exception):  # Not every node can do each of these.
            act(case.node)
    _is_unchanged(lib, case.node, leaves, treedef)


@law(
    "setting `__orig_class__`, as `typing` does for generic types, does not change the structure "
    "or leaves",
    source="https://typing.python.org/en/latest/spec/generics.html"
    "#instantiating-generic-classes-and-type-erasure",
    level="should",
    case=_any_instance,
)
def typing_alias_keeps_the_structure(lib, case):
    """A call through an alias, `Box[int](x)`, sets `__orig_class__` if the instance allows it.

    Only types with type parameters are generic.
    """
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    kind: Any = type(case.node)
    if parameters := getattr(kind, "__parameters__", ()):
        with contextlib.suppress(Exception):  # As `typing` does: not every instance can be changed.
            case.node.__orig_class__ = kind[(int,) * len(parameters)]
    _is_unchanged(lib, case.node, leaves, treedef)


@law(
    "a node and its leaves are freed as soon as nothing refers to the node",
    source=_TREES,
    level="should",
    case=_any_instance,
    parents=[unflatten_looks_at_no_leaf],
)
def dropped_node_is_freed(lib, case):
    """PyTrees have no reference cycles, so CPython frees arrays without its cycle collector.

    CPython is the only implementation of Python that JAX runs on.
    """
    treedef = lib.tree_util.tree_structure(case.node)
    leaves = [watch.WatchedLeaf() for _ in range(treedef.num_leaves)]
    kept = [weakref.ref(leaf) for leaf in leaves]
    node = lib.tree_util.tree_unflatten(treedef, leaves)
    lib.tree_util.tree_flatten_with_path(lib.tree_util.tree_map(lambda leaf: leaf, node))
    del node, leaves
    alive = sum(leaf() is not None for leaf in kept)
    true(alive == 0, f"{alive} of {len(kept)} leaves alive", "no leaf alive")


@law(
    "a copy is freed as soon as nothing refers to it",
    source=_TREES,
    level="should",
    case=_any_instance,
    parents=[dropped_node_is_freed, copy_keeps_structure_and_leaves],
)
def dropped_copy_is_freed(lib, case):
    node = lib.tree_util.tree_map(lambda _: watch.WatchedLeaf(), case.node)
    kept = [weakref.ref(leaf) for leaf in lib.tree_util.tree_leaves(node)]
    copy.copy(node)
    del node
    alive = sum(leaf() is not None for leaf in kept)
    true(alive == 0, f"{alive} of {len(kept)} leaves alive", "no leaf alive")


@law(
    "a `tree_map` that raised keeps no leaf alive",
    source=_TREES,
    level="should",
    case=_any_instance,
    parents=[dropped_node_is_freed],
)
def failed_map_keeps_no_leaf(lib, case):
    treedef = lib.tree_util.tree_structure(case.node)
    node = lib.tree_util.tree_map(lambda _: watch.WatchedLeaf(), case.node)
    kept = [weakref.ref(leaf) for leaf in lib.tree_util.tree_leaves(node)]
    with contextlib.suppress(watch.Looked):
        lib.tree_util.tree_map(bool, node)
    del node
    alive = sum(leaf() is not None for leaf in kept)
    true(alive == 0, f"{alive} of {treedef.num_leaves} leaves alive", "no leaf alive")


@law(
    "a constructor that raised keeps none of its arguments alive",
    source="https://docs.python.org/3/reference/datamodel.html#objects-values-and-types",
    level="should",
    case=_any_instance,
)
def failed_constructor_keeps_nothing(lib, case):
    """The constructor gets 0 to 4 meaningless arguments; then the cycle collector runs."""
    left = [_left_by_failure(type(case.node), count) for count in range(5)]
    true(not any(left), left, "no argument alive after calls with 0, 1, 2, 3 and 4 of them")


def _is_unchanged(lib, node, leaves, treedef):
    """Demand that a node still has these leaves and this treedef."""
    now, structure = lib.tree_util.tree_flatten(node)
    same_treedef(structure, treedef, node)
    same(now, leaves, identical=True)


def _left_by_failure(kind, count):
    """Call a type with objects that raise when used; if it fails, count those still alive."""
    given = [watch.WatchedLeaf() for _ in range(count)]
    kept = [weakref.ref(one) for one in given]
    failed = False
    # A constructor may raise any error for meaningless arguments.
    try:
        kind(*given)
    except Exception:
        failed = True
    given.clear()
    if failed and any(one() is not None for one in kept):
        gc.collect()
    return sum(one() is not None for one in kept) if failed else 0


def _iterate(node):
    """Take the first items of an iteration, which may have no end."""
    return list(itertools.islice(node, _ITEMS))


def _alias(node):
    kind: Any = type(node)
    return kind[int]


def _unsettable(node):
    """List the attributes that cannot be set."""
    held = getattr(node, "__dict__", {}).copy()
    # Only a name that is a string is an attribute; a class may put other keys into its dict.
    attributes = [(name, value) for name, value in held.items() if isinstance(name, str)]
    return sorted(name for name, value in attributes if not _can_set(node, name, value))


def _can_set(node, name, value):
    try:
        setattr(node, name, value)
    except AttributeError:
        return False
    return True
