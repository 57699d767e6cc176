"""Compositions of transformations of a function which acts on each element of a tree, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.trees.ways_custom import CUSTOM_JVP, CUSTOM_VJP

_SQUARES = """\
def squares_with_none(tree):
    return {'out': jtu.tree_map(lambda leaf: leaf * leaf, tree), 'none': None}
"""
_VMAP_RULE = """\
def squares_with_vmap_rule(function):
    custom = jax.custom_batching.custom_vmap(function)
    custom.def_vmap(
        lambda size, batched, tree: (
            function(tree), {'out': batched[0], 'none': None}
        )
    )
    return custom
"""
# A rule gives a zero for a zero.
_ZERO_JVP = """\
def squares_with_symbolic_jvp():
    custom = jax.custom_jvp(squares_with_none)
    is_zero = lambda leaf: type(leaf) is jax.custom_derivatives.SymbolicZero
    slope = lambda leaf, tangent: tangent if is_zero(tangent) else 2 * leaf * tangent

    def rule(primals, tangents):
        slopes = jtu.tree_map(slope, *primals, *tangents)
        return custom(*primals), {'out': slopes, 'none': None}

    custom.defjvp(rule, symbolic_zeros=True)
    return custom
"""
_ZERO_VJP = """\
def squares_with_symbolic_vjp():
    custom = jax.custom_vjp(squares_with_none)
    is_zero = lambda leaf: type(leaf) is jax.custom_derivatives.SymbolicZero
    slope = lambda leaf, given: jnp.zeros_like(leaf) if is_zero(given) else 2 * leaf * given

    def forward(tree):
        values = jtu.tree_map(lambda leaf: leaf.value, tree)
        return custom(values), values

    pull = lambda values, given: (jtu.tree_map(slope, values, given['out']),)
    custom.defvjp(forward, pull, symbolic_zeros=True)
    return custom
"""
RULED: Sequence[Kind] = (
    way("custom-vmap", "squares_with_vmap_rule(squares_with_none)", _VMAP_RULE),
    way("sequential-vmap", "jax.custom_batching.sequential_vmap(squares_with_none)"),
    way("custom-jvp", "tree_with_custom_jvp(squares_with_none)", CUSTOM_JVP),
    way("custom-vjp", "tree_with_custom_vjp(squares_with_none)", CUSTOM_VJP),
    way("custom-jvp-zeros", "squares_with_symbolic_jvp()", _ZERO_JVP),
    way("custom-vjp-zeros", "squares_with_symbolic_vjp()", _ZERO_VJP),
)
SYMBOLIC = RULED[-2:]
# Loops that take one step, from ones, beside a count, which has no derivative.
_LOOPS = """\
def squares_by_a_loop(tree, loop):
    square = lambda held, given: jtu.tree_map(lambda one, leaf: one * leaf, held, given)
    start = jtu.tree_map(lambda leaf: jnp.asarray(leaf, jnp.float32), tree)
    step = lambda held: (held[0] + 1, square(held[1], start))
    count = jnp.int32(0)
    if loop == 'while':
        end = jax.lax.while_loop(lambda held: held[0] < 1, step, (count, start))
    elif loop == 'for':
        end = jax.lax.fori_loop(0, jnp.int32(1), lambda _, held: step(held), (count, start))
    elif loop == 'for-known':
        end = jax.lax.fori_loop(0, 1, lambda _, held: step(held), (count, start))
    elif loop == 'cond':
        end = jax.lax.cond(jnp.bool_(True), step, lambda held: held, (count, start))
    elif loop == 'switch':
        end = jax.lax.switch(jnp.int32(1), [lambda held: held, step], (count, start))
    else:
        end, _ = jax.lax.scan(lambda held, _: (step(held), held[0]), (count, start), None, length=1)
    return {'out': end[1], 'none': None}
"""
_STOPPED = """\
def squares_stopped(function):
    return lambda tree: jax.lax.stop_gradient(function(tree))
