"""Ways in which a transform of Flax NNX hands out what a function makes, as text.

Each is an expression of `make`, a function of an array `x` that gives a new tree, modules in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, Since
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way

_CUSTOM = """\
def nnx_made_by_custom(make, x, **mode):
    custom = nnx.custom_vjp(make, **mode)
    custom.defvjp(lambda x: (make(x), x), lambda kept, given: (kept,))
    return custom(x)
"""
_MAP = """\
def nnx_made_over_one_device(make, x, **mode):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    specs = {'in_specs': (everywhere,), 'out_specs': everywhere}
    return nnx.shard_map(make, mesh=mesh, **specs, **mode)(x)
"""
_PAIR = "lambda x: (jnp.sum(x), make(x))"
# Without `jit`, some transforms of JAX return constants as literals, not as arrays.
_WAYS = (
    ("jit", "nnx.jit(make, $mode)(x)"),
    ("jit-in-jit", "nnx.jit(nnx.jit(make, $mode), $mode)(x)"),
    ("remat", "nnx.remat(nnx.jit(make, $mode), $mode)(x)"),
    ("checkify", "nnx.checkify(nnx.jit(make, $mode), $mode)(x)[1]"),
    ("cond", "nnx.cond(True, make, lambda x: make(x), x, $mode)"),
    ("switch", "nnx.switch(1, [lambda x: make(x), make], x, $mode)"),
    ("vmap", "nnx.vmap(make, in_axes=None, out_axes=None, axis_size=1, $mode)(x)"),
    ("pmap", "nnx.pmap(lambda x: make(x), out_axes=None, $mode)(x[None])"),
    ("custom-vjp", "nnx_made_by_custom(make, x, $mode)", _CUSTOM),
    ("shard-map", "nnx_made_over_one_device(make, x, $mode)", _MAP),
)
_SCAN = (
    "scan",
    (
        "jtu.tree_map(lambda leaf: leaf[0], nnx.scan(lambda carry, x: (carry, make(x)), "
        "in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0), $mode)(x, x[None])[1])"
    ),
)
# Only for the modes that take modules as trees, or propagate no change of their graph.
_IN_MODES = (
    ("vjp", "nnx.vjp(make, x, $mode)[0]"),
    ("jvp", "nnx.jvp(make, (x,), (x,), $mode)[0]"),
    ("jit-partial", "nnx.jit_partial(make, x, $mode)()"),
    _SCAN,
)
_AUX = (
    ("grad-aux", f"nnx.grad({_PAIR}, has_aux=True, $mode)(x)[1]"),
    ("value-and-grad-aux", f"nnx.value_and_grad({_PAIR}, has_aux=True, $mode)(x)[0][1]"),
)
_AUX_IN_MODES = (
    ("vjp-aux", f"nnx.vjp({_PAIR}, x, has_aux=True, $mode)[2]"),
    ("vjp-aux-decorator", f"nnx.vjp(has_aux=True, $mode)({_PAIR})(x)[2]"),
    ("jvp-aux", f"nnx.jvp({_PAIR}, (x,), (x,), has_aux=True, $mode)[2]"),
)
_MODES = (("tree", "graph=False"), ("no-updates", "graph_updates=False"))


def _in(
    name: str, option: str, table: Sequence[tuple[str, ...]], needs: tuple[Since, ...]
) -> tuple[Kind, ...]:
    return tuple(
        way(
            f"{one}{name}",
            text.replace("$mode", option) if option else text.replace(", $mode", ""),
            *texts,
            needs=needs,
        )
        for one, text, *texts in table
    )


_TREES = ("{}", "({}, {})", "[{}]", "dict(b={}, a=None)", "(None, [{}, jnp.arange(2)])", "None")


def _in_all(*tables: Sequence[tuple[str, ...]]) -> tuple[Kind, ...]:
    return tuple(
        kind
        for name, option in _MODES
        for table in tables
        for kind in _in(f"-{name}", option, table, (GRAPH_OPTIONS,))
    )


RESULTS: Sequence[Kind] = (
    *_in("", "", _WAYS, ()),
    # Before, modules are no trees, whose leaves have an axis.
    *_in("", "", (_SCAN,), (GRAPH_OPTIONS,)),
    *_in_all(_WAYS, _IN_MODES),
)
AUX: Sequence[Kind] = (*_in("", "", _AUX, ()), *_in_all(_AUX, _AUX_IN_MODES))


@st.composite
def made_in_ways(draw: st.DrawFn, ways: Sequence[Kind], nodes: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw a `made` tree, an array `x`, and `run`, which gives what `make` gives in some way.

    Args:
        ways: the ways; one that the releases have is drawn.
        nodes: the strategy of what the tree holds, such as modules.
    """
    scope = Scope()
    template = draw(st.sampled_from(_TREES))
    held = [scope.bind("held", draw(nodes)) for _ in range(template.count("{}"))]
    scope.note(f"made:{_TREES.index(template)}" if held else "made:nothing")
    scope.bind("made", template.format(*held))
    scope.bind("x", "jax.device_put(np.float32([3.0, 4.0]))")
    bind_way(draw, scope, ways, "make, x", forms=PLAIN)
    return scope.recipe()
