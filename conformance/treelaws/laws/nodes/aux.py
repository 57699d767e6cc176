"""Nodes: treedefs and the aux data in them."""

from __future__ import annotations

import copy
import pickle

import jax.tree_util as jtu

from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.core.mismatch import Mismatch
from treelaws.equality import same, true
from treelaws.laws import _watch as watch

from ._inputs import copiable, instances, of_leaves

law = Topic("node.aux", "Nodes: treedefs and aux data", family="node")
_AUX = "https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes"
_REGISTER = "https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_pytree_node.html"
_PICKLE = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"
# Functions that pickle by no name, and Partials inside a Partial, which compare by identity.
_NO_COPY = ("unpicklable", "identity-aux", "deepcopy-differs")
# What stands for a leaf where only the rest matters: every node takes it.
_BLANK = object()


def _two_instances(subject):
    return cases(node=instances(subject), other=instances(subject, history=False))


@law(
    "instances of one configuration, built apart, have equal treedefs",
    source=_AUX,
    case=lambda subject: cases(node=instances(subject)),
    weight=0.5,
)
def equal_builds_have_equal_treedefs(lib, case):
    """Aux data that compares by identity, or counts instances, retraces on every build."""
    blank = lib.tree_util.tree_map(lambda _: _BLANK, case.node)
    same(lib.tree_util.tree_map(lambda _: _BLANK, case.rebuild().node), blank)


@law(
    "treedefs of instances built apart hash alike, and their aux data too",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    case=lambda subject: cases(node=instances(subject)),
    weight=0.3,
    parents=[equal_builds_have_equal_treedefs],
)
def equal_builds_have_equal_hashes(lib, case):
    one = lib.tree_util.tree_structure(case.node)
    other = lib.tree_util.tree_structure(case.rebuild().node)
    true(_hashes(one) == _hashes(other), f"{_hashes(one)} and {_hashes(other)}", "equal hashes")


@law(
    "the treedef does not depend on what the leaves are",
    source=_AUX,
    case=lambda subject: cases(node=instances(subject)),
    weight=0.4,
)
def treedef_depends_on_no_leaf(lib, case):
    """What is dynamic belongs to the children; a shape or dtype in aux data breaks this."""
    treedef = lib.tree_util.tree_structure(case.node)
    back = lib.tree_util.tree_unflatten(treedef, [object()] * treedef.num_leaves)
    true(lib.tree_util.tree_structure(back) == treedef, back, f"the structure {treedef}")


@law(
    "comparing treedefs of two instances of a type gives a bool, either way round",
    source=_AUX,
    case=_two_instances,
    weight=0.4,
)
def treedef_equality_is_a_bool(lib, case):
    """Aux data whose `==` gives an array, or raises, makes `jit` fail on its second call."""
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    answers = [one == other, other == one, one != other, other != one]
    wanted = f"bools, {one} == {other} as the other way round and != as its opposite"
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
    true(answers == [True, True, False], answers, "equal")


@law(
    "aux data of nodes that users register is hashable",
    source=_REGISTER,
    level="should",
    case=lambda subject: cases(node=instances(subject)),
    weight=0.3,
)
def aux_data_is_hashable(lib, case):
    """The keys of a dict, which JAX itself keeps in a list, are no aux data of a user."""
    kind, aux = lib.tree_util.tree_structure(case.node).node_data() or (type(None), None)
    true(kind is dict or isinstance(hash(aux), int), aux, "hashable aux data")


@law(
    "equal treedefs hash alike, and their aux data too, whatever the instances hold",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    case=of_leaves,
    weight=0.3,
)
def equal_treedefs_have_equal_hashes(lib, case):
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    equal = one != other or _hashes(one) == _hashes(other)
    true(equal, f"{_hashes(one)} and {_hashes(other)}", "equal hashes")


@law(
    "instances that differ in type or in static configuration have different treedefs",
    source=_AUX,
    case=of_leaves,
    weight=0.6,
)
def different_configuration_gives_different_treedefs(lib, case):
    """Asked the other way round: equal treedefs rebuild one type, equal attributes.

    What unflatten makes anew each time, such as a lock, is no configuration.
    """
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    mine, theirs = (_configuration(lib, node) for node in (case.node, case.other))
    alike = type(case.node) is type(case.other) and _equal(mine, theirs)
    true(one != other or alike, mine, f"{theirs} of a {type(case.other)} for an equal treedef")


@law(
    "attributes of a node survive unflatten in value and type, static ones included",
    source=_AUX,
    level="should",
    case=lambda subject: cases(node=instances(subject, history=False)),
    weight=0.4,
)
def unflatten_restores_the_configuration(lib, case):
    """Fresh nodes only: what a property caches later is no part of the node.

    Nor is what each construction makes anew, such as a lock.
    """
    again = watch.contents(case.rebuild().node)
    back = watch.contents(lib.tree_util.tree_map(lambda leaf: leaf, case.node))
    for name, value in watch.contents(case.node).items():
        if name in back and name in again and _agree(value, again[name]):
            same(back[name], value)


@law(
    "a treedef that was pickled and loaded equals the original",
    source=_PICKLE,
    level="should",
    case=lambda subject: copiable(subject, *_NO_COPY),
    weight=0.3,
)
def treedef_survives_pickle(lib, case):
    """Functions without a name to pickle by, and Partials in a Partial, are left out."""
    treedef = lib.tree_util.tree_structure(case.node)
    same_structure(lib, pickle.loads(pickle.dumps(treedef)), treedef)


@law(
    "a deep copy of a treedef equals the original",
    source=_PICKLE,
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
    """Hash a treedef and its root's aux data; JAX hashes the first without the second."""
    _, aux = treedef.node_data() or (None, None)
    try:
        return hash(treedef), hash(aux)
    except TypeError:  # Not hashable, which is the business of another law.
        return hash(treedef), None


def _configuration(lib, node):
    """Give what two rebuilds of a node hold alike."""
    one, other = (watch.contents(lib.tree_util.tree_map(lambda _: _BLANK, node)) for _ in range(2))
    return {name: one[name] for name in one if name in other and _alike(one[name], other[name])}


def _equal(mine, theirs):
    return mine.keys() == theirs.keys() and all(_alike(mine[name], theirs[name]) for name in mine)


def _alike(one, other):
    """Compare attributes; those that hold children by structure, since nodes may refuse ==."""
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
