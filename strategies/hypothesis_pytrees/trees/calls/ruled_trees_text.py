"""Functions of several trees with derivative rules of their own, as text."""

from __future__ import annotations

# The function multiplies each leaf of a tree by the sum of everything that it is given.
MATH = """\
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
NO_SLOPES = """\
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
JVP = """\
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
JVP_ZEROS = """\
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
JVPS = """\
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
VJP = """\
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
GRADIENT = """\
@jax.custom_gradient
def trees_with_gradient(x, scale):
    primals = (x, (), scale)
    pull = lambda given: pulled_of_trees(primals, 1, given['out'])[::2]
    return value_of_trees(x, (), 1, scale), pull
"""
OF = """\
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
