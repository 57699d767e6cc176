"""Ways to run a program on a Flax NNX module, as text: transforms, contexts, threads.

Each way is an expression of `program`, `module` and `x` that does what `program(module, x)` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.contexts import IN_THREAD, WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, Since
from hypothesis_pytrees.core.ways import bind_way, way
from hypothesis_pytrees.nnx.module_programs import module_programs

_LOWER = Since(
    "`lower` of a compiled function",
    "flax>=0.10.7",
    "https://github.com/google/flax/blob/v0.10.7/flax/nnx/transforms/compilation.py",
)
_INNER = Since(
    "`inner` of `merge_context`",
    "flax>=0.10.4",
    "https://github.com/google/flax/blob/v0.10.4/flax/nnx/graph.py",
)
_CONTEXT = """\
def nnx_in_context(program, module, x):
    @jax.jit
    def inside(graphdef, state, x):
        with nnx.merge_context('treelaws', inner=True) as context:
            merged = context.merge(graphdef, state)
        result = program(merged, x)
        with nnx.split_context('treelaws') as context:
            return result, context.split(merged)

    with nnx.update_context('treelaws'):
        with nnx.split_context('treelaws') as context:
            graphdef, state = context.split(module)
        result, parts = inside(graphdef, state, x)
        with nnx.merge_context('treelaws', inner=False) as context:
            context.merge(*parts)
    return result
"""
_FUNCTIONAL = """\
def nnx_as_function(program, module, x):
    graphdef, state = nnx.split(module)

    @jax.jit
    def inside(state, x):
        merged = nnx.merge(graphdef, state)
        result = program(merged, x)
        return result, nnx.split(merged)[1]

    result, state = inside(state, x)
    nnx.update(module, state)
    return result
"""
_CUSTOM = """\
def nnx_with_custom_vjp(program):
    custom = nnx.custom_vjp(program)
    custom.defvjp(lambda module, x: (program(module, x), x), lambda kept, given: given[0])
    return custom
"""
_MESH = """\
def nnx_over_one_device(program):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    return nnx.shard_map(
        program, mesh=mesh, in_specs=(everywhere, everywhere), out_specs=everywhere
    )
"""

_NO_RESULT = """\
def nnx_without_result(program):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('all',))
    everywhere = jax.sharding.PartitionSpec()
    silent = lambda held, x: (program(held, x), None)[1]
    return nnx.shard_map(silent, mesh=mesh, in_specs=(everywhere, everywhere), out_specs=None)
