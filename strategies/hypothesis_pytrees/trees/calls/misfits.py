"""Misfits: a tree where one of another structure, shape or dtype is due, and ways to give it."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree

_VECTOR = "jax.device_put(np.float32([1.0, 2.0]))"
_POINTS = """\
MisfitPoint = collections.namedtuple('MisfitPoint', ['first', 'second'])
MisfitPlace = collections.namedtuple('MisfitPlace', ['first', 'second'])
"""
# The text of its aux data and its keys is part of error messages.
_BAG = """\
class MisfitBag:
    def __init__(self, *items, tag=None):
        self.items, self.tag = items, tag


jtu.register_pytree_node(
    MisfitBag, lambda bag: (bag.items, bag.tag), lambda tag, items: MisfitBag(*items, tag=tag)
)


class MisfitEntries:
    def __init__(self, **items):
        self.items = items


jtu.register_pytree_with_keys(
    MisfitEntries,
    lambda node: ([(f'{{{name}}}', item) for name, item in node.items.items()], (*node.items,)),
    lambda names, items: MisfitEntries(**dict(zip(names, items))),
)
"""
_RECORD = """\
@functools.partial(jtu.register_dataclass, data_fields=['value'], meta_fields=['mode'])
@dataclasses.dataclass
class MisfitRecord:
    value: typing.Any
    mode: typing.Any = '{mode}'
