"""Transforms of Flax NNX that take modules as trees, and their options, as text.

Each way is an expression of `program`, `module` and `x` that does what `program(module, x)` does.
The options `graph=False` and `graph_updates=False` stand in the place of `$mode`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, Since
from hypothesis_pytrees.core.ways import way

from .transform_options import DEVICE, MESH_OPTIONS, NO_TANGENT

_CUSTOM = """\
def nnx_with_custom_vjp_as(program, **mode):
    custom = nnx.custom_vjp(program, **mode)
    custom.defvjp(lambda module, x: (program(module, x), x), lambda kept, given: given[0])
    return custom
"""
_STATIC = Since(
    "jit_partial(static_argnums), and effects in custom_vjp without graph updates",
    "flax>=0.12.8",
    "https://github.com/google/flax/blob/v0.12.8/flax/nnx/transforms/compilation.py",
)
_MODES = (("tree", "graph=False"), ("no-updates", "graph_updates=False"))
_GRAPH_MODES = (
    ("graph", "graph=True"),
    ("updates", "graph_updates=True"),
    ("graph-and-updates", "graph=True, graph_updates=True"),
)
_PARTIAL = (
    (
        "jit-partial-donate",
        "nnx.jit_partial(program, module, donate_argnums=1, $mode)(jnp.copy(x))",
    ),
    ("jit-partial-donate-module", "nnx.jit_partial(program, module, donate_argnums=0, $mode)(x)"),
    (
        "jit-partial-donate-name",
        (
            "nnx.jit_partial(lambda held, x: program(held, x), module, donate_argnames='x', $mode)"
            "(x=jnp.copy(x))"
        ),
    ),
    (
        "jit-partial-inline",
        (
            "nnx.jit(lambda held, x: nnx.jit_partial(lambda held, x, _: program(held, x), held, "
            "inline=True, keep_unused=True, $mode)(x, jnp.zeros(2)), $mode)(module, x)"
        ),
    ),
    (
        "jit-partial-shardings",
        (
            "nnx.jit_partial(program, module, in_shardings=(one_device(), one_device()), "
            "out_shardings=one_device(), $mode)(x)"
        ),
        DEVICE,
    ),
    (
        "jit-partial-one-sharding",
        "nnx.jit_partial(program, module, in_shardings=one_device(), $mode)(x)",
        DEVICE,
    ),
    (
        "jit-partial-no-shardings",
        "nnx.jit_partial(program, module, in_shardings=(None, None), $mode)(x)",
    ),
    ("jit-partial-of-all", "nnx.jit_partial(program, module, jnp.copy(x), $mode)()"),
)
# Those of functions that also propagate changes of a graph.
_RESULTS = (
    ("jit-donate", "nnx.jit(program, donate_argnums=0, $mode)(module, x)"),
    (
        "jit-shardings",
        (
            "nnx.jit(program, in_shardings=(one_device(), one_device()), "
            "out_shardings=one_device(), $mode)(module, x)"
        ),
        DEVICE,
    ),
    ("shard-map", "nnx_over_one_device_with(program, $mode)(module, x)", MESH_OPTIONS),
    ("pmap", "nnx.pmap(program, in_axes=(None, 0), out_axes=None, $mode)(module, x[None])"),
    (
        "value-and-grad",
        (
            "nnx.value_and_grad(lambda held, x: (jnp.sum(x), program(held, x)), argnums=1, "
            "has_aux=True, $mode)(module, x)[0][1]"
        ),
    ),
    (
        "vjp",
        (
            "nnx.vjp(lambda x, held: (jnp.sum(x), program(held, x)), x, module, has_aux=True, "
            "$mode)[2]"
        ),
    ),
    (
        "remat-static",
        (
            "nnx.remat(lambda held, x, flag: program(held, x), static_argnums=2, $mode)"
            "(module, x, 'on')"
        ),
    ),
    (
        "vmap-axis-name",
        (
            "nnx.vmap(lambda held, x: program(held, x * jax.lax.psum(1, 'all')), in_axes=None, "
            "out_axes=None, axis_size=1, axis_name='all', $mode)(module, x)"
        ),
    ),
    (
        "scan-outputs",
        (
            "jtu.tree_map(lambda leaf: leaf[0], nnx.scan(lambda held, x: (held, program(held, x)), "
            "in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0), $mode)(module, x[None])[1])"
        ),
    ),
)
_PARTIAL_STATIC = (
    (
        "jit-partial-static",
        (
            "nnx.jit_partial(lambda held, x, flag: program(held, x), module, static_argnums=2, "
            "$mode)(x, 'on')"
        ),
    ),
    (
        "jit-partial-static-name",
        (
            "nnx.jit_partial(lambda held, x, flag: program(held, x), module, "
            "static_argnames='flag', $mode)(x, flag='on')"
        ),
    ),
)
_CUSTOM_RULES = (
    ("custom-vjp", "nnx_with_custom_vjp_as(program, $mode)(module, x)", _CUSTOM),
    ("no-tangent", "nnx_with_no_tangent_of_x(program, $mode)(module, x)", NO_TANGENT),
)
_LOOPS = (
    (
        "fori-loop",
        "nnx.fori_loop(0, 1, lambda i, held: (program(held, x), held)[1], module, $mode)",
    ),
    (
        "while-loop",
        (
            "nnx.while_loop(lambda held: held[1] < 1, "
            "lambda held: (program(held[0], x), (held[0], held[1] + 1))[1], (module, 0), $mode)"
        ),
    ),
    (
        "scan",
        (
            "nnx.scan(lambda held, x: (program(held, x), held)[1], in_axes=(nnx.Carry, 0), "
            "out_axes=nnx.Carry, $mode)(module, x[None])"
        ),
    ),
)


def in_each_mode(
    table: Iterable[tuple[str, ...]],
    needs: tuple[Since, ...] = (GRAPH_OPTIONS,),
    modes: Sequence[tuple[str, str]] = _MODES,
) -> tuple[Kind, ...]:
    """Return a way for each text and each option of a mode.

    Args:
        table: the name of a way, its expression with `$mode`, and its definitions.
        needs: features of a release that the ways use; default the two options.
        modes: names and options; default those that take modules as trees.
    """
    return tuple(
        way(f"{name}-{mode}", text.replace("$mode", option), *texts, needs=needs)
        for mode, option in modes
        for name, text, *texts in table
    )


TREE_OPTIONS: Sequence[Kind] = (
    *in_each_mode((*_PARTIAL, *_RESULTS)),
    *in_each_mode((*_PARTIAL_STATIC, *_CUSTOM_RULES), (_STATIC,)),
)
# These give no result.
TREE_LOOPS: Sequence[Kind] = in_each_mode(_LOOPS)
# In graph mode, for any module. `vjp` and `jit_partial` propagate no change of a graph.
_PLAIN = (
    ("jit", "nnx.jit(program, $mode)(module, x)"),
    ("remat", "nnx.remat(program, $mode)(module, x)"),
    ("checkify", "nnx.checkify(nnx.jit(program), $mode)(module, x)[1]"),
    ("cond", "nnx.cond(True, program, program, module, x, $mode)"),
    ("switch", "nnx.switch(1, [program, program], module, x, $mode)"),
)
# `custom_vjp` wants a function with a name there, a finding of its own.
_NAMED_RULES = tuple(
    (name, text.replace("(program,", "(lambda held, x: program(held, x),"), *texts)
    for name, text, *texts in _CUSTOM_RULES
)
GRAPH_RESULTS: Sequence[Kind] = (
    *in_each_mode((*_PLAIN, *(one for one in _RESULTS if one[0] != "vjp")), modes=_GRAPH_MODES),
    *in_each_mode(_NAMED_RULES, (_STATIC,), modes=_GRAPH_MODES),
)
GRAPH_LOOPS: Sequence[Kind] = in_each_mode(_LOOPS, modes=_GRAPH_MODES)
