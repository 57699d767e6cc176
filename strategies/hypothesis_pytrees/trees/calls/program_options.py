"""Options of transforms that change a jaxpr, as text.

Each way is a call of a transform of a library, and that of the transform of JAX. `$options`
stands for the options.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, MANUAL_AXES, Since

_DEVICE = "jax.sharding.SingleDeviceSharding(jax.devices()[0])"
# An option of the library, and the same of JAX.
_JIT = tuple(
    (option, option)
    for option in (
        "inline=True",
        "keep_unused=True",
        "donate_argnums=0",
        "donate_argnums=(0, 1)",
        "donate_argnames='y'",
        "donate_argnames=('x', 'y')",
        f"out_shardings={_DEVICE}",
        f"in_shardings=({_DEVICE}, {_DEVICE})",
    )
)
_REMAT = tuple(
    (option, option)
    for option in (
        "prevent_cse=False",
        "policy=jax.checkpoint_policies.dots_saveable",
        "policy=jax.checkpoint_policies.everything_saveable",
        "policy=jax.checkpoint_policies.nothing_saveable",
    )
)
_LOOP = tuple((option, option) for option in ("reverse=True", "unroll=2", "unroll=True"))
_SHARD_MAP = (("check_vma=False", "check_vma=False"),)
# The axis stands in the sharding of what is constrained within `vmap`.
_SPMD = (("spmd_axis_name='all'", "spmd_axis_name='all'"),)
_STEP = "lambda x, y: (function(x, y), y)"
_MESH = "jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))"
_SPECS = (
    f"mesh={_MESH}, in_specs=jax.sharding.PartitionSpec(), out_specs=jax.sharding.PartitionSpec()"
)
_PLACED = "lambda x, y: jax.lax.with_sharding_constraint(function(x, y), everywhere)"
_Options = Sequence[tuple[str, str]]
_Row = tuple[str, str, str, _Options, tuple[Since, ...]]


def _in_modes(row: _Row) -> Iterator[_Row]:
    name, ours, theirs, options, needs = row
    yield row
    for mode in ("graph=False", "graph_updates=False"):
        text = ours.replace("$options", f", {mode}$options")
        yield f"{name}-{mode.partition('=')[0]}", text, theirs, options, (*needs, GRAPH_OPTIONS)


_NNX: Sequence[_Row] = (
    ("jit", "nnx.jit(function$options)(x, y)", "jax.jit(function$options)(x, y)", _JIT, ()),
    (
        "jit-by-name",
        "nnx.jit(function$options)(x, y=y)",
        "jax.jit(function$options)(x, y=y)",
        _JIT[:2] + _JIT[4:6],
        (),
    ),
    (
        "jit-decorator",
        "nnx.jit(*()$options)(function)(x, y)",
        "jax.jit(function$options)(x, y)",
        _JIT,
        (),
    ),
    (
        "jit-static",
        "nnx.jit(lambda x, y, name: function(x, y), static_argnums=2$options)(x, y, 'text')",
        "jax.jit(lambda x, y, name: function(x, y), static_argnums=2$options)(x, y, 'text')",
        _JIT[:6],
        (),
    ),
    (
        "remat-decorator",
        "nnx.remat(*()$options)(function)(x, y)",
        "jax.checkpoint(function$options)(x, y)",
        _REMAT,
        (),
    ),
    (
        "remat",
        "nnx.remat(function$options)(x, y)",
        "jax.checkpoint(function$options)(x, y)",
        _REMAT,
        (),
    ),
    (
        "scan",
        (f"nnx.scan({_STEP}, in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0)$options)(x, stacked)"),
        f"jax.lax.scan({_STEP}, x, stacked$options)",
        _LOOP,
        (),
    ),
    (
        "vmap",
        f"nnx.vmap({_PLACED}$options)(stacked, stacked)",
        f"jax.vmap({_PLACED}$options)(stacked, stacked)",
        _SPMD,
        (),
    ),
    (
        "shard-map",
        f"nnx.shard_map(function, {_SPECS}$options)(x, y)",
        f"jax.shard_map(function, {_SPECS}$options)(x, y)",
        _SHARD_MAP,
        (MANUAL_AXES,),
    ),
)
_EQUINOX: Sequence[_Row] = (
    (
        "filter-checkpoint",
        "eqx.filter_checkpoint(function$options)(x, y)",
        "jax.checkpoint(function$options)(x, y)",
        _REMAT,
        (),
    ),
)


_Programs = tuple[tuple[Kind, str, _Options], ...]


def _table(rows: Sequence[_Row]) -> _Programs:
    """Return for each row the kind of a call, the call of JAX, and the options of both."""
    return tuple(
        (Kind("way", ours, (), (f"way:{name}",), needs=needs), theirs, tuple(options))
        for name, ours, theirs, options, needs in rows
    )


NNX_PROGRAMS = _table([one for row in _NNX for one in _in_modes(row)])
EQUINOX_PROGRAMS = _table(_EQUINOX)
_BODIES = (
    "x * y",
    "jnp.sin(x) + y",
    "jnp.dot(x, jnp.cos(y)) + x",
    "jnp.tanh(jnp.sin(x)) @ y * x",
)
_AROUND = (
    ("alone", "lambda x, y: {}"),
    ("in-jit", "lambda x, y: jax.jit(lambda x, y: {})(x, y)"),
    ("in-cond", "lambda x, y: jax.lax.cond(True, lambda x, y: {}, lambda x, y: {}, x, y)"),
    ("after", "lambda x, y: (lambda x, y: {})(jnp.sin(x), y)"),
)


@st.composite
def optional_programs(draw: st.DrawFn, table: _Programs) -> Recipe:
    """Draw `ours` and `theirs`, functions of `x` and `y` with an option, and both without it.

    `plain_ours` and `plain_theirs` are those without.

    Args:
        table: `NNX_PROGRAMS` or `EQUINOX_PROGRAMS`.
    """
    scope = Scope()
    kinds = available([kind for kind, *_ in table])
    kind, theirs, options = draw(st.sampled_from([one for one in table if one[0] in kinds]))
    scope.note(*kind.features)
    chosen = draw(st.lists(st.sampled_from(options), min_size=1, max_size=2))
    # No argument twice.
    given = {
        ours.partition("=")[0].removesuffix("nums").removesuffix("names"): (ours, other)
        for ours, other in chosen
    }
    scope.note(*(f"option:{ours.partition('=')[0]}" for ours, _ in given.values()))
    around, text = draw(st.sampled_from(_AROUND))
    scope.note(f"around:{around}")
    numbers = draw(st.sampled_from(("[1.0, -2.0]", "[0.5, 4.0]")))
    scope.bind("x", f"jax.device_put(np.float32({numbers}))")
    scope.bind("y", "jax.device_put(np.float32([3.0, 0.25]))")
    scope.bind("stacked", "jnp.stack([y, x])")
    scope.bind("everywhere", f"jax.sharding.NamedSharding({_MESH}, jax.sharding.PartitionSpec())")
    scope.bind("function", f"lambda x, y: {draw(st.sampled_from(_BODIES))}")
    for name, call, place in (("ours", kind.template, 0), ("theirs", theirs, 1)):
        some = "".join(f", {one[place]}" for one in given.values())
        for bound, texts in ((name, some), (f"plain_{name}", "")):
            inner = call.replace("$options", texts)
            scope.bind(bound, text.replace("{}", inner))
    return scope.recipe()
