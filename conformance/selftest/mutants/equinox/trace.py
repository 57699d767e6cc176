"""Mutants of tracing without running."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant


def _is_struct(leaf):
    return isinstance(leaf, jax.ShapeDtypeStruct)


@mutant("equinox", kills=["equinox.trace.eval_shape_is_the_shape_of_the_result"])
def eval_shape_is_that_of_jax(eqx):
    """Numbers come back as shapes, as from `jax.eval_shape`."""

    def filter_eval_shape(fun, *args):
        shape = lambda leaf: jax.eval_shape(lambda: leaf) if isinstance(leaf, complex) else leaf
        return jtu.tree_map(shape, eqx.filter_eval_shape(fun, *args))

    return {"filter_eval_shape": filter_eval_shape}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.eval_shape_takes_shapes",
        "equinox.trace.jaxpr_of_shapes_is_the_jaxpr_of_arrays",
    ],
)
def shapes_are_static(eqx):
    """Shapes among the arguments are handed to the function as they are."""

    def filter_make_jaxpr(fun):
        def make(*args):
            arrays, rest = eqx.partition(args, eqx.is_array)
            return eqx.filter_make_jaxpr(lambda traced: fun(*eqx.combine(traced, rest)))(arrays)

        return make

    return {
        "filter_eval_shape": lambda fun, *args: eqx.filter_eval_shape(lambda: fun(*args)),
        "filter_make_jaxpr": filter_make_jaxpr,
    }


@mutant("equinox", kills=["equinox.trace.eval_shape_tells_equal_leaves_apart"])
def eval_shape_is_remembered(eqx):
    """Results are kept by arguments that are equal."""
    known = {}

    def filter_eval_shape(fun, *args):
        leaves, treedef = jtu.tree_flatten(eqx.filter_eval_shape(lambda: args))
        key = (treedef, tuple(leaf for leaf in leaves if not _is_struct(leaf)))
        if key not in known:
            known[key] = eqx.filter_eval_shape(fun, *args)
        return known[key]

    return {"filter_eval_shape": filter_eval_shape}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.jaxpr_computes_the_function",
        "equinox.trace.jaxpr_comes_with_shapes_and_the_rest",
    ],
)
def jaxpr_returns_floats(eqx):
    """Results of an integer dtype are made floats, and the other leaves are dropped."""

    def filter_make_jaxpr(fun):
        def floats(*args):
            made = lambda leaf: leaf.astype(jnp.float32) if eqx.is_array(leaf) else None
            return jtu.tree_map(made, fun(*args))

        return eqx.filter_make_jaxpr(floats)

    return {"filter_make_jaxpr": filter_make_jaxpr}


@mutant("equinox", kills=["equinox.trace.jaxpr_takes_keywords_of_any_name"])
def jaxpr_takes_some_keywords_for_itself(eqx):
    """Keyword arguments called `fn`, `fun` or `args` do not reach the function."""

    def filter_make_jaxpr(fun):
        make = eqx.filter_make_jaxpr(fun)
        return lambda *args_, fn=None, fun=None, args=None, **rest: make(*args_, **rest)

    return {"filter_make_jaxpr": filter_make_jaxpr}
