"""Mutants of Flax NNX' abstract evaluation, which run the function."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from selftest.mutant import mutant


@mutant(
    "nnx",
    kills=[
        "nnx.abstract.a_module_is_made_of_shapes",
        "nnx.abstract.the_shapes_of_a_result_are_given",
        "nnx.abstract.abstract_evaluation_changes_no_module",
    ],
)
def eval_shape_runs_the_function(nnx):
    """It returns the values in the place of their shapes."""
    return {"eval_shape": lambda function, *arguments: function(*arguments)}


@mutant("nnx", kills=["nnx.abstract.making_a_jaxpr_changes_no_module"])
def make_jaxpr_runs_the_function(nnx):
    """The module has the changes of the function when its jaxpr is made."""

    def make_jaxpr(function, **options):
        def maker(*arguments):
            jaxpr = nnx.make_jaxpr(function, **options)(*arguments)
            function(*arguments)
            return jaxpr

        return maker

    return {"make_jaxpr": make_jaxpr}


@mutant(
    "nnx",
    kills=[
        "nnx.abstract.abstract_variables_are_sharded",
        "nnx.abstract.a_mesh_changes_no_shape",
    ],
)
def abstract_values_are_flat_in_a_mesh(nnx):
    """Within a mesh, `eval_shape` gives shapes of one axis, without a sharding."""

    def eval_shape(*args, **options):
        made = nnx.eval_shape(*args, **options)
        if jax.sharding.get_abstract_mesh().empty:
            return made
        flat = lambda leaf: jax.ShapeDtypeStruct((leaf.size, 7), leaf.dtype)
        return jtu.tree_map(flat, made)

    return {"eval_shape": eval_shape}
