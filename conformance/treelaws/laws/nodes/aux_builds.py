"""Nodes: treedefs of instances that are built alike."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal, same_treedef

from ._inputs import built_alike

law = Topic("node.aux", "Nodes: treedefs and aux data", family="node")
_AUX = "https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes"


@law(
    "instances that are built alike have equal treedefs",
    source=_AUX,
    case=built_alike,
)
def equal_builds_have_equal_treedefs(lib, case):
    """If aux data compares by identity or counts instances, `jit` traces each new instance.

    A function that each build makes anew, such as a lambda in the code that makes the instance, is
    another static value: such instances are not built alike.
    """
    wanted = lib.tree_util.tree_structure(case.node)
    same_treedef(lib.tree_util.tree_structure(case.rebuild().node), wanted, case.node)


@law(
    "treedefs of instances that are built alike, and their aux data, have equal hashes",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    case=built_alike,
    parents=[equal_builds_have_equal_treedefs],
)
def equal_builds_have_equal_hashes(lib, case):
    one = lib.tree_util.tree_structure(case.node)
    other = lib.tree_util.tree_structure(case.rebuild().node)
    equal(hashes(one), hashes(other))


def hashes(treedef):
    """Hash a treedef and the aux data of its root, which JAX leaves out of the hash."""
    _, aux = treedef.node_data() or (None, None)
    try:
        return hash(treedef), hash(aux)
    except TypeError:  # Another law reports aux data that is not hashable.
        return hash(treedef), None
