"""Nodes: treedefs and the aux data in them."""

from __future__ import annotations

import copy
import pickle

import jax.tree_util as jtu

from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.core.mismatch import Mismatch
from treelaws.equality import equal, same, true
from treelaws.laws import _watch as watch

from ._inputs import copiable, instances, of_leaves

law = Topic("node.aux", "Nodes: treedefs and aux data", family="node")
_AUX = "https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes"
_REGISTER = "https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_pytree_node.html"
_PICKLE = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"
# Functions that pickle cannot find by name, and Partials in a Partial: they compare by identity.
_NO_COPY = ("unpicklable", "identity-aux", "deepcopy-differs")
# Replaces the leaves where only the rest matters: every node accepts it.
_BLANK = object()


def _two_instances(subject):
    return cases(node=instances(subject), other=instances(subject, history=False))


@law(
    "instances that are built alike have equal treedefs",
    source=_AUX,
    case=lambda subject: cases(node=instances(subject)),
    weight=0.5,
)
def equal_builds_have_equal_treedefs(lib, case):
    """If aux data compares by identity or counts instances, `jit` traces each new instance."""
    blank = lib.tree_util.tree_map(lambda _: _BLANK, case.node)
    same(lib.tree_util.tree_map(lambda _: _BLANK, case.rebuild().node), blank)


@law(
    "treedefs of instances that are built alike, and their aux data, have equal hashes",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    case=lambda subject: cases(node=instances(subject)),
    weight=0.3,
    parents=[equal_builds_have_equal_treedefs],
)
def equal_builds_have_equal_hashes(lib, case):
    one = lib.tree_util.tree_structure(case.node)
    other = lib.tree_util.tree_structure(case.rebuild().node)
    equal(_hashes(one), _hashes(other))


@law(
    "the treedef of an instance does not depend on its leaves",
    source=_AUX,
    case=lambda subject: cases(node=instances(subject)),
    weight=0.4,
)
def treedef_depends_on_no_leaf(lib, case):
    """A shape or dtype of a leaf in the aux data fails this law: both can change in a map."""
    treedef = lib.tree_util.tree_structure(case.node)
    back = lib.tree_util.tree_unflatten(treedef, [object()] * treedef.num_leaves)
    equal(lib.tree_util.tree_structure(back), treedef)


@law(
    "`==` and `!=` between the treedefs of two instances of a type give a bool, in either order",
    source=_AUX,
    case=_two_instances,
    weight=0.4,
)
def treedef_equality_is_a_bool(lib, case):
    """Aux data whose `==` gives an array, or raises, makes `jit` fail on its second call."""
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    answers = [one == other, other == one, one != other, other != one]
    wanted = f"bools: {one} == {other} the same in both orders, and != the opposite"
    true(answers in ([True, True, False, False], [False, False, True, True]), answers, wanted)


@law(
    "a treedef equals itself and the treedef of the same node",
    source=_AUX,
    case=lambda subject: cases(node=instances(subject)),
    weight=0.3,
)
def treedef_equals_itself(lib, case):
    one, other = (lib.tree_util.tree_structure(case.node) for _ in range(2))
    answers = [one == one, one == other, one != other]
    equal(answers, [True, True, False])


@law(
    "aux data of node types that users register is hashable",
    source=_REGISTER,
    level="should",
    case=lambda subject: cases(node=instances(subject)),
    weight=0.3,
)
def aux_data_is_hashable(lib, case):
    """Dicts are left out: their aux data, a list of keys, is made by JAX and not by a user."""
    kind, aux = lib.tree_util.tree_structure(case.node).node_data() or (type(None), None)
    true(kind is dict or isinstance(hash(aux), int), aux, "hashable aux data")


@law(
    "equal treedefs, and their aux data, have equal hashes, whatever the instances hold",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    case=of_leaves,
    weight=0.3,
)
def equal_treedefs_have_equal_hashes(lib, case):
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    alike = one != other or _hashes(one) == _hashes(other)
    true(alike, f"{_hashes(one)} and {_hashes(other)}", "equal hashes")


@law(
    "instances that differ in type or in static configuration have different treedefs",
    source=_AUX,
    case=of_leaves,
    weight=0.6,
)
def different_configuration_gives_different_treedefs(lib, case):
    """The check is the converse: equal treedefs mean the same type and equal attributes.

    An attribute that each unflatten makes again, such as a lock, is not configuration.
    """
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    mine, theirs = (_configuration(lib, node) for node in (case.node, case.other))
    alike = type(case.node) is type(case.other) and _equal(mine, theirs)
    true(one != other or alike, mine, f"{theirs} of a {type(case.other)} for an equal treedef")


@law(
    "unflatten restores the attributes of a node in value and type, static ones included",
    source=_AUX,
    level="should",
    case=lambda subject: cases(node=instances(subject, history=False)),
    weight=0.4,
)
def unflatten_restores_the_configuration(lib, case):
    """Only new nodes: a value that a property caches later is not part of the node.

    Nor is an attribute that each construction makes again, such as a lock.
    """
    again = watch.contents(case.rebuild().node)
    back = watch.contents(lib.tree_util.tree_map(lambda leaf: leaf, case.node))
    for name, value in watch.contents(case.node).items():
        if name in back and name in again and _agree(value, again[name]):
            same(back[name], value)


@law(
    "a pickled and loaded treedef equals the original",
    source=_PICKLE,
    level="should",
    case=lambda subject: copiable(subject, *_NO_COPY),
    weight=0.3,
)
def treedef_survives_pickle(lib, case):
    """Functions that pickle cannot find by name, and Partials in a Partial, are left out."""
    treedef = lib.tree_util.tree_structure(case.node)
    same_structure(lib, pickle.loads(pickle.dumps(treedef)), treedef)


@law(
    "a deep copy of a treedef equals the original",
    source="https://docs.python.org/3/library/copy.html",
    level="should",
    case=lambda subject: copiable(subject, *_NO_COPY),
    weight=0.3,
)
def treedef_survives_deepcopy(lib, case):
    """Partials in a Partial, which compare by identity, are left out."""
    treedef = lib.tree_util.tree_structure(case.node)
    same_structure(lib, copy.deepcopy(treedef), treedef)


def same_structure(lib, got, wanted):
    """Demand that two treedefs are equal, the types of their static values too."""
    blanks = [_BLANK] * wanted.num_leaves
    same(lib.tree_util.tree_unflatten(got, blanks), lib.tree_util.tree_unflatten(wanted, blanks))


def _hashes(treedef):
    """Hash a treedef and the aux data of its root, which JAX leaves out of the hash."""
    _, aux = treedef.node_data() or (None, None)
    try:
        return hash(treedef), hash(aux)
    except TypeError:  # Another law reports aux data that is not hashable.
        return hash(treedef), None


def _configuration(lib, node):
    """Return the attributes and items that are equal in two rebuilds of a node."""
    one, other = (watch.contents(lib.tree_util.tree_map(lambda _: _BLANK, node)) for _ in range(2))
    return {name: one[name] for name in one if name in other and _alike(one[name], other[name])}


def _equal(mine, theirs):
    return mine.keys() == theirs.keys() and all(_alike(mine[name], theirs[name]) for name in mine)


def _alike(one, other):
    """Compare attributes; those with children by structure, since `==` of a node may raise."""
    leaves, treedef = jtu.tree_flatten(one)
    if any(leaf is _BLANK for leaf in leaves):
        return jtu.tree_flatten(other) == (leaves, treedef)
    return one is other or (one == other) is True


def _agree(one, other):
    try:
        same(one, other)
    except Mismatch:
        return False
    return True
