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
# The function multiplies each leaf of a tree by the sum of everything that it is given.
_MATH = """\
def scale_of_trees(x, ints, factor, scale):
    leaves = [jnp.asarray(leaf, jnp.float32) for leaf in jtu.tree_leaves((x, ints))]
    return factor * (sum(map(jnp.sum, leaves), jnp.float32(0)) + scale)


def value_of_trees(x, ints, factor, scale):
    by = scale_of_trees(x, ints, factor, scale)
    return {
        'out': jtu.tree_map(lambda leaf: leaf * by, x),
        'count': jtu.tree_map(lambda leaf: jnp.asarray(leaf) + 1, ints),
        'still': jax.lax.stop_gradient(jnp.float32(scale)),
        'none': None,
    }


def slope_of_trees(primals, tangents, factor):
    (x, ints, scale), (dx, _, dscale) = primals, tangents
    by = scale_of_trees(x, ints, factor, scale)
    more = factor * (sum(map(jnp.sum, jtu.tree_leaves(dx)), jnp.float32(0)) + dscale)
    return jtu.tree_map(lambda leaf, given: given * by + leaf * more, x, dx)


def pulled_of_trees(primals, factor, given):
    x, ints, scale = primals
    by = scale_of_trees(x, ints, factor, scale)
    pairs = zip(jtu.tree_leaves(x), jtu.tree_leaves(given))
    more = factor * sum((jnp.sum(leaf * one) for leaf, one in pairs), jnp.float32(0))
    return jtu.tree_map(lambda one: one * by + more, given), None, more
"""
_NO_SLOPES = """\
def no_slope_of_leaf(leaf, symbolic):
    if symbolic:
        return jax.custom_derivatives.zero_from_primal(leaf, symbolic_zeros=True)
    real = jnp.issubdtype(jnp.result_type(leaf), jnp.floating)
    return jnp.zeros_like(leaf) if real else np.zeros(np.shape(leaf), jax.dtypes.float0)


def slopes_of_trees(value, out, symbolic):
    rest = {name: value[name] for name in ('count', 'still')}
    return {'out': out, 'none': None} | jtu.tree_map(
        lambda leaf: no_slope_of_leaf(leaf, symbolic), rest
    )
"""
_JVP = """\
def trees_with_jvp(factor=1, symbolic=False, **options):
    if options:
        function = lambda x, ints, factor, scale=2.0: value_of_trees(x, ints, factor, scale)
    else:
        function = lambda x, ints, scale=2.0: value_of_trees(x, ints, factor, scale)
    custom = jax.custom_jvp(function, **options)

    def rule(primals, tangents, factor=factor):
        x, ints, scale = primals
        value = custom(*((x, ints, factor, scale) if options else primals))
        return value, slopes_of_trees(value, slope_of_trees(primals, tangents, factor), symbolic)

    def rule_of(factor, primals, tangents):
        return rule(primals, tangents, factor)

    custom.defjvp(rule_of if options else rule)
    return custom
"""
_JVP_ZEROS = """\
def trees_with_symbolic_jvp(symbolic):
    custom = jax.custom_jvp(lambda x, ints, scale=2.0: value_of_trees(x, ints, 1, scale))
    is_zero = lambda given: type(given) is jax.custom_derivatives.SymbolicZero
    known = lambda leaf, given: jnp.zeros_like(leaf) if is_zero(given) else given

    def rule(primals, tangents):
        value = custom(*primals)
        x, ints, scale = primals
        if all(map(is_zero, jtu.tree_leaves((tangents[0], tangents[2])))):
            out = jtu.tree_map(lambda leaf: no_slope_of_leaf(leaf, symbolic), value['out'])
        else:
            dx, dscale = jtu.tree_map(known, (x, scale), (tangents[0], tangents[2]))
            out = slope_of_trees(primals, (dx, None, dscale), 1)
        return value, slopes_of_trees(value, out, symbolic)

    custom.defjvp(rule, symbolic_zeros=True)
    return custom
"""
_JVPS = """\
def trees_with_jvps():
    plain = lambda x, ints, scale=2.0: {'out': value_of_trees(x, ints, 1, scale)['out']}
    custom = jax.custom_jvp(plain)

    def by_x(dx, value, x, ints, scale):
        return {'out': slope_of_trees((x, ints, scale), (dx, None, 0.0), 1)}

    def by_scale(dscale, value, x, ints, scale):
        return {'out': jtu.tree_map(lambda leaf: leaf * dscale, x)}

    custom.defjvps(by_x, None, by_scale)
    return custom
"""
_VJP = """\
def trees_with_vjp(factor=1, zeros=False, **options):
    if options:
        function = lambda x, ints, factor, scale=2.0: value_of_trees(x, ints, factor, scale)
    else:
        function = lambda x, ints, scale=2.0: value_of_trees(x, ints, factor, scale)
    custom = jax.custom_vjp(function, **options)
    is_zero = lambda given: type(given) is jax.custom_derivatives.SymbolicZero
    known = lambda leaf, given: jnp.zeros_like(leaf) if is_zero(given) else given

    def forward(*args):
        if zeros:
            args = jtu.tree_map(lambda leaf: leaf.value, args)
        x, ints, by, scale = args if options else (*args[:2], factor, args[2])
        return value_of_trees(x, ints, by, scale), (x, ints, scale)

    def backward(primals, given, factor=factor):
        return pulled_of_trees(primals, factor, jtu.tree_map(known, primals[0], given['out']))

    def backward_of(factor, primals, given):
        return backward(primals, given, factor)

    custom.defvjp(forward, backward_of if options else backward, symbolic_zeros=zeros)
    return custom
"""
_GRADIENT = """\
@jax.custom_gradient
def trees_with_gradient(x, scale):
    primals = (x, (), scale)
    pull = lambda given: pulled_of_trees(primals, 1, given['out'])[::2]
    return value_of_trees(x, (), 1, scale), pull
"""
_RULES: Sequence[Kind] = (
    way("jvp", "trees_with_jvp()", _NO_SLOPES, _JVP),
    way("jvp-gives-zeros", "trees_with_jvp(symbolic=True)", _NO_SLOPES, _JVP),
    way("jvp-zeros", "trees_with_symbolic_jvp(False)", _NO_SLOPES, _JVP_ZEROS),
    way("jvp-zeros-gives-zeros", "trees_with_symbolic_jvp(True)", _NO_SLOPES, _JVP_ZEROS),
    way("jvps", "trees_with_jvps()", _JVPS),
    way("vjp", "trees_with_vjp()", _VJP),
    way("vjp-zeros", "trees_with_vjp(zeros=True)", _VJP),
    way("jvp-argnums", "trees_with_jvp(nondiff_argnums=(2,))", _NO_SLOPES, _JVP),
    way("vjp-argnums", "trees_with_vjp(nondiff_argnums=(2,))", _VJP),
    way(
        "jvp-argnames",
        "trees_with_jvp(nondiff_argnames=('factor',))",
        _NO_SLOPES,
        _JVP,
        needs=(NAMES,),
    ),
    way("vjp-argnames", "trees_with_vjp(nondiff_argnames=('factor',))", _VJP, needs=(NAMES,)),
    way(
        "gradient",
        "(lambda x, ints, scale=2.0: trees_with_gradient(x, scale + 0 * len(ints)))",
        _GRADIENT,
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
_OF = """\
def derived_of_trees(function, x, derive):
    sums = lambda tree: sum(map(jnp.sum, jtu.tree_leaves(tree)), jnp.float32(0))
    out = lambda x: function(x)['out']
    step = lambda held, _: (jtu.tree_map(lambda leaf: leaf / 4, out(held)), None)
    return derive(
        function,
        jtu.tree_map(jnp.asarray, x),
        out=out,
        total=lambda x: sums(out(x)),
        sums=sums,
        again=lambda x: jax.lax.scan(step, x, None, length=2)[0],
        rows=jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf + 1]), x),
    )
"""


@st.composite
def ruled_trees(draw: st.DrawFn) -> Recipe:
    """Bind `x`, a function `ruled` of it with a rule of its own, `plain`, and `derived`.

    Features: `rule:<name>`, `step:<name>`, `call:<form>`, `scale:<number>`, `ints:none` if no
    leaf is a whole number.
    """
    scope = Scope()
    scope.define(_MATH, _OF)
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
