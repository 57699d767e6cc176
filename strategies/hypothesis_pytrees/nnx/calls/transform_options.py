"""Options of transforms of Flax NNX that change neither a result nor an effect, as text.

Each way is an expression of `program`, `module` and `x` that does what `program(module, x)` does.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, MANUAL_AXES, Since
from hypothesis_pytrees.core.ways import way

_TRACE = Since(
    "`trace` of a compiled function",
    "flax>=0.10.7",
    "https://github.com/google/flax/blob/v0.10.7/flax/nnx/transforms/compilation.py",
)
DEVICE = """\
def one_device():
    return jax.sharding.SingleDeviceSharding(jax.devices()[0])
"""
_STATE_SHARDING = """\
def nnx_one_device_for_params():
    return nnx.StateSharding({nnx.Param: one_device(), ...: None})
"""
MESH_OPTIONS = """\
def nnx_over_one_device_with(program, **options):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    return nnx.shard_map(
        program, mesh=mesh, in_specs=(everywhere, everywhere), out_specs=everywhere, **options
    )
"""
NO_TANGENT = """\
def nnx_with_no_tangent_of_x(program, **mode):
    custom = nnx.custom_vjp(program, nondiff_argnums=(1,), **mode)
    custom.defvjp(lambda module, x: (program(module, x), x), lambda x, kept, given: (given[0],))
    return custom
"""
_PARAM_TANGENTS = """\
def nnx_with_tangents_of_params(program):
    custom = nnx.custom_vjp(program, nondiff_argnums=(nnx.DiffState(0, nnx.Param), 1))
    custom.defvjp(lambda module, x: (program(module, x), x), lambda x, kept, given: given[0])
    return custom
"""
_RUNNER = """\
class NnxRunner(nnx.Module):
    def __init__(self, held):
        self.held = held

    def run(self, program, x):
        return program(self.held, x)


def nnx_run_on_a_copy(program, module, x, started):
    graphdef, state = nnx.split(NnxRunner(module))
    result, (graphdef, state) = started(graphdef, state).run(program, x)
    # A module without Variables has no state.
    if 'held' in state:
        nnx.update(module, state['held'])
    return result
