"""Optax: the updates of each gradient transformation."""

from __future__ import annotations

import functools

import jax
import jax.tree_util as jtu

from hypothesis_pytrees import CONTAINERS
from hypothesis_pytrees.optax.transformations import DTYPES, OPTIONS
from treelaws.compat.jax import double_precision
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import (
    CODE,
    DOCS,
    DOUBLES,
    keeps_dtypes,
    shapes,
    steps,
    steps_of_halves,
    steps_of_one_dtype,
)
from ._programs import program

law = Topic(
    "optax.transformation.update", "Optax: updates of a transformation", family="transformation"
)
_PURE = f"{DOCS}transformations.html#optax.GradientTransformation"
# Options that give no dtype.
PLAIN = tuple(name for name in OPTIONS if name not in DTYPES)


@law(
    "`init` and `update` accept any tree of floating arrays, with scalars, `None` and empty nodes, "
    "and the updates have its structure and shapes",
    source=f"{CODE}_src/base.py#L36",
    level="should",
    needs={"updates"},
    case=steps_of_halves(),
)
def updates_have_the_shapes_of_the_parameters(lib, case):
    def step(grads, params):
        state = case.tx.init(params)
        return state, case.tx.update(grads, state, params, **case.extra)

    _, (updates, _) = jax.eval_shape(step, case.grads, case.params)
    same(shapes(updates), shapes(case.params))


@law(
    "`update` returns updates with the dtypes of the gradients",
    source=f"{CODE}_src/alias_test.py#L328",
    level="should",
    needs={"updates"},
    case=steps_of_halves(options=PLAIN),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def updates_have_the_dtypes_of_the_gradients(lib, case):
    keeps_dtypes(case)


@law(
    "with 64-bit types on, updates have the dtype of the gradients if all gradients have the same",
    source=f"{CODE}_src/base.py#L37",
    level="should",
    needs={"updates"},
    case=steps_of_one_dtype(DOUBLES, options=PLAIN, kinds=CONTAINERS, models=False, some=True),
    parents=(updates_have_the_dtypes_of_the_gradients,),
)
def updates_of_one_dtype_keep_it_in_double_precision(lib, case):
    with double_precision():
        keeps_dtypes(case.rebuild())


@law(
    "with a dtype given for an accumulator, `update` returns updates with the dtypes of the "
    "gradients",
    source="https://github.com/google-deepmind/optax/issues/1098",
    level="observed",
    needs={"updates", "accumulator_dtype"},
    case=steps(plain=False, options=DTYPES),
    parents=(updates_have_the_dtypes_of_the_gradients,),
)
def accumulators_change_no_dtype_of_updates(lib, case):
    """Pull request 1687, which would do so for all transformations, was not merged."""
    keeps_dtypes(case)


@law(
    "`update` treats a tree like the list of its leaves: nodes do not matter, and `None` is not a "
    "parameter",
    source=f"{CODE}_src/base.py#L36",
    level="should",
    case=steps(listed=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def a_tree_is_updated_as_its_leaves(lib, case):
    def step(grads, params, extra):
        return jtu.tree_leaves(case.tx.update(grads, case.tx.init(params), params, **extra))

    listed = functools.partial(step, extra=case.listed_extra)
    whole = functools.partial(step, extra=case.extra)
    got = program(listed, case.listed_grads, case.listed_params)
    same(got, program(whole, case.grads, case.params))


@law(
    "`update` is pure: two traces give the same program, and its arguments do not change",
    source=_PURE,
    case=steps(),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def update_is_pure(lib, case):
    given = (case.grads, case.tx.init(case.params), case.params)
    before = jtu.tree_map(lambda leaf: leaf, given)
    once, again = (program(lambda: case.tx.update(*given, **case.extra)) for _ in range(2))
    same(once, again)
    same(given, before, identical=True)


@law(
    "`with_extra_args_support` makes `update` accept extra arguments that it does not need",
    source=f"{DOCS}transformations.html#optax.GradientTransformationExtraArgs",
    needs={"ignores_extra_arguments"},
    case=steps(),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def unneeded_arguments_are_taken(lib, case):
    """The law holds if no call raises."""
    tx = lib.with_extra_args_support(case.tx)

    def step(grads, params):
        state = tx.init(params)
        return state, tx.update(grads, state, params, **case.extra, unneeded=1.0)

    jax.eval_shape(step, case.grads, case.params)
