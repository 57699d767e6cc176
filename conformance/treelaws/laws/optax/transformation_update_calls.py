"""Optax: calls of each transformation with what its documentation allows beside the usual."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees import CONTAINERS
from treelaws.compat.jax import double_precision
from treelaws.equality import same

from ._inputs import (
    CODE,
    DOUBLES,
    RANKS,
    SINGLES,
    close,
    keeps_types,
    makers,
    shapes,
    states,
    steps,
    steps_of_one_dtype,
)
from .transformation_update import law, updates_have_the_shapes_of_the_parameters

_ISSUES = "https://github.com/google-deepmind/optax"
_PLAIN = {"kinds": CONTAINERS, "models": False, "some": True}


@law(
    "`update` of an optimiser accepts extra arguments that it does not need, without "
    "`with_extra_args_support`",
    source=f"{CODE}_src/alias_test.py#L234",
    level="should",
    needs={"tested_with_extra_arguments"},
    case=steps(**_PLAIN),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def an_optimiser_takes_unneeded_arguments(lib, case):
    def step(grads, params, **unneeded):
        state = case.tx.init(params)
        return case.tx.update(grads, state, params, **case.extra, **unneeded)

    wanted = jax.eval_shape(step, case.grads, case.params)
    same(jax.eval_shape(lambda *given: step(*given, unneeded=1.0), case.grads, case.params), wanted)


@law(
    "`update` takes the value of the loss as a Python number, a NumPy number or an array, and the "
    "updates are the same",
    source=f"{_ISSUES}/issues/1500",
    level="should",
    needs={"takes_a_value"},
    case=steps(leaves=SINGLES, **_PLAIN),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def a_value_is_any_number(lib, case):
    state = case.tx.init(case.params)
    step = lambda value: case.tx.update(case.grads, state, case.params, value=value)
    wanted, after = step(jnp.float32(1.0))
    for value in (1.0, 1, np.float32(1.0), np.asarray(1.0, np.float32), jnp.asarray(1.0)):
        updates, other = step(value)
        close(updates, wanted)
        keeps_types(after, other)


@law(
    "with 64-bit types on, `update` keeps the shapes and dtypes of the state for a loss of type "
    "float32 or float64, whatever type the parameters have",
    source=f"{CODE}_src/float64_test.py#L74",
    level="should",
    needs={"takes_a_value"},
    case=steps_of_one_dtype(DOUBLES, **_PLAIN),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def a_value_of_double_precision_keeps_the_state(lib, case):
    with double_precision():
        for value in (np.float32(1.0), np.float64(1.0), 1.0):
            given = case.rebuild()
            given.extra["value"] = jnp.asarray(value)
            keeps_types(*states(given))


@law(
    "`init` and `update` take parameters with three, four or five axes, and the updates have their "
    "shapes",
    source=f"{CODE}_src/base.py#L36",
    level="should",
    needs={"updates"},
    case=steps(leaves=RANKS, **_PLAIN),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def parameters_have_any_number_of_axes(lib, case):
    def step(grads, params):
        return case.tx.update(grads, case.tx.init(params), params, **case.extra)[0]

    same(shapes(jax.eval_shape(step, case.grads, case.params)), shapes(case.params))


@law(
    "`init` takes parameters of type `jax.ShapeDtypeStruct`, and the state has the types that it "
    "has for arrays",
    source=f"{CODE}_src/sharding_test.py#L64",
    level="should",
    needs={"tested_with_abstract_parameters"},
    case=steps(leaves=SINGLES, **_PLAIN),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def init_takes_abstract_parameters(lib, case):
    abstract = lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
    keeps_types(case.tx.init(case.params), case.tx.init(jtu.tree_map(abstract, case.params)))


@law(
    "making a transformation runs no operation of JAX, so that devices can be configured later",
    source=f"{_ISSUES}/commit/df66322b",
    level="should",
    case=makers(),
)
def making_runs_nothing(lib, case):
    """What JAX runs while it traces another function is written into that function."""
    made = jax.make_jaxpr(lambda: [case.make() and None])()
    same([str(equation.primitive) for equation in made.jaxpr.eqns], [])