"""
_SUM = "program(held, x * jax.lax.psum(1, 'all'))"

# Options of `nnx.jit` that go together; those of sharding and donation do not count static
# arguments.
_JIT_OPTIONS: Mapping[str, str] = {
    "static": "static_argnums=2",
    "in-shardings": "in_shardings=(one_device(), one_device())",
    "out-shardings": "out_shardings=one_device()",
    "donate": "donate_argnums=1",
    "keep-unused": "keep_unused=True",
}


def _two_options(one: str, other: str) -> Kind:
    """Return the way to compile with two options."""
    options = f"{_JIT_OPTIONS[one]}, {_JIT_OPTIONS[other]}"
    function, last = "lambda held, x: program(held, x)", ""
    if one == "static":
        function, last = "lambda held, x, flag: program(held, x)", ", 'on'"
    text = f"nnx.jit({function}, {options})(module, jnp.copy(x){last})"
    return way(f"jit-{one}-{other}", text, DEVICE)


# For any program, also one that changes the structure of the module.
ANY_OPTIONS: Sequence[Kind] = (
    *itertools.starmap(_two_options, itertools.combinations(_JIT_OPTIONS, 2)),
    way("donate-array", "nnx.jit(program, donate_argnums=1)(module, jnp.copy(x))"),
    way(
        "donate-array-name",
        "nnx.jit(lambda held, x: program(held, x), donate_argnames='x')(module, jnp.copy(x))",
    ),
    way("donate-module", "nnx.jit(program, donate_argnums=0)(module, x)"),
    way(
        "donate-module-name",
        "nnx.jit(lambda held, x: program(held, x), donate_argnames=('held',))(module, x)",
    ),
    way("inline", "nnx.jit(lambda held, x: nnx.jit(program, inline=True)(held, x))(module, x)"),
    way(
        "keep-unused",
        "nnx.jit(lambda held, x, _: program(held, x), keep_unused=True)(module, x, jnp.zeros(2))",
    ),
    way(
        "in-shardings",
        "nnx.jit(program, in_shardings=(one_device(), one_device()))(module, x)",
        DEVICE,
    ),
    way("out-shardings", "nnx.jit(program, out_shardings=one_device())(module, x)", DEVICE),
    way(
        "state-sharding",
        "nnx.jit(program, in_shardings=(nnx_one_device_for_params(), None))(module, x)",
        DEVICE,
        _STATE_SHARDING,
    ),
    way(
        "jit-decorator",
        "nnx.jit(static_argnames='flag', donate_argnums=())"
        "(lambda held, x, flag: program(held, x))(module, x, flag='on')",
    ),
    way(
        "traced", "nnx.jit(program).trace(module, x).lower().compile()(module, x)", needs=(_TRACE,)
    ),
)
# For a program which keeps the structure of the module and the shapes in it.
FIXED_OPTIONS: Sequence[Kind] = (
    *ANY_OPTIONS,
    way(
        "state-sharding-out",
        "nnx.jit(lambda held, x: (program(held, x), held), "
        "in_shardings=(nnx_one_device_for_params(), None), "
        "out_shardings=(None, nnx_one_device_for_params()))(module, x)[0]",
        DEVICE,
        _STATE_SHARDING,
    ),
    way(
        "remat-policy",
        "nnx.remat(program, policy=jax.checkpoint_policies.everything_saveable)(module, x)",
    ),
    way("remat-cse", "nnx.remat(program, prevent_cse=False)(module, x)"),
    way(
        "remat-static",
        "nnx.remat(lambda held, x, flag: program(held, x), static_argnums=2)(module, x, 'on')",
    ),
    way("no-tangent", "nnx_with_no_tangent_of_x(program)(module, x)", NO_TANGENT),
    way(
        "filtered-tangent",
        "nnx_with_tangents_of_params(lambda held, x: program(held, x))(module, x)",
        _PARAM_TANGENTS,
    ),
    way(
        "shard-map-manual",
        "nnx_over_one_device_with(program, axis_names={'all'}, check_vma=False)(module, x)",
        MESH_OPTIONS,
        needs=(MANUAL_AXES,),
    ),
    way("vmap", "nnx.vmap(program, in_axes=None, out_axes=None, axis_size=1)(module, x)"),
    way(
        "vmap-no-axes",
        "nnx.vmap(program, in_axes=(None, None), out_axes=None, axis_size=1)(module, x)",
    ),
    way("vmap-array", "nnx.vmap(program, in_axes=(None, 0), out_axes=None)(module, x[None])"),
    way(
        "vmap-axis-name",
        f"nnx.vmap(lambda held, x: {_SUM}, in_axes=None, out_axes=None, axis_size=1, "
        "axis_name='all')(module, x)",
    ),
    way(
        "vmap-spmd-axis",
        "nnx.vmap(program, in_axes=None, out_axes=None, axis_size=1, spmd_axis_name='all')"
        "(module, x)",
    ),
    way("pmap", "nnx.pmap(program, in_axes=(None, 0), out_axes=None)(module, x[None])"),
    way(
        "pmap-axis-name",
        f"nnx.pmap(lambda held, x: {_SUM}, in_axes=(None, 0), out_axes=None, axis_name='all', "
        "axis_size=1, devices=jax.devices()[:1], donate_argnums=1)(module, jnp.copy(x)[None])",
    ),
    way(
        "pmap-static",
        "nnx.pmap(lambda held, x, flag: program(held, x), in_axes=(None, 0, None), out_axes=None, "
        "static_broadcasted_argnums=2, devices=jax.devices()[:1])(module, x[None], 'on')",
    ),
    way(
        "call",
        "nnx_run_on_a_copy(program, module, x, lambda *parts: nnx.call(parts))",
        _RUNNER,
    ),
    way(
        "graphdef-apply",
        "nnx_run_on_a_copy(program, module, x, lambda graphdef, state: graphdef.apply(state))",
        _RUNNER,
    ),
    way(
        "graphdef-apply-states",
        "nnx_run_on_a_copy(program, module, x, lambda graphdef, state: "
        "graphdef.apply(*nnx.split_state(state, nnx.Param, ...), graph=True))",
        _RUNNER,
        needs=(GRAPH_OPTIONS,),
    ),
    way(
        "cached-in-graph-mode",
        "nnx.cached_partial(nnx.jit(program), module, graph=True, graph_updates=True)(x)",
        needs=(GRAPH_OPTIONS,),
    ),
    way(
        "scan-outputs",
        "jtu.tree_map(lambda leaf: leaf[0], nnx.scan(lambda held, x: (held, program(held, x)), "
        "in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0), length=1, unroll=True)"
        "(module, x[None])[1])",
    ),
)
# These give no result.
LOOP_OPTIONS: Sequence[Kind] = (
    way(
        "fori-loop-unroll",
        "nnx.fori_loop(0, 1, lambda i, held: (program(held, x), held)[1], module, unroll=True)",
    ),
    way(
        "fori-loop-unroll-some",
        "nnx.fori_loop(3, 4, lambda i, held: (program(held, x), held)[1], module, unroll=2)",
    ),
    way(
        "scan-length",
        "nnx.scan(lambda held: (program(held, x), held)[1], length=1, in_axes=(nnx.Carry,), "
        "out_axes=nnx.Carry)(module)",
    ),
    way(
        "scan-carry-alone",
        "nnx.scan(lambda held: (program(held, x), held)[1], length=1, in_axes=nnx.Carry, "
        "out_axes=nnx.Carry)(module)",
    ),
    way(
        "scan-constant",
        "nnx.scan(lambda held, x: (program(held, x), held)[1], length=1, "
        "in_axes=(nnx.Carry, None), out_axes=nnx.Carry)(module, x)",
    ),
    way(
        "scan-reverse",
        "nnx.scan(lambda held, x: (program(held, x), held)[1], reverse=True, "
        "in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)(module, x[None])",
    ),
    way(
        "scan-unroll",
        "nnx.scan(lambda held, x: (program(held, x), held)[1], unroll=2, "
        "in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)(module, x[None])",
    ),
)
_SPECS = {
    "whole": "None",
    "array": "(everywhere, None)",
    "module": "(None, everywhere)",
}
# Ways to give an argument of `shard_map` no spec, which shards it not, in each mode.
WITHOUT_SPECS: Sequence[Kind] = tuple(
    way(
        f"no-spec-{name}{mode}",
        "(lambda everywhere: nnx.shard_map(program, "
        "mesh=jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',)), "
        f"in_specs={specs}, out_specs=everywhere{option})(module, x))"
        "(jax.sharding.PartitionSpec())",
        needs=(GRAPH_OPTIONS,),
    )
    for name, specs in _SPECS.items()
    for mode, option in (
        ("", ""),
        ("-tree", ", graph=False"),
        ("-no-updates", ", graph_updates=False"),
    )
)
