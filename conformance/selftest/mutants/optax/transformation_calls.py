"""Mutants of transformations that refuse what their documentation allows, or run too early."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

from .transformation import transformation_mutant

_ID = "optax.transformation.update."


@transformation_mutant("optax.sgd", kills=[f"{_ID}an_optimiser_takes_unneeded_arguments"])
def sgd_takes_no_further_arguments(optax):
    """`update` of `sgd` takes no extra arguments."""

    def sgd(*args, **named):
        tx = optax.sgd(*args, **named)
        return optax.GradientTransformation(
            tx.init, lambda grads, state, params=None: tx.update(grads, state, params)
        )

    return {"sgd": sgd}


@transformation_mutant("optax.polyak_sgd", kills=[f"{_ID}a_value_is_any_number"])
def a_value_must_be_an_array(optax):
    """`polyak_sgd` asks its value for `astype`."""

    def polyak_sgd(*args, **named):
        tx = optax.polyak_sgd(*args, **named)

        def update(grads, state, params=None, *, value, **extra):
            return tx.update(grads, state, params, value=value.astype(jnp.float32), **extra)

        return optax.GradientTransformationExtraArgs(tx.init, update)

    return {"polyak_sgd": polyak_sgd}


@transformation_mutant(
    "optax.contrib.momo", kills=[f"{_ID}a_value_of_double_precision_keeps_the_state"]
)
def the_state_takes_the_dtype_of_the_value(optax):
    """The average of the loss in the state of `momo` has the dtype of the last value."""

    def momo(*args, **named):
        tx = optax.contrib.momo(*args, **named)

        def update(grads, state, params=None, *, value, **extra):
            updates, after = tx.update(grads, state, params, value=value, **extra)
            return updates, after._replace(barf=after.barf.astype(value.dtype))

        return optax.GradientTransformationExtraArgs(tx.init, update)

    return {"contrib.momo": momo}


def _with_init(optax, change):
    def sgd(*args, **named):
        tx = optax.sgd(*args, **named)

        def init(params):
            jtu.tree_map(change, params)
            return tx.init(params)

        return optax.GradientTransformationExtraArgs(init, tx.update)

    return {"sgd": sgd}


@transformation_mutant("optax.sgd", kills=[f"{_ID}parameters_have_any_number_of_axes"])
def four_axes_are_most(optax):
    """`sgd` raises for parameters with five axes."""

    def refuse(leaf):
        if leaf.ndim > 4:
            raise ValueError("too many axes")

    return _with_init(optax, refuse)


@transformation_mutant("optax.sgd", kills=[f"{_ID}init_takes_abstract_parameters"])
def init_computes_with_parameters(optax):
    """`init` of `sgd` computes with its parameters."""
    return _with_init(optax, jnp.abs)


@transformation_mutant("optax.sgd", kills=[f"{_ID}making_runs_nothing"])
def making_runs_a_computation(optax):
    """`sgd` computes with JAX before its first `init`."""

    def sgd(*args, **named):
        jnp.sqrt(jnp.ones(()))
        return optax.sgd(*args, **named)

    return {"sgd": sgd}


@mutant("optax", kills=["optax.tree.functions_of_integers_are_leafwise"])
def factors_become_integers(optax):
    """`tree_add_scale` casts its factor to the dtype of each leaf."""

    def tree_add_scale(tree, scalar, other):
        add = lambda one, two: one + jnp.asarray(scalar, one.dtype) * two
        return jax.tree_util.tree_map(add, tree, other)

    return {"tree_utils.tree_add_scale": tree_add_scale}


@mutant("optax", kills=["optax.hyperparams.an_array_keeps_its_dtype"])
def hyperparameters_are_halved(optax):
    """`inject_hyperparams` holds all hyperparameters in float16."""

    def inject_hyperparams(factory, *args, **named):
        def make(*given, **options):
            tx = optax.inject_hyperparams(factory, *args, **named)(*given, **options)

            def init(params):
                state = tx.init(params)
                halves = {key: one.astype(jnp.float16) for key, one in state.hyperparams.items()}
                return state._replace(hyperparams=halves)

            return optax.GradientTransformationExtraArgs(init, tx.update)

        return make

    return {"inject_hyperparams": inject_hyperparams}