"""
# A program on the module alone, which is then the only operand.
_ON_X = "lambda held: program(held, x)"
# Ways that take any program, also one that changes the structure of the module.
ANY_PROGRAM: Sequence[Kind] = (
    way("jit", "nnx.jit(program)(module, x)"),
    way("jit-keyword", "nnx.jit(lambda held, *, x: program(held, x))(module, x=x)"),
    way("jit-partial", "nnx.jit(functools.partial(program, x=x))(module)"),
    way(
        "jit-static",
        "nnx.jit(lambda held, flag, x: program(held, x), static_argnums=1)(module, 'on', x)",
    ),
    way(
        "jit-static-name",
        "nnx.jit(lambda held, x, flag: program(held, x), static_argnames='flag')"
        "(module, x, flag='on')",
    ),
    way(
        "jit-static-numbers",
        "nnx.jit(lambda held, flag, x, name: program(held, x), static_argnums=(1, 3))"
        "(module, 'on', x, 'name')",
    ),
    way(
        "jit-static-names",
        "nnx.jit(lambda held, x, flag, name: program(held, x), static_argnames=('flag', 'name'))"
        "(module, x, flag='on', name='name')",
    ),
    way(
        "jit-of-a-tree",
        "nnx.jit(lambda held, x: program(held['a'][1], x))({'a': (None, module)}, x)",
    ),
    way("jit-in-jit", "nnx.jit(lambda held, x: nnx.jit(program)(held, x))(module, x)"),
    way("lowered", "nnx.jit(program).lower(module, x).compile()(module, x)", needs=(_LOWER,)),
    # Without `jit`, the transform of JAX returns constants as literals, not as arrays.
    way("checkify", "nnx.checkify(nnx.jit(program))(module, x)[1]"),
    way("update-context", "nnx_in_context(program, module, x)", _CONTEXT, needs=(_INNER,)),
    way(
        "without-jit",
        "run_within(jax.disable_jit(), lambda: nnx.jit(program)(module, x))",
        WITHIN,
    ),
    way(
        "leaks-checked",
        "run_within(jax.checking_leaks(), lambda: nnx.jit(program)(module, x))",
        WITHIN,
    ),
    way("thread", "run_in_thread(lambda: program(module, x))", IN_THREAD),
    way("jit-in-a-thread", "run_in_thread(lambda: nnx.jit(program)(module, x))", IN_THREAD),
)
# Ways that take a program which keeps the structure of the module and the shapes in it.
FIXED_PROGRAM: Sequence[Kind] = (
    *ANY_PROGRAM,
    way("remat", "nnx.remat(program)(module, x)"),
    way("remat-in-jit", "nnx.jit(nnx.remat(program))(module, x)"),
    way("cached-partial", "nnx.cached_partial(nnx.jit(program), module)(x)"),
    way("custom-vjp", "nnx_with_custom_vjp(program)(module, x)", _CUSTOM),
    way("shard-map", "nnx_over_one_device(program)(module, x)", _MESH),
    way("cond", "nnx.cond(True, program, program, module, x)"),
    way("switch", "nnx.switch(1, [program, program], module, x)"),
    way("cond-of-one", f"nnx.cond(False, {_ON_X}, {_ON_X}, module)"),
    way("switch-of-one", f"nnx.switch(0, [{_ON_X}, {_ON_X}], module)"),
    way(
        "grad",
        "nnx.grad(lambda held, x: (jnp.sum(x), program(held, x)), argnums=1, has_aux=True)"
        "(module, x)[1]",
    ),
    way(
        "value-and-grad",
        "nnx.value_and_grad(lambda held, x: (jnp.sum(x), program(held, x)), argnums=1, "
        "has_aux=True)(module, x)[0][1]",
    ),
    way("functional", "nnx_as_function(program, module, x)", _FUNCTIONAL),
)
# Ways that give no result.
WITHOUT_RESULT: Sequence[Kind] = (
    way("shard-map-none", "nnx_without_result(program)(module, x)", _NO_RESULT),
    way("fori-loop", "nnx.fori_loop(0, 1, lambda i, held: (program(held, x), held)[1], module)"),
    way(
        "while-loop",
        "nnx.while_loop(lambda held: held[1] < 1, "
        "lambda held: (program(held[0], x), (held[0], held[1] + 1))[1], (module, 0))",
    ),
    way(
        "scan",
        "nnx.scan(lambda held, x: (program(held, x), held)[1], in_axes=(nnx.Carry, 0), "
        "out_axes=nnx.Carry)(module, x[None])",
    ),
)
_WHOLE = "lambda x, held: (program(held, x), x)[1]"
_TWICE = "(jnp.stack([x, x]), module)"
# Ways that run a program twice, without a result, on a module that a scan takes whole.
WHOLE_IN_A_SCAN: Sequence[Kind] = (
    way("scan-whole", f"nnx.scan({_WHOLE}, in_axes=(0, None), out_axes=0){_TWICE}"),
    way(
        "scan-whole-by-filter",
        f"nnx.scan({_WHOLE}, in_axes=(0, nnx.StateAxes({{...: None}})), out_axes=0){_TWICE}",
    ),
    *(
        way(
            f"scan-whole-{mode}",
            f"nnx.scan({_WHOLE}, in_axes=(0, None), out_axes=0, {option}{more}){_TWICE}",
            needs=(GRAPH_OPTIONS,),
        )
        for mode, option, more in (
            ("tree", "graph=False", ""),
            ("no-updates", "graph_updates=False", ""),
            ("tree-reverse", "graph=False", ", reverse=True"),
            ("no-updates-unrolled", "graph_updates=False", ", unroll=2"),
        )
    ),
)
_GRAD = (
    "nnx.grad(lambda held, x: (jnp.sum(x), program(held, x)), argnums=1, has_aux=True, $mode)"
    "(module, x)[1]"
)
# Ways that take modules as trees, without shared references.
AS_A_TREE: Sequence[Kind] = (
    *(
        way(f"{name}-{mode}", text.replace("$mode", option), needs=(GRAPH_OPTIONS,))
        for mode, option in (("tree", "graph=False"), ("no-updates", "graph_updates=False"))
        for name, text in (
            ("jit", "nnx.jit(program, $mode)(module, x)"),
            ("lowered", "nnx.jit(program, $mode).lower(module, x).compile()(module, x)"),
            ("remat", "nnx.remat(program, $mode)(module, x)"),
            ("jit-partial", "nnx.jit_partial(program, module, $mode)(x)"),
            ("checkify", "nnx.checkify(program, $mode)(module, x)[1]"),
            ("cond", "nnx.cond(True, program, program, module, x, $mode)"),
            ("switch", "nnx.switch(1, [program, program], module, x, $mode)"),
            (
                "grad",
                _GRAD,
            ),
            (
                "vmap",
                "nnx.vmap(program, in_axes=None, out_axes=None, axis_size=1, $mode)(module, x)",
            ),
        )
    ),
    way(
        "tree-context",
        "run_within(nnx.set_graph_mode(False), lambda: nnx.jit(program)(module, x))",
        WITHIN,
    ),
    way(
        "no-updates-context",
        "run_within(nnx.set_graph_updates(False), lambda: nnx.jit(program)(module, x))",
        WITHIN,
    ),
)


@st.composite
def programs_in_ways(draw: st.DrawFn, ways: Sequence[Kind], **options: Any) -> Recipe:
    """Draw a module, a program, and `run`, which does in some way what the program does.

    `run(program, module, x)` is to do what `program(module, x)` does.

    Args:
        ways: the ways; one that the releases have is drawn.
        options: those of `module_programs`.
    """
    scope = Scope()
    scope.include(draw(module_programs(**options)))
    bind_way(draw, scope, ways, "program, module, x")
    return scope.recipe()


_DOUBLE = """\
def nnx_double_each(module, x):
    held = [one for _, one in nnx.iter_graph(module) if isinstance(one, nnx.Variable)]
    for one in held:
        one[...] = one[...] + one[...]
    return sum(one[...] for one in held)
