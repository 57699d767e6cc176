"""Functions of Flax NNX that take trees with `graph=False`, and Variables at two places, as text.

Each way is an expression of `function`, `one` and `other`, trees that hold Variables. The options
`graph=False` and `graph_updates=False` stand in the place of `$mode`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way

_CUSTOM = """\
def nnx_custom_of_two(function, one, other, **mode):
    custom = nnx.custom_vjp(lambda one, other: function(one, other), **mode)
    custom.defvjp(lambda one, other: (function(one, other), None), lambda kept, given: (None, None))
    return custom(one, other)
"""
_MAP = """\
def nnx_map_of_two(function, one, other, **mode):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    specs = {'in_specs': (everywhere, everywhere), 'out_specs': everywhere}
    return nnx.shard_map(function, mesh=mesh, **specs, **mode)(one, other)
"""
_SHARDING = """\
def nnx_one_device():
    return jax.sharding.SingleDeviceSharding(jax.devices()[0])
"""
_PAIR = "lambda x, one, other: (x, function(one, other))"
# Transforms of a function, which give its result.
_TRANSFORMS = (
    ("jit", "nnx.jit(function, $mode)(one, other)"),
    ("jit-keyword", "nnx.jit(lambda a, *, b: function(a, b), $mode)(one, b=other)"),
    ("jit-of-a-tree", "nnx.jit(lambda both: function(*both), $mode)((one, other))"),
    (
        "jit-in-shardings",
        "nnx.jit(function, in_shardings=nnx_one_device(), $mode)(one, other)",
        _SHARDING,
    ),
    (
        "jit-out-shardings",
        "nnx.jit(function, out_shardings=nnx_one_device(), $mode)(one, other)",
        _SHARDING,
    ),
    ("jit-donate", "nnx.jit(function, donate_argnums=1, $mode)(one, other)"),
    (
        "jit-static",
        "nnx.jit(lambda a, flag, b: function(a, b), static_argnums=1, $mode)(one, 'on', other)",
    ),
    ("jit-lower", "nnx.jit(function, $mode).lower(one, other)"),
    ("jit-trace", "nnx.jit(function, $mode).trace(one, other)"),
    ("remat", "nnx.remat(function, $mode)(one, other)"),
    ("vmap", "nnx.vmap(function, $mode)(one, other)"),
    ("pmap", "nnx.pmap(function, $mode)(one, other)"),
    ("shard-map", "nnx_map_of_two(function, one, other, $mode)", _MAP),
    ("eval-shape", "nnx.eval_shape(function, one, other, $mode)"),
    ("checkify", "nnx.checkify(function, $mode)(one, other)[1]"),
    ("cond", "nnx.cond(True, function, function, one, other, $mode)"),
    ("switch", "nnx.switch(0, [function, function], one, other, $mode)"),
    ("grad", f"nnx.grad({_PAIR}, has_aux=True, $mode)(1.0, one, other)"),
    ("value-and-grad", f"nnx.value_and_grad({_PAIR}, has_aux=True, $mode)(1.0, one, other)"),
    (
        "grad-of-both",
        (
            "nnx.grad(lambda a, b: (jnp.sum(jtu.tree_leaves(a)[0]), function(a, b)), "
            "argnums=(0, 1), has_aux=True, $mode)(one, other)"
        ),
    ),
    ("vjp", "nnx.vjp(function, one, other, $mode)"),
    ("vjp-aux", "nnx.vjp(lambda a, b: (1.0, function(a, b)), one, other, has_aux=True, $mode)"),
    ("custom-vjp", "nnx_custom_of_two(function, one, other, $mode)", _CUSTOM),
    (
        "scan",
        (
            "nnx.scan(lambda x, a, b: function(a, b), in_axes=(0, None, None), out_axes=0, $mode)"
            "(jnp.ones(2), one, other)"
        ),
    ),
    ("scan-rows", "nnx.scan(function, in_axes=(0, 0), out_axes=0, $mode)(one, other)"),
    ("jit-partial", "nnx.jit_partial(function, one, other, $mode)()"),
)
# Transforms whose result is what they carry.
_LOOPS = (
    (
        "while-loop",
        (
            "nnx.while_loop(lambda held: held[1] < 1, lambda held: (held[0], held[1] + 1), "
            "((one, other), 0), $mode)"
        ),
    ),
    ("fori-loop", "nnx.fori_loop(0, 1, lambda i, held: held, (one, other), $mode)"),
    (
        "scan-carry",
        (
            "nnx.scan(lambda held, x: (held, x), in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0), "
            "$mode)([one, other], jnp.ones(2))"
        ),
    ),
)
# Functions of one tree.
_OPERATIONS = (
    ("split", "nnx.split([one, other], $mode)"),
    ("state", "nnx.state([one, other], $mode)"),
    ("state-filtered", "nnx.state([one, other], nnx.Variable, $mode)"),
    ("variables", "nnx.variables([one, other], $mode)"),
    ("graphdef", "nnx.graphdef([one, other], $mode)"),
    ("unpack", "nnx.unpack([one, other], $mode)"),
    ("flatten", "nnx.flatten([one, other], $mode)"),
    ("clone", "nnx.clone([one, other], $mode)"),
    ("recursive-map", "nnx.recursive_map(lambda path, value: value, [one, other], $mode)"),
    ("map", "nnx.map(lambda path, value: value, [one, other], $mode)"),
    ("as-abstract", "nnx.as_abstract([one, other], $mode)"),
    ("with-attributes", "nnx.with_attributes([one, other], raise_if_not_found=False, a=1, $mode)"),
    ("iter-graph", "list(nnx.iter_graph([one, other], $mode))"),
    ("iter-modules", "list(nnx.iter_modules([one, other], $mode))"),
    ("view", "nnx.view([one, other], raise_if_not_found=False, training=True, $mode)"),
    ("split-rngs", "nnx.split_rngs([one, other], splits=2, $mode)"),
    ("fork-rngs", "nnx.fork_rngs([one, other], split=2, $mode)"),
    ("reseed", "nnx.reseed([one, other], params=1, $mode)"),
)


def _in(mode: str, option: str, *tables: Sequence[tuple[str, ...]]) -> tuple[Kind, ...]:
    return tuple(
        way(f"{name}-{mode}", text.replace("$mode", option), *texts, needs=(GRAPH_OPTIONS,))
        for table in tables
        for name, text, *texts in table
    )


_TREE = ("tree", "graph=False")
# With `graph=True`, modules that are shared become trees before.
_NO_UPDATES = ("no-updates", "graph_updates=False")
_MAKE_JAXPR = ("make-jaxpr", "nnx.make_jaxpr(function, $mode)(one, other)")
TAKE_TREES: Sequence[Kind] = _in(*_TREE, _TRANSFORMS, _LOOPS, _OPERATIONS)
GIVE_TREES: Sequence[Kind] = _in(*_TREE, _TRANSFORMS)
GIVE_NO_ARGUMENTS: Sequence[Kind] = (*GIVE_TREES, *_in(*_NO_UPDATES, _TRANSFORMS, (_MAKE_JAXPR,)))

_HOLDER = """\
class NnxHoldsShared(nnx.Module):
    def __init__(self, first):
        self.first = first
