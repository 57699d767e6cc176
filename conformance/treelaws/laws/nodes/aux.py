"""Nodes: treedefs and the aux data in them."""

from __future__ import annotations

import copy
import pickle

import jax
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.core.cases import cases
from treelaws.core.mismatch import Mismatch
from treelaws.equality import equal, same, same_treedef, true
from treelaws.laws import _watch as watch
from treelaws.laws._carried import carried

from ._copying import static_values_can_be_deepcopied, static_values_can_be_pickled
from ._inputs import copiable, instances, of_leaves
from .aux_builds import hashes, law
from .flatten import unflatten_accepts_documented_placeholders, unflatten_undoes_flatten

_AUX = "https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes"
_REGISTER = "https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_pytree_node.html"
_ARRAYS = (np.ndarray, np.generic, jax.Array)
_PICKLE = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"


def _two_instances(subject):
    return cases(node=instances(subject), other=instances(subject, history=False))


@law(
    "the treedef of an instance does not depend on its leaves",
    source=_AUX,
    case=lambda subject: cases(node=instances(subject)),
    parents=[unflatten_accepts_documented_placeholders],
)
def treedef_depends_on_no_leaf(lib, case):
    """A shape or dtype of a leaf in the aux data fails this law: both can change in a map.

    Each leaf is replaced by `object()`, which JAX documents as a placeholder.
    """
    treedef = lib.tree_util.tree_structure(case.node)
    back = lib.tree_util.tree_unflatten(treedef, [object()] * treedef.num_leaves)
    equal(lib.tree_util.tree_structure(back), treedef)


@law(
    "`==` and `!=` between the treedefs of two instances of a type give a bool, in either order",
    source=_AUX,
    case=_two_instances,
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
)
def aux_data_is_hashable(lib, case):
    """Dicts are left out: their aux data, a list of keys, is made by JAX and not by a user."""
    kind, aux = lib.tree_util.tree_structure(case.node).node_data() or (type(None), None)
    true(kind is dict or isinstance(hash(aux), int), aux, "hashable aux data")


@law(
    "equal treedefs, and their aux data, have equal hashes, whatever the instances hold",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    case=of_leaves,
)
def equal_treedefs_have_equal_hashes(lib, case):
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    alike = one != other or hashes(one) == hashes(other)
    true(alike, f"{hashes(one)} and {hashes(other)}", "equal hashes")


@law(
    "instances that differ in type or in static configuration have different treedefs",
    source=_AUX,
    case=of_leaves,
)
def different_configuration_gives_different_treedefs(lib, case):
    """The check is the converse: equal treedefs mean the same type and equal attributes.

    Both treedefs make nodes of the same leaves, so that attributes that unflatten computes from
    leaves agree. One that each unflatten makes again, such as a lock, is not configuration.
    """
    one, other = map(lib.tree_util.tree_structure, (case.node, case.other))
    leaves = lib.tree_util.tree_leaves(case.node)
    mine = _configuration(one, leaves)
    theirs = _configuration(other, leaves) if one == other else mine
    alike = type(case.node) is type(case.other) and _equal(mine, theirs)
    true(one != other or alike, mine, f"{theirs} of a {type(case.other)} for an equal treedef")


@law(
    "unflatten restores the attributes of a node in value and type, static ones included",
    source=_AUX,
    level="should",
    case=lambda subject: cases(node=instances(subject, history=False)),
    parents=[unflatten_undoes_flatten],
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
    case=lambda subject: copiable(subject, static_values_can_be_pickled),
)
def treedef_survives_pickle(lib, case):
    """Pickle must be able to restore each static value by itself, and each function in one.

    It cannot restore functions and classes that it does not find by name, and a
    `functools.partial` compares by identity.
    """
    treedef = lib.tree_util.tree_structure(case.node)
    same_treedef(pickle.loads(carried(pickle.dumps(treedef))), treedef, case.node)


@law(
    "a deep copy of a treedef equals the original",
    source="https://docs.python.org/3/library/copy.html",
    level="should",
    case=lambda subject: copiable(subject, static_values_can_be_deepcopied),
)
def treedef_survives_deepcopy(lib, case):
    """`copy.deepcopy` must be able to copy each static value by itself, and each function in one.

    A copy of a compiled function or of a `functools.partial` does not equal it.
    """
    treedef = lib.tree_util.tree_structure(case.node)
    same_treedef(copy.deepcopy(treedef), treedef, case.node)


def _configuration(treedef, leaves):
    """Return the attributes and items that are equal in two nodes that a treedef makes."""
    one, other = (watch.contents(treedef.unflatten(leaves)) for _ in range(2))
    return {name: one[name] for name in one if name in other and _alike(one[name], other[name])}


def _equal(mine, theirs):
    return mine.keys() == theirs.keys() and all(_alike(mine[name], theirs[name]) for name in mine)


def _alike(one, other):
    """Compare attributes; nodes by structure and leaves, since `==` of a node may raise."""
    (mine, treedef), (theirs, wanted) = jtu.tree_flatten(one), jtu.tree_flatten(other)
    return treedef == wanted and all(map(_same_leaf, mine, theirs))


def _same_leaf(one, other):
    if isinstance(one, _ARRAYS) and isinstance(other, _ARRAYS):
        return one.dtype == other.dtype and bool(np.array_equal(one, other))
    # A user's `==` may raise any error.
    try:
        return one is other or (one == other) is True
    except Exception:
        return False


def _agree(one, other):
    try:
        same(one, other)
    except Mismatch:
        return False
    return True
