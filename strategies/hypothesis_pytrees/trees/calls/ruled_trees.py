"""Functions of several trees with derivative rules of their own, and derivatives of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree
from hypothesis_pytrees.trees.ways_custom import NAMES

from .ruled_trees_text import (
    GRADIENT,
    JVP,
    JVP_ZEROS,
    JVPS,
    MATH,
    NO_SLOPES,
    OF,
    VJP,
)

# Small whole numbers, whose products are exact.
_FLOATS = tuple(
    Kind("leaf", text, (), (f"leaf:{name}",))
    for name, text in (
        ("float32", "jnp.float32([1, 2])"),
        ("float32-scalar", "jnp.float32(3)"),
        ("numpy-float32", "np.float32([[2]])"),
        ("empty", "jnp.zeros((0,), jnp.float32)"),
    )
)
_INTS = tuple(
    Kind("leaf", text, (), (f"leaf:{name}",))
    for name, text in (
        ("int32", "jnp.int32([1, 2])"),
        ("numpy-int32", "np.int32(2)"),
        ("int", "3"),
        ("bool", "jnp.asarray(True)"),
    )
)
_RULES: Sequence[Kind] = (
    way("jvp", "trees_with_jvp()", NO_SLOPES, JVP),
    way("jvp-gives-zeros", "trees_with_jvp(symbolic=True)", NO_SLOPES, JVP),
    way("jvp-zeros", "trees_with_symbolic_jvp(False)", NO_SLOPES, JVP_ZEROS),
    way("jvp-zeros-gives-zeros", "trees_with_symbolic_jvp(True)", NO_SLOPES, JVP_ZEROS),
    way("jvps", "trees_with_jvps()", JVPS),
    way("vjp", "trees_with_vjp()", VJP),
    way("vjp-zeros", "trees_with_vjp(zeros=True)", VJP),
    way("jvp-argnums", "trees_with_jvp(nondiff_argnums=(2,))", NO_SLOPES, JVP),
    way("vjp-argnums", "trees_with_vjp(nondiff_argnums=(2,))", VJP),
    way(
        "jvp-argnames",
        "trees_with_jvp(nondiff_argnames=('factor',))",
        NO_SLOPES,
        JVP,
        needs=(NAMES,),
    ),
    way("vjp-argnames", "trees_with_vjp(nondiff_argnames=('factor',))", VJP, needs=(NAMES,)),
    way(
        "gradient",
        "(lambda x, ints, scale=2.0: trees_with_gradient(x, scale + 0 * len(ints)))",
        GRADIENT,
    ),
)
_CALLS = (
    ("plain", "f(x, ints, scale)"),
    ("named", "f(x, ints, scale=scale)"),
    ("all-named", "f(scale=scale, ints=ints, x=x)"),
    ("default", "f(x, ints)"),
)
_WITH_FACTOR = (
    ("plain", "f(x, ints, 2, scale)"),
    ("named", "f(x, ints, factor=2, scale=scale)"),
    ("all-named", "f(scale=scale, factor=2, ints=ints, x=x)"),
    ("default", "f(x, ints, 2)"),
)
_SCALES = ("3.0", "jnp.float32(3)", "np.float32(1)", "sum(map(jnp.sum, jtu.tree_leaves(x)))")
# Derivatives by a tree, of a function of it; `total` is the sum of its results.
_FORWARD: Mapping[str, str] = {
    "jvp": "jax.jvp(f, (x,), (x,))",
    "linearize": "(lambda pair: (pair[0], pair[1](x)))(jax.linearize(f, x))",
    "jacfwd": "jax.jacfwd(out)(x)",
    "hessian": "jax.hessian(total)(x)",
    "jvp-of-scan": "jax.jvp(again, (x,), (x,))",
    "jvp-of-jit": "jax.jvp(jax.jit(f), (x,), (x,))",
    "vmap-of-jvp": "jax.vmap(lambda x: jax.jvp(f, (x,), (x,)))(rows)",
    "jvp-of-vmap": "jax.jvp(jax.vmap(f), (rows,), (rows,))",
    "linearize-in-jit": "jax.jit(lambda x: jax.linearize(out, x)[1](x))(x)",
}
_REVERSE: Mapping[str, str] = {
    "value": "f(x)",
    "vjp": "(lambda pair: (pair[0], pair[1](pair[0])))(jax.vjp(out, x))",
    "grad": "jax.grad(total)(x)",
    "jacrev": "jax.jacrev(out)(x)",
    "grad-of-jit": "jax.grad(jax.jit(total))(x)",
    "grad-of-checkpoint": "jax.grad(jax.checkpoint(total))(x)",
    "grad-in-jit": "jax.jit(jax.grad(total))(x)",
    "grad-of-scan": "jax.grad(lambda x: sums(again(x)))(x)",
    "vmap-of-grad": "jax.vmap(jax.grad(total))(rows)",
    "grad-of-vmap": "jax.grad(lambda rows: jnp.sum(jax.vmap(total)(rows)))(rows)",
    "grad-of-grad": "jax.grad(lambda x: sums(jax.grad(total)(x)))(x)",
}


@st.composite
def ruled_trees(draw: st.DrawFn) -> Recipe:
    """Bind `x`, a function `ruled` of it with a rule of its own, `plain`, and `derived`.

    Features: `rule:<name>`, `step:<name>`, `call:<form>`, `scale:<number>`, `ints:none` if no
    leaf is a whole number.
    """
    scope = Scope()
    scope.define(MATH, OF)
    rule = draw(st.sampled_from(available(_RULES)))
    scope.define(*rule.definitions)
    name = rule.features[0][4:]
    scope.note(f"rule:{name}")
    kinds = (*CONTAINERS, *NODES)
    leaves = draw_tree(draw, scope, leaves=pool(_FLOATS), kinds=kinds, max_leaves=4)
    scope.bind("x", f"[jnp.float32(2), {leaves}]")
    whole = name != "gradient" and draw(st.booleans())
    ints = draw_tree(draw, scope, leaves=pool(_INTS), kinds=kinds, max_leaves=3) if whole else "()"
    scope.bind("ints", ints)
    scope.note(*([] if whole else ["ints:none"]))
    at = draw(st.integers(0, len(_SCALES) - 1))
    scope.note(f"scale:{at}")
    form, call = draw(st.sampled_from(_WITH_FACTOR if "-arg" in name else _CALLS))
    scope.note(f"call:{form}")
    scope.bind("call", f"lambda f: lambda x: (lambda scale: {call})({_SCALES[at]})")
    scope.bind("ruled", f"call({rule.template})")
    parameters = "x, ints, factor, scale=2.0" if "-arg" in name else "x, ints, scale=2.0"
    factor = "factor" if "-arg" in name else "1"
    value = f"value_of_trees(x, ints, {factor}, scale)"
    value = f"{{'out': {value}['out']}}" if name == "jvps" else value
    scope.bind("plain", f"call(lambda {parameters}: {value})")
    steps = _REVERSE if "vjp" in name or name == "gradient" else {**_REVERSE, **_FORWARD}
    step = draw(st.sampled_from(tuple(steps)))
    scope.note(f"step:{step}")
    names = "f, x, out, total, sums, again, rows"
    scope.bind("derived", f"lambda f: derived_of_trees(f, x, lambda {names}: {steps[step]})")
    return scope.recipe()