"""
LOOPED: Sequence[Kind] = tuple(
    kind
    for loop in ("while", "for", "for-known", "scan", "cond", "switch")
    for kind in (
        way(loop, f"lambda tree: squares_by_a_loop(tree, '{loop}')", _LOOPS),
        way(
            f"{loop}-stopped",
            f"squares_stopped(lambda tree: squares_by_a_loop(tree, '{loop}'))",
            _LOOPS,
            _STOPPED,
        ),
    )
)
# Each makes of a function which acts on each element another one.
_STEPS = {
    "jit": "jax.jit({})",
    "vmap": "jax.vmap({})",
    "jvp": "(lambda f: lambda x: jax.jvp(f, (x,), (x,))[1])({})",
    "linearize": "(lambda f: lambda x: jax.linearize(f, x)[1](x))({})",
    "vjp": "(lambda f: lambda x: jax.vjp(f, x)[1](x)[0])({})",
    "grad": "(lambda f: jax.grad(lambda x: jnp.sum(f(x))))({})",
    "jacfwd": "(lambda f: lambda x: jnp.sum(jax.jacfwd(f)(x), tuple(range(-x.ndim, 0))))({})",
    "jacrev": "(lambda f: lambda x: jnp.sum(jax.jacrev(f)(x), tuple(range(-x.ndim, 0))))({})",
}
_FORWARD, _REVERSE = {"jvp", "linearize", "jacfwd"}, {"linearize", "vjp", "grad", "jacrev"}
# A function with `custom_vmap` has no derivative in reverse mode, one with `custom_vjp` none in
# forward mode: their pages say so. A loop of unknown length has none in reverse mode.
_WITHOUT: Mapping[str, set[str]] = {
    "way:custom-vmap": _REVERSE,
    "way:sequential-vmap": _REVERSE,
    "way:custom-vjp": _FORWARD,
    "way:custom-vjp-zeros": _FORWARD,
    "way:while": _REVERSE,
    "way:for": _REVERSE,
}
_TREES = (
    ("none", "{'a': x, 'bias': None}"),
    ("none", "(None, [x, x + 1], {})"),
    ("none", "[None, (x,)]"),
    ("plain", "{'a': x, 'b': x + 1}"),
    ("constant", "(x, 3.0)"),
    # Of the shape of the argument, which `vmap` changes: the result is to have that shape, too.
    (
        "constant",
        "{'a': jnp.asarray(np.full(x.shape, 2.0, np.float32)), 'b': [x], 'c': np.float32(2)}",
    ),
    ("constant tree:none", "[None, jnp.float32(2), x, x]"),
)
_HELD = (
    ("plain", "$0"),
    ("jit", "jax.jit($0)"),
    ("jit", "jax.jit($0)"),
    ("checkpoint", "jax.checkpoint($0)"),
    ("jit", "jax.jit($0)"),
    ("cond", "(lambda f: lambda tree: jax.lax.cond(True, f, f, tree))($0)"),
)


@st.composite
def composed(
    draw: st.DrawFn, ways: Sequence[Kind], *, trees: str = "none plain constant"
) -> Recipe:
    """Bind `of`, which composes transformations of a function, `ruled` and `plain`.

    Features: `tree:none` if the argument has `None`, `tree:constant` if a part of it does not
    depend on what the derivative is by, `held:<form>`, `step:<name>` for each transformation,
    `steps:<outer>-of-<inner>` for neighbours, `steps:vmap-around-jvp`, and
    `steps:derivative-around-reverse` if there is one around one in reverse mode.

    Args:
        ways: the functions that square each leaf.
        trees: which arguments: with `None`, plain ones, and those of which a part is constant.
    """
    scope = Scope()
    scope.define(_SQUARES)
    drawn = draw(st.sampled_from(ways))
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    drawn_from = [pair for pair in _TREES if pair[0].split()[0] in trees]
    name, tree = draw(st.sampled_from(drawn_from))
    scope.note(*f"tree:{name}".split())
    held, form = draw(st.sampled_from(_HELD))
    scope.note(f"held:{held}")
    without = _WITHOUT.get(drawn.features[0], set())
    steps = [step for step in _STEPS if step not in without]
    chosen = draw(st.lists(st.sampled_from(steps), min_size=2, max_size=3))
    text = f"lambda x: sum(jtu.tree_leaves(function({tree})))"
    for place, step in enumerate(chosen):
        # The argument has two axes.
        if step == "vmap" and chosen[:place].count("vmap") == 2:
            continue
        text = _STEPS[step].format(f"({text})" if place == 0 else text)
        scope.note(f"step:{step}")
        scope.note(*([f"steps:{step}-of-{chosen[place - 1]}"] if place else []))
        # `jacfwd` maps a derivative.
        if step == "jacfwd" or (step == "vmap" and {"jvp", "jacfwd"} & {*chosen[:place]}):
            scope.note("steps:vmap-around-jvp")
        if step in _FORWARD | _REVERSE and _REVERSE & {*chosen[:place]}:
            scope.note("steps:derivative-around-reverse")
    scope.bind("of", f"lambda function: {text}")
    scope.bind("ruled", form.replace("$0", f"({drawn.template})"))
    stopped = "stopped" in drawn.features[0]
    scope.define(*([_STOPPED] if stopped else []))
    scope.bind("plain", "squares_stopped(squares_with_none)" if stopped else "squares_with_none")
    return scope.recipe()