"""
_DOUBLED = (
    "nnx.Dict(a=nnx.Param(jnp.ones(2)), b=nnx.BatchStat(jnp.zeros(2)))",
    "nnx.Dict(b=nnx.List([nnx.Param(jnp.ones(2))]), a=nnx.Dict(c=nnx.Param(jnp.arange(2.0))))",
)


@st.composite
def doubled_in_every_way(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Draw a `module`, `x`, and `program`, which doubles each value, as each of `runs` does.

    Args:
        ways: a function of `runs` is bound for each that the releases have.
    """
    scope = Scope()
    scope.define(_DOUBLE)
    scope.bind("module", draw(st.sampled_from(_DOUBLED)))
    scope.bind("x", "jnp.full(2, 3.0)")
    scope.bind("program", "nnx_double_each")
    kinds = available(ways)
    for kind in kinds:
        scope.define(*kind.definitions)
    texts = (f"lambda program, module, x: {kind.template}" for kind in kinds)
    scope.bind("runs", f"[{', '.join(texts)}]")
    return scope.recipe()


# A lowered function takes no tracers.
_NO_PAIR = {"way:lowered", "way:shard-map", "way:thread", "way:jit-in-a-thread"}
# Ways that run inside each other and give the result of the program.
IN_PAIRS: Sequence[Kind] = (
    *(kind for kind in FIXED_PROGRAM if not _NO_PAIR & {*kind.features}),
    way(
        "scan-result",
        "jtu.tree_map(lambda leaf: leaf[0], nnx.scan(lambda held, x: (held, program(held, x)), "
        "in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))(module, x[None])[1])",
    ),
    way("vmap", "nnx.vmap(program, in_axes=None, out_axes=None, axis_size=1)(module, x)"),
)


@st.composite
def programs_in_two_ways(
    draw: st.DrawFn, outside: Sequence[Kind], inside: Sequence[Kind], **options: Any
) -> Recipe:
    """Draw a module, a program, and `run`, which does it in one way inside another.

    The features `outside:<name>` and `inside:<name>` say which.

    Args:
        outside: the ways of which one runs the other.
        inside: the ways of which one runs the program.
        options: those of `module_programs`.
    """
    scope = Scope()
    scope.include(draw(module_programs(**options)))
    for name, ways in (("outside", outside), ("inside", inside)):
        drawn = draw(st.sampled_from(available(ways)))
        scope.define(*drawn.definitions)
        scope.note(*(feature.replace("way:", f"{name}:") for feature in drawn.features))
        scope.bind(name, f"lambda program, module, x: {drawn.template}")
    both = "outside(lambda module, x: inside(program, module, x), module, x)"
    scope.bind("run", f"lambda program, module, x: {both}")
    return scope.recipe()
