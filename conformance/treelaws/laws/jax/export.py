"""JAX: exported functions of trees that are written and read again."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.trees.serializable import serializable_trees
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same
from treelaws.laws._carried import carried

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
    case=serializable_trees(),
)
def an_export_that_was_read_computes_the_same(lib, case):
    exported = lib.export.export(jax.jit(_doubled))(case.tree)
    back = lib.export.deserialize(bytearray(carried(bytes(exported.serialize()))))
    same(back.call(case.tree), _doubled(case.tree))


@law(
    "an exported function that was serialised and read again has the treedefs and the types of "
    "its arguments and results",
    source=_PAGE,
    level="should",
    needs=_NAMES,
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
    case=serializable_trees(),
    parents=[an_export_that_was_read_computes_the_same],
)
def the_gradient_of_an_export_is_kept(lib, case):
    tree = jtu.tree_map(jnp.float32, case.tree)
    exported = lib.export.export(jax.jit(_energy))(tree)
    back = lib.export.deserialize(exported.serialize(vjp_order=1))
    same(jax.grad(back.call)(tree), jax.grad(_energy)(tree))


# How an exported function may be called.
_WAYS = (
    way("call", "exported.call(tree)"),
    way("jit", "jax.jit(exported.call)(tree)"),
    way("jit-of-lambda", "jax.jit(lambda tree: exported.call(tree))(tree)"),
    way("jit-shardings", "jax.jit(exported.call, in_shardings=where, out_shardings=where)(tree)"),
    way("jit-results", "jax.jit(exported.call, out_shardings=where)(tree)"),
    way("jit-of-placed", "jax.jit(exported.call)(jax.device_put(tree, where))"),
    way("scan", "jax.lax.scan(lambda held, _: (held, exported.call(tree)), 0, None, length=1)[1]"),
    way("cond", "jax.lax.cond(True, exported.call, exported.call, tree)"),
    way("constraint", "jax.jit(lambda x: jax.lax.with_sharding_constraint(exported.call(x), where))"
        "(tree)"),
    way("twice", "jax.export.export(jax.jit(exported.call))(tree).call(tree)"),
)  # fmt: skip
_OPTIONS = ("{}", "{'in_shardings': where, 'out_shardings': where}", "{'out_shardings': where}")


@st.composite
def _called(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, `options` of `jit`, `kept`, which keeps an export, and `call`, which calls it.

    Features: `export:sharded` if there are options, `export:read` if it is serialised before.
    """
    scope = Scope()
    scope.include(draw(serializable_trees(keys=True)))
    scope.statement("import jax.export")
    scope.bind(
        "where",
        "jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',)), "
        "jax.sharding.PartitionSpec())",
    )
    drawn = draw(st.sampled_from(available(_WAYS)))
    scope.note(*drawn.features)
    options = draw(st.sampled_from(_OPTIONS))
    scope.note(*(["export:sharded"] if options != "{}" else []))
    scope.bind("options", options)
    read = draw(st.booleans())
    scope.note(*(["export:read"] if read else []))
    back = "lib.export.deserialize(exported.serialize())" if read else "exported"
    scope.bind("kept", f"lambda lib, exported: {back}")
    text = drawn.template
    if "way:scan" in drawn.features:
        text = f"jtu.tree_map(lambda leaf: leaf[0], {text})"
    scope.bind("call", f"lambda exported, tree: {text}")
    return scope.recipe()


@law(
    "an exported function gives what the function gives, also of random keys, however it was "
    "compiled and in each transformation that calls it",
    source=_GUIDE,
    level="should",
    needs=_NAMES,
    case=_called(),
)
def an_export_can_be_called_anywhere(lib, case):
    exported = lib.export.export(jax.jit(_turned, **case.options))(case.tree)
    same(case.call(case.kept(lib, exported), case.tree), _turned(case.tree))


def _turned(tree):
    flipped = jtu.tree_map(lambda leaf: leaf[::-1] if leaf.ndim else leaf, tree)
    return {"flipped": flipped, "new": [jax.random.key(3), jnp.float32(1)]}


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