"""
_TYPES = ("nnx.Param", "nnx.BatchStat", "nnx.Variable")
# What holds a Variable.
_HELD = (
    "{}",
    "[{}]",
    "({}, None)",
    "dict(b={})",
    "nnx.Dict(a=nnx.data({}))",
    "nnx.List([nnx.data({})])",
    "NnxHoldsShared(nnx.data({}))",
    "nnx.Dict(a=NnxHoldsShared(nnx.data({})))",
)


@st.composite
def shared_in_ways(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Draw trees `one`, `other` and `apart`, and `run(function, one, other)`, a way.

    A Variable of `other` is one of `one`; in `apart` its place is taken by an equal one.
    `give(first, second)` is a tree with both.

    Args:
        ways: the ways; one that the releases have is drawn.
    """
    scope = Scope()
    scope.define(_HOLDER)
    kind = draw(st.sampled_from(_TYPES))
    make = f"{kind}(jax.device_put(np.float32([[1.0, 2.0]])))"
    shared = scope.bind("shared", make)
    one, other = (draw(st.sampled_from(_HELD)) for _ in range(2))
    # A module that holds the Variable may be what is shared.
    whole = draw(st.booleans())
    scope.note("shared:whole" if whole else "shared:variable")
    held = scope.bind("held", one.format(shared))
    scope.bind("one", f"[{held}, {make}]")
    scope.bind("other", other.format(held if whole else shared))
    scope.bind("apart", other.format(one.format(make) if whole else make))
    second = draw(st.sampled_from(_HELD)).format("second")
    scope.bind("give", f"lambda first, second: [first, {second}]")
    bind_way(draw, scope, ways, "function, one, other", forms=PLAIN)
    return scope.recipe()
