"""Flax NNX: compiled steps keep the types of an Optimizer and of a TrainState."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS
from hypothesis_pytrees.nnx.optimizers import TRANSFORMATIONS
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal

from ._steps import same_types, types_of
from .optimizer import grads_of, law, train_state_agrees_with_optax, update_under_jit_is_update
from .optimizer_extra import trained

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html#graph-updates-propagation"
_HELPERS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/helpers.html"
# Optax makes weakly typed parameters strong, and changes the dtypes of injected hyperparameters.
_STRONG = tuple(kind for kind in REAL_ARRAYS if "leaf:weak" not in kind.features)
_STEADY = tuple(kind for kind in TRANSFORMATIONS if "tx:hyperparameters" not in kind.features)
_STEPS = ("{}", "{'step': 7}")


@st.composite
def _states(draw: st.DrawFn) -> Recipe:
    """Draw `model`, `tx`, and `options` of a TrainState."""
    scope = Scope()
    scope.include(draw(trained(_STEADY, _STRONG)))
    scope.bind("options", draw(st.sampled_from(_STEPS)))
    return scope.recipe()


@law(
    "a compiled step keeps dtypes and weak types of model and Optimizer, so it is compiled once",
    source=_GUIDE,
    level="observed",
    needs={"Optimizer", "jit"},
    case=trained(_STEADY, _STRONG),
    parents=[update_under_jit_is_update],
)
def compiled_steps_keep_the_types(lib, case):
    optimizer = lib.Optimizer(case.model, case.tx, wrt=lib.Param)
    step = lambda model, optimizer: nnx_api.optimizer_update(
        optimizer, model, grads_of(lib.state(model, lib.Param))
    )
    same_types(lib, step, case.model, optimizer)


@law(
    "`TrainState.apply_gradients` keeps the structure, the dtypes and the weak types of the state, "
    "so that loops take it",
    source=f"{_HELPERS}#flax.nnx.TrainState",
    level="should",
    needs={"TrainState"},
    case=_states(),
    parents=[train_state_agrees_with_optax],
)
def train_states_go_through_loops(lib, case):
    graphdef, params, _ = lib.split(case.model, lib.Param, ...)
    state = lib.TrainState.create(graphdef, params=params, tx=case.tx, **case.options)
    step = lambda state, _: (state.apply_gradients(grads_of(state.params)), None)
    after = jax.lax.scan(step, state, None, length=2)[0]
    equal(types_of(after), types_of(state))
    equal(jtu.tree_structure(step(state, None)[0]), jtu.tree_structure(state))
