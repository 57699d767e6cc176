"""Optax: the state of each gradient transformation."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from hypothesis_pytrees import CONTAINERS
from hypothesis_pytrees.optax.transformations import DTYPES
from treelaws.compat.jax import double_precision
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._inputs import (
    CODE,
    DOCS,
    DOUBLES,
    HALVES,
    SINGLES,
    keeps_types,
    keeps_weak_types,
    states,
    steps,
    steps_of_halves,
    types,
)
from .transformation_update import updates_have_the_shapes_of_the_parameters

law = Topic(
    "optax.transformation.state", "Optax: states of a transformation", family="transformation"
)
_ISSUES = "https://github.com/google-deepmind/optax"


@law(
    "`update` keeps the shape and dtype of each array of the state",
    source=f"{CODE}_src/alias_test.py#L358",
    level="should",
    case=steps_of_halves(some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def update_keeps_the_types_of_the_state(lib, case):
    """Such a state can be the carry of a scan; each gradient has the dtype of its parameter."""

    keeps_types(*states(case))


@law(
    "`update` returns a state with the structure of the old state",
    source=f"{_ISSUES}/pull/1175",
    level="should",
    case=steps(some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def update_keeps_the_structure_of_the_state(lib, case):
    before, after = states(case)
    equal(jtu.tree_structure(after), jtu.tree_structure(before))


@law(
    "`update` keeps which arrays of the state are weakly typed, so that `jit` compiles it once",
    source=f"{_ISSUES}/pull/1175",
    level="should",
    case=steps(some=True),
    parents=(update_keeps_the_types_of_the_state,),
)
def update_keeps_the_weak_types_of_the_state(lib, case):
    keeps_weak_types(*states(case))


@law(
    "with a dtype given for an accumulator, `update` keeps the shapes and dtypes of the state for "
    "gradients of any dtype",
    source=f"{_ISSUES}/issues/1552",
    level="should",
    needs={"accumulator_dtype"},
    case=steps(plain=False, options=DTYPES, precisions=True, leaves=SINGLES, some=True),
    parents=(update_keeps_the_types_of_the_state,),
)
def accumulators_keep_their_dtypes(lib, case):
    keeps_types(*states(case))


@law(
    "with 64-bit types on, `update` keeps the shapes and dtypes of the state too",
    source=f"{CODE}_src/float64_test.py#L74",
    level="should",
    case=steps(leaves=DOUBLES, kinds=CONTAINERS, models=False, some=True),
    parents=(update_keeps_the_types_of_the_state,),
)
def the_state_keeps_its_types_in_double_precision(lib, case):
    with double_precision():
        keeps_types(*states(case.rebuild()))


@law(
    "`init` on abstract parameters gives a state of the same types as `init` on real parameters",
    source=f"{DOCS}transformations.html#optax.GradientTransformation",
    case=steps(some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def init_needs_types_alone(lib, case):
    abstract = jax.eval_shape(case.tx.init, case.params)
    same(types(abstract), types(case.tx.init(case.params)))


@law(
    "`init(params)` returns no array of `params`, so that both can be donated",
    source=f"{_ISSUES}/pull/1059",
    level="should",
    case=steps(leaves=HALVES, some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def the_state_shares_no_array_with_the_parameters(lib, case):
    state = jtu.tree_leaves(case.tx.init(case.params))
    given = {id(leaf) for leaf in jtu.tree_leaves(case.params)}
    shared = [leaf for leaf in state if id(leaf) in given]
    true(not shared, shared, "no array of the parameters in the state")


@law(
    "`tree_map_params` with the identity returns the state unchanged, for a transformation and for "
    "its `init`",
    source=f"{DOCS}utilities.html#optax.tree_utils.tree_map_params",
    needs={"tree_utils.tree_map_params"},
    case=steps(some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def mapping_the_identity_over_parameters_changes_nothing(lib, case):
    state = case.tx.init(case.params)
    for initable in (case.tx, case.tx.init):
        same(lib.tree_utils.tree_map_params(initable, lambda leaf: leaf, state), state)
