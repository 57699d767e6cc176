"""JAX: exported functions of trees that are written and read again."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.serializable import serializable_trees
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

law = Topic("jax.export", "JAX: exported functions", family="jax")
_PAGE = "https://docs.jax.dev/en/latest/jax.export.html"
_GUIDE = "https://docs.jax.dev/en/latest/export/export.html"
_NAMES = {
    "export.export",
    "export.deserialize",
    "export.register_pytree_node_serialization",
    "export.register_namedtuple_serialization",
    "exports_are_serialised",
}


@law(
    "an exported function that was serialised and read again computes what the function computes, "
    "also of registered nodes",
    source=_GUIDE,
    needs=_NAMES,
    weight=0.2,
    case=serializable_trees(),
)
def an_export_that_was_read_computes_the_same(lib, case):
    exported = lib.export.export(jax.jit(_doubled))(case.tree)
    back = lib.export.deserialize(exported.serialize())
    same(back.call(case.tree), _doubled(case.tree))


@law(
    "an exported function that was serialised and read again has the treedefs and the types of "
    "its arguments and results",
    source=_PAGE,
    level="should",
    needs=_NAMES,
    weight=0.2,
    case=serializable_trees(),
)
def an_export_keeps_its_trees(lib, case):
    exported = lib.export.export(jax.jit(_doubled))(case.tree)
    back = lib.export.deserialize(exported.serialize())
    for name in ("in_tree", "out_tree", "in_avals", "out_avals"):
        equal(getattr(back, name), getattr(exported, name))


@law(
    "the gradient of an exported function that was serialised with `vjp_order=1` is that of the "
    "function",
    source=_GUIDE,
    needs=_NAMES,
    weight=0.08,
    case=serializable_trees(),
    parents=[an_export_that_was_read_computes_the_same],
)
def the_gradient_of_an_export_is_kept(lib, case):
    tree = jtu.tree_map(jnp.float32, case.tree)
    exported = lib.export.export(jax.jit(_energy))(tree)
    back = lib.export.deserialize(exported.serialize(vjp_order=1))
    same(jax.grad(back.call)(tree), jax.grad(_energy)(tree))


_UNKNOWN = """\
class NotExported{number}:
    def __init__(self, value):
        self.value = value


jtu.register_pytree_node(
    NotExported{number},
    lambda node: ((node.value,), {aux}),
    lambda _, children: NotExported{number}(*children),
)
"""
_UNKNOWN_PAIR = "NotExportedPair = collections.namedtuple('NotExportedPair', ['x'])\n"
_AROUND = ("{}", "[{}, None]", "{{'a': ({},)}}")


@st.composite
def _unknown_nodes(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    for number, aux in enumerate(("None", "'text'")):
        scope.define(_UNKNOWN.format(number=number, aux=aux))
    scope.define(_UNKNOWN_PAIR)
    node = draw(st.sampled_from(("NotExported0", "NotExported1", "NotExportedPair")))
    scope.bind("tree", draw(st.sampled_from(_AROUND)).format(f"{node}(jnp.zeros(2))"))
    return scope.recipe()


@law(
    "serialising an exported function of a node type that is not registered for it raises "
    "ValueError, although the export can be called",
    source=_PAGE,
    level="should",
    needs=_NAMES,
    weight=0.1,
    case=_unknown_nodes(),
)
def other_nodes_are_refused(lib, case):
    exported = lib.export.export(jax.jit(_doubled))(case.tree)
    same(exported.call(case.tree), _doubled(case.tree))
    refuses(ValueError, exported.serialize)


def _doubled(tree):
    twice = jtu.tree_map(lambda leaf: leaf | leaf if leaf.dtype == bool else leaf + leaf, tree)
    return {"twice": twice, "rest": [tree, None]}


def _energy(tree):
    return sum((jnp.sum(leaf * leaf) for leaf in jtu.tree_leaves(tree)), start=jnp.float32(0))