"""
# Pairs of nodes; neither is a prefix of the other.
_NODES = (
    ("list", "[vector, vector]", "[vector]", ""),
    ("list", "[]", "[vector]", ""),
    ("tuple", "(vector,)", "(vector, vector)", ""),
    ("type", "(vector,)", "[vector]", ""),
    ("type", "()", "[]", ""),
    ("type", "{'a': vector}", "collections.OrderedDict(a=vector)", ""),
    ("type", "MisfitPoint(vector, vector)", "(vector, vector)", _POINTS),
    ("type", "MisfitPoint(vector, vector)", "MisfitPlace(vector, vector)", _POINTS),
    ("type", "MisfitBag(vector)", "MisfitEntries(a=vector)", _BAG),
    ("dict", "{'{oops}': vector}", "{'%s': vector}", ""),
    ("dict", "{'{oops}': vector}", r"{'{oops}': vector, '%d\n': vector}", ""),
    ("dict", "{1: vector}", "{'1': vector}", ""),
    ("dict", "{True: vector, 2: vector}", "{3: vector, 2: vector}", ""),
    ("dict", "{('{a}', '%'): vector}", "{}", ""),
    ("OrderedDict", "collections.OrderedDict([('{', vector), (2, vector)])",
     "collections.OrderedDict([(2, vector), ('{', vector)])", ""),
    ("defaultdict", "collections.defaultdict(list, {'%': vector})",
     "collections.defaultdict(dict, {'%': vector})", ""),
    ("count", "MisfitBag(vector)", "MisfitBag(vector, vector)", _BAG),
    ("count", "MisfitBag()", "MisfitBag(vector)", _BAG),
    ("keys", "MisfitEntries(a=vector)", "MisfitEntries(b=vector)", _BAG),
    ("count:keys", "MisfitEntries(a=vector)", "MisfitEntries(a=vector, b=vector)", _BAG),
    ("aux", "MisfitBag(vector, tag='{left}')", "MisfitBag(vector, tag='%(right)s')", _BAG),
    ("aux", r"MisfitBag(vector, tag=1)", r"MisfitBag(vector, tag='\n')", _BAG),
    ("aux", "MisfitRecord(vector, '{fast}')", "MisfitRecord(vector, ('%d', 2))", _RECORD),
    ("aux", "jtu.Partial(max, vector)", "jtu.Partial(min, vector)", ""),
)  # fmt: skip
# A leaf, and something else.
_LEAVES = (
    ("leaf", "vector", "[vector]", ""),
    ("leaf", "vector", "()", ""),
    ("leaf", "vector", "{'{oops}': vector, 'b': vector}", ""),
    ("leaf", "vector", "MisfitBag(vector, tag='{q}')", _BAG),
    ("leaf", "vector", "MisfitEntries(a=vector)", _BAG),
)
_NONES = (
    ("None", "vector", "None", ""),
    ("None", "[vector]", "None", ""),
    ("None", "MisfitBag()", "None", _BAG),
)
# Arrays that are not of the type of `vector`.
_TYPES = (
    ("shape", "vector", "jnp.float32(1)", ""),
    ("shape", "vector", "jnp.zeros(3, jnp.float32)", ""),
    ("shape", "vector", "jnp.zeros((2, 0), jnp.float32)", ""),
    ("dtype", "vector", "jnp.int32([1, 2])", ""),
    ("dtype", "vector", "vector > 0", ""),
    ("dtype", "vector", "vector.astype(jnp.bfloat16)", ""),
    ("dtype", "vector", "vector.astype(jnp.complex64)", ""),
    ("dtype", "vector", "jax.random.split(jax.random.key(0))", ""),
)
_WITHOUT_LEAVES = ("None", "()", "[]", "{}", "MisfitBag()")
_GROUPS = {
    "nodes": _NODES,
    "leaves": _LEAVES,
    "leaf-for-node": tuple((name, two, one, *rest) for name, one, two, *rest in _LEAVES),
    "nones": _NONES,
    "types": _TYPES,
}


@st.composite
def misfits(draw: st.DrawFn, ways: Sequence[Kind], *groups: str) -> Recipe:
    """Bind `due` and `given`, which differ in one place, and `attempt`, which gives the misfit.

    `place` is the key path of the difference as `keystr` writes it. All leaves are of one shape
    and dtype, except for a difference in type. Feature: `misfit:as-many-leaves`.

    Args:
        ways: the ways to give it, expressions of `due` and `given`.
        groups: the differences, of `"nodes"`, two nodes; `"leaves"`, a node for a leaf;
            `"leaf-for-node"`; `"nones"`, None for something; `"types"`, another shape or dtype.
    """
    scope = Scope()
    # The difference is drawn first: Hypothesis tends to end a sequence of draws with zeros.
    group = draw(st.sampled_from(groups))
    name, one, other, definitions = draw(st.sampled_from(_GROUPS[group]))
    if group in ("nodes", "nones") and draw(st.booleans()):
        one, other = other, one
    scope.define(*([definitions] if definitions else []))
    scope.note(f"misfit:{name}")
    scope.bind("vector", _VECTOR)
    # A rule of a function of no leaves is not called.
    if draw(st.integers(0, 3)) == 0 and one not in _WITHOUT_LEAVES:
        scope.note("misfit:root", *(["given:empty"] if other in _WITHOUT_LEAVES else []))
        scope.bind("due", one)
        scope.bind("given", other)
        scope.bind("place", "''")
    else:
        _bind_inside(draw, scope, one, other)
    counts = [len(jtu.tree_leaves(names_of(scope)[name])) for name in ("due", "given")]
    scope.note(*(["misfit:as-many-leaves"] if counts[0] == counts[1] else []))
    way = draw(st.sampled_from(available(ways)))
    scope.define(*way.definitions)
    scope.note(*way.features)
    scope.bind("attempt", f"lambda: {way.template}")
    return scope.recipe()


def _bind_inside(draw: st.DrawFn, scope: Scope, one: str, other: str) -> None:
    """Bind `due` and `given`, trees that hold the two in one place, and `place`."""
    kinds = (*CONTAINERS, *NODES, *MODULES)
    leaves = pool((Kind("leaf", _VECTOR, (), ("leaf:vector",)),))
    scope.bind("context", draw_tree(draw, scope, leaves=leaves, kinds=kinds, max_leaves=3))
    if not jtu.tree_leaves(names_of(scope)["context"]):
        scope.rebind("context", "[context, vector]")
    scope.statement("paths, structure = jtu.tree_flatten_with_path(context)")
    scope.statement("flat = [vector for _ in paths]")
    number = draw(st.integers(0, len(names_of(scope)["flat"]) - 1))
    for target, text in (("due", one), ("given", other)):
        parts = f"[*flat[:{number}], {text}, *flat[{number + 1} :]]"
        scope.bind(target, f"[jtu.tree_unflatten(structure, {parts}), vector]")
    scope.bind("place", f"'[0]' + jtu.keystr(paths[{number}][0])")
