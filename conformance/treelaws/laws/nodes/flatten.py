"""Nodes: flatten and unflatten."""

from __future__ import annotations

import operator

from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.core.mismatch import shown
from treelaws.equality import same, true
from treelaws.laws import _watch as watch

from ._inputs import built_alike, instances, with_predicate
from .aux_builds import equal_builds_have_equal_treedefs

law = Topic("node.flatten", "Nodes: flatten and unflatten", family="node")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_UNFLATTEN = f"{_API}/jax.tree.unflatten.html"
_REGISTER = f"{_API}/jax.tree_util.register_pytree_node.html"
_UNEXPECTED = f"{_PYTREES}#initialization-with-unexpected-values"
_PURE = f"{_PYTREES}#what-is-a-pytree"
# "The assumption here is that pytrees can contain arbitrary Python objects"
_ARBITRARY = "https://github.com/jax-ml/jax/issues/4673"


def _any_instance(subject):
    return cases(node=instances(subject))


@law(
    "unflatten undoes flatten: the structure is equal, the leaves are the same objects",
    source=_UNFLATTEN,
    case=_any_instance,
)
def unflatten_undoes_flatten(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    same(lib.tree_util.tree_unflatten(treedef, leaves), case.node, identical=True)


@law(
    "unflatten returns an instance of the registered type",
    source=_REGISTER,
    case=_any_instance,
)
def unflatten_returns_the_registered_type(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    back = lib.tree_util.tree_unflatten(treedef, leaves)
    true(type(back) is type(case.node), type(back), f"an instance of {type(case.node)}")


@law(
    "unflatten undoes a flatten with any `is_leaf`",
    source=_UNFLATTEN,
    case=with_predicate,
    parents=[unflatten_undoes_flatten],
)
def unflatten_undoes_flatten_with_is_leaf(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.tree, is_leaf=case.is_leaf)
    same(lib.tree_util.tree_unflatten(treedef, leaves), case.tree, identical=True)


@law(
    "flatten returns the same leaf objects in the same order each time",
    source=f"{_API}/jax.tree.flatten.html",
    case=_any_instance,
)
def flatten_twice_gives_the_same_leaves(lib, case):
    once, again = lib.tree_util.tree_leaves(case.node), lib.tree_util.tree_leaves(case.node)
    same(again, once, identical=True)


@law(
    "flatten, with paths or without, does not change the node",
    source=_PURE,
    level="should",
    case=_any_instance,
)
def flatten_changes_nothing_in_the_node(lib, case):
    """Every attribute and item of every node is the same object afterwards, in the same order."""
    taken = watch.snapshot(case.node)
    lib.tree_util.tree_flatten(case.node)
    lib.tree_util.tree_flatten_with_path(case.node)
    changes = watch.changes_since(taken)
    true(not changes, changes, "no change in the node")


@law(
    "`tree_map` calls the function once for each leaf, in the order of flatten, with the leaf "
    "object itself",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree.map.html",
    level="should",
    case=_any_instance,
)
def map_visits_each_leaf_once(lib, case):
    visited: list[object] = []
    lib.tree_util.tree_map(lambda leaf: visited.append(leaf) or leaf, case.node)
    same(visited, lib.tree_util.tree_leaves(case.node), identical=True)


@law(
    "`tree_map` of the identity returns an equal node with the same leaf objects",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree.map.html",
    case=_any_instance,
    parents=[unflatten_undoes_flatten],
)
def identity_map_is_the_identity(lib, case):
    same(lib.tree_util.tree_map(lambda leaf: leaf, case.node), case.node, identical=True)


@law(
    "unflatten puts `object()`, `None` and the node itself in the place of a leaf",
    source=_UNEXPECTED,
    case=_any_instance,
    parents=[unflatten_undoes_flatten],
)
def unflatten_accepts_documented_placeholders(lib, case):
    """JAX documents these: a constructor that converts or validates must expect them."""
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    for one in (object(), None, case.node):
        back = lib.tree_util.tree_unflatten(treedef, [one] * len(leaves))
        found = treedef.flatten_up_to(back)
        true(all(leaf is one for leaf in found), found, f"{shown(one)} in the place of each leaf")


@law(
    "mapping a composition of two functions is the same as mapping one after the other",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree.map.html",
    case=_any_instance,
    parents=[unflatten_undoes_flatten, unflatten_accepts_documented_placeholders],
)
def map_of_a_composition_is_the_composition(lib, case):
    """Both functions return new objects of type `object`, which JAX documents as placeholders."""
    first, second = _fresh_objects(), _fresh_objects()
    in_two = lib.tree_util.tree_map(second, lib.tree_util.tree_map(first, case.node))
    at_once = lib.tree_util.tree_map(lambda leaf: second(first(leaf)), case.node)
    same(in_two, at_once, identical=True)


@law(
    "two nodes that are built alike can be mapped together, leaf by leaf",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree.map.html",
    case=built_alike,
    parents=[unflatten_undoes_flatten, equal_builds_have_equal_treedefs],
)
def equal_builds_map_together(lib, case):
    other = case.rebuild().node
    same(lib.tree_util.tree_map(lambda _, leaf: leaf, case.node, other), other, identical=True)


@law(
    "flattening each child of a node gives the leaves of the node",
    source=f"{_API}/jax.tree.flatten.html",
    case=_any_instance,
)
def leaves_of_the_children_are_the_leaves(lib, case):
    children = lib.tree_util.tree_leaves(case.node, is_leaf=lambda part: part is not case.node)
    leaves = [leaf for child in children for leaf in lib.tree_util.tree_leaves(child)]
    same(leaves, lib.tree_util.tree_leaves(case.node), identical=True)


@law(
    "replacing one leaf changes no other leaf",
    source=_UNFLATTEN,
    case=_any_instance,
    parents=[unflatten_undoes_flatten, unflatten_accepts_documented_placeholders],
)
def replacing_one_leaf_keeps_the_others(lib, case):
    """The new leaf is an `object()`, which JAX documents as a placeholder."""
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    for index in range(len(leaves)):
        wanted = [*leaves[:index], object(), *leaves[index + 1 :]]
        back = lib.tree_util.tree_unflatten(treedef, wanted)
        same(lib.tree_util.tree_leaves(back), wanted, identical=True)


@law(
    "unflatten puts any object in the place of a leaf, and flatten returns that same object",
    source=_ARBITRARY,
    level="should",
    case=_any_instance,
    parents=[unflatten_undoes_flatten, unflatten_accepts_documented_placeholders],
)
def unflatten_accepts_any_leaf(lib, case):
    """JAX itself unflattens with text, bools, descriptions of arguments and abstract values.

    A node that fails this law converts or validates in its unflatten, or calls a constructor that
    does; make the instance with `object.__new__` there and set the attributes. A description of an
    array has the shape and dtype of the leaf.
    """
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    described = [_description(lib, leaf) for leaf in leaves]
    for given in (*([one] * len(leaves) for one in ("text", (), {}, False)), described):
        found = treedef.flatten_up_to(lib.tree_util.tree_unflatten(treedef, given))
        true(all(map(operator.is_, found, given)), found, f"{given} in the place of the leaves")


@law(
    "unflatten does not compare, convert, print or truth-test the leaves",
    source=_UNEXPECTED,
    level="should",
    case=_any_instance,
    parents=[unflatten_accepts_any_leaf],
)
def unflatten_looks_at_no_leaf(lib, case):
    """The failure names the special method and the code that called it on a leaf."""
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    watched = [watch.WatchedLeaf() for _ in leaves]
    looks = watch.looks_at(watched, lambda: lib.tree_util.tree_unflatten(treedef, watched))
    true(not looks, looks, "no special method called on a leaf")


@law(
    "flatten, with paths or without, does not compare, convert, print or truth-test the leaves",
    source=_PURE,
    level="should",
    case=_any_instance,
    parents=[unflatten_looks_at_no_leaf],
)
def flatten_looks_at_no_leaf(lib, case):
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    watched = [watch.WatchedLeaf() for _ in leaves]
    node = lib.tree_util.tree_unflatten(treedef, watched)
    looks = watch.looks_at(watched, lambda: lib.tree_util.tree_flatten(node))
    looks += watch.looks_at(watched, lambda: lib.tree_util.tree_flatten_with_path(node))
    true(not looks, looks, "no special method called on a leaf")


@law(
    "unflatten does not change the objects that it gets as leaves",
    source=_UNEXPECTED,
    level="should",
    case=_any_instance,
    parents=[unflatten_accepts_any_leaf],
)
def unflatten_writes_into_no_leaf(lib, case):
    """A leaf may be the user's own dict or list (with `is_leaf`, or as the result of a map).

    A node that fails this law runs a constructor that writes into its arguments; the failure names
    the hooks that ran.
    """
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    given = [{"original": index} for index in range(len(leaves))]
    hooks = watch.hooks_run(lambda: lib.tree_util.tree_unflatten(treedef, given), type(case.node))
    untouched = given == [{"original": index} for index in range(len(leaves))]
    true(untouched, f"{given} after {hooks} ran", "the dicts that were given as leaves, unchanged")


@law(
    "unflatten has no effect outside the node: it changes no counter, registry or default",
    source=_PURE,
    level="should",
    case=_any_instance,
)
def unflatten_has_no_outside_effect(lib, case):
    """Each map, jit and grad unflattens, so that an effect of the constructor happens again.

    The law watches the attributes of the class and its bases and the variables of its module. The
    failure names each change and the hooks that ran; make the instance with `object.__new__` in
    unflatten, and move the effect to a factory that users call.
    """
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    effects = watch.effects_of(lambda: treedef.unflatten(leaves), case.node)
    true(not effects, effects, "no effect outside the node")


@law(
    "flatten has no effect outside the node",
    source=_PURE,
    level="should",
    case=_any_instance,
)
def flatten_has_no_outside_effect(lib, case):
    effects = watch.effects_of(lambda: lib.tree_util.tree_flatten(case.node), case.node)
    true(not effects, effects, "no effect outside the node")


@law(
    "unflatten runs no constructor hook that is written in Python",
    source=_UNEXPECTED,
    level="observed",
    case=_any_instance,
)
def unflatten_runs_no_constructor(lib, case):
    """Advice, not a promise: many correct nodes, such as JAX's dataclasses, run `__init__`."""
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    hooks = watch.hooks_run(lambda: treedef.unflatten(leaves), type(case.node))
    true(not hooks, hooks, "none of __new__, __init__, __post_init__, __check_init__")


@law(
    "unflatten restores every attribute and item that the constructor set",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_dataclass.html",
    level="should",
    case=lambda subject: cases(node=instances(subject, history=False)),
    parents=[unflatten_undoes_flatten],
)
def unflatten_restores_every_attribute(lib, case):
    """Only new nodes: a value that a property caches later is not part of the node."""
    back = lib.tree_util.tree_map(lambda leaf: leaf, case.node)
    lost = [name for name in watch.contents(case.node) if not _holds(back, name)]
    true(not lost, f"lost {lost}", "each attribute and item of the original")


@law(
    "unflatten adds no attribute or item that the original does not have",
    source=_UNFLATTEN,
    level="should",
    case=lambda subject: cases(node=instances(subject, history=False)),
    parents=[unflatten_undoes_flatten],
)
def unflatten_adds_no_attribute(lib, case):
    """An added `__doc__` or `__module__` would hide that of the class."""
    back = lib.tree_util.tree_map(lambda leaf: leaf, case.node)
    added = [name for name in watch.contents(back) if name not in watch.contents(case.node)]
    true(not added, f"added {added}", "the attributes and items of the original")


def _description(lib, leaf):
    shape, dtype = getattr(leaf, "shape", ()), getattr(leaf, "dtype", float)
    return lib.ShapeDtypeStruct(shape if isinstance(shape, tuple) else (), dtype)


def _holds(node, name):
    return name in watch.contents(node) or hasattr(node, name)


def _fresh_objects():
    """Make a function that returns a different new object for each object."""
    given: dict[int, tuple[object, object]] = {}
    # The argument is kept, so that no other object can get its id.
    return lambda leaf: given.setdefault(id(leaf), (object(), leaf))[0]
