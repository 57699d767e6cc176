"""Ways in which JAX calls a function on a tree, as text: programs, traced, lowered or exported.

Each is an expression of `function` and `tree`, trees of arrays of the same shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.ways import way

from .ways_custom import ARRAYS

_EXPORT = """\
def tree_exported(function, tree):
    import jax.export

    return jax.export.export(jax.jit(function))(tree).call(tree)
"""
_CHECKIFY = """\
def tree_checked(function, tree):
    from jax.experimental import checkify

    return checkify.checkify(function)(tree)[1]
"""
_JAXPR = """\
def tree_evaluated(function, tree):
    jaxpr, shapes = jax.make_jaxpr(function, return_shape=True)(tree)
    leaves = jax.core.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *jtu.tree_leaves(tree))
    return jtu.tree_unflatten(jtu.tree_structure(shapes), leaves)
"""
_JAXPR_STATIC = """\
def tree_evaluated_with(function, tree):
    make = jax.make_jaxpr(lambda call, tree: call(tree), static_argnums=0, return_shape=True)
    jaxpr, shapes = make(function, tree)
    leaves = jax.core.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *jtu.tree_leaves(tree))
    return jtu.tree_unflatten(jtu.tree_structure(shapes), leaves)
"""
_LINEAR = """\
def tree_through_linear_call(tree):
    # "Should return output whose components are linear in the linear input": `function` is not.
    same_tree = lambda _, held: held
    return jax.custom_derivatives.linear_call(same_tree, same_tree, (), tree)
"""
_SPARSE = """\
def tree_sparsified(function, tree):
    from jax.experimental import sparse

    return sparse.sparsify(function)(tree)
"""
# Ways to get `function(tree)` by a program.
AS_PROGRAMS: Sequence[Kind] = (
    way("traced", "jax.jit(function).trace(tree).lower().compile()(tree)"),
    way(
        "lowered-from-shapes",
        "jax.jit(function).lower(jax.eval_shape(function, tree)).compile()(tree_of_arrays(tree))",
        ARRAYS,
    ),
    way("jaxpr-static", "tree_evaluated_with(function, tree)", _JAXPR_STATIC),
    way("jaxpr", "tree_evaluated(function, tree)", _JAXPR),
    way("export", "tree_exported(function, tree_of_arrays(tree))", ARRAYS, _EXPORT),
    way("checkify", "tree_checked(function, tree)", _CHECKIFY),
    way(
        "composite",
        "jax.lax.composite(function, 'treelaws.call', version=1)(tree_of_arrays(tree))",
        ARRAYS,
    ),
    way("linear-call", "tree_through_linear_call(function(tree_of_arrays(tree)))", ARRAYS, _LINEAR),
    way("sparsify", "tree_sparsified(function, tree_of_arrays(tree))", ARRAYS, _SPARSE),
)
