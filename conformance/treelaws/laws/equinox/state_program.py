"""Equinox: `State` compared with a plain list, in random programs and transformations."""

from __future__ import annotations

import io

import jax
import jax.tree_util as jtu

from hypothesis_pytrees import CONTAINERS, arrays
from hypothesis_pytrees.equinox.states import stateful_models
from hypothesis_pytrees.equinox.states_layers import stateful_layers
from hypothesis_pytrees.equinox.states_programs import (
    state_functions,
    state_programs,
    vmapped_layers,
)
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from treelaws.core.law import Topic
from treelaws.equality import same

from ._state_inputs import CODE, DOCS, STATE, WITH_NORMS, clone, strong, with_all_set
from .state import each_state_starts_as_given

law = Topic(
    "equinox.state.program", "Equinox: State in programs and transformations", family="equinox"
)
_ADVICE = f"{CODE}#L92-L97"
# All of one shape, so values can move between indices; halving and doubling them is exact.
_VECTORS = pool(tuple(kind for kind in REAL_ARRAYS if "leaf:float32" in kind.features))
_REAL = stateful_models(stateful_layers(_VECTORS), kinds=CONTAINERS, max_layers=2)
_FUNCTIONS = state_functions(_REAL)
_IN_CONTEXTS = state_functions(_REAL, context=True)
_SAVED = stateful_models(stateful_layers(arrays(), norms=True), kinds=CONTAINERS)


@law(
    "after every step of any sequence of operations, a state holds the values that a list would"
    " hold",
    source=f"{DOCS}#equinox.nn.State",
    needs=STATE,
    case=state_programs(WITH_NORMS),
    parents=(each_state_starts_as_given,),
)
def a_state_is_a_list_under_programs(lib, case):
    for indices, state, wanted in case.program(case.model, case.state):
        same([state.get(index) for index in indices], list(wanted))


@law(
    "inside any JAX transformation, a state is traced like a list of its values",
    source=f"{DOCS}#equinox.nn.State",
    needs=STATE,
    case=_IN_CONTEXTS,
    parents=(each_state_starts_as_given,),
)
def a_state_is_traced_as_its_values(lib, case):
    state = jax.eval_shape(case.context(case.on_state), clone(case.state))
    values = jax.eval_shape(case.context(case.on_values), case.given)
    same([state.get(index) for index in case.indices], list(values))


@law(
    "inside any JAX transformation, a state holds the values that a list would hold",
    source=f"{DOCS}#equinox.nn.State",
    needs=STATE,
    case=_IN_CONTEXTS,
    parents=(a_state_is_traced_as_its_values,),
)
def a_state_is_its_values_inside_transformations(lib, case):
    state = case.context(case.on_state)(clone(case.state))
    values = case.context(case.on_values)(case.given)
    same([state.get(index) for index in case.indices], list(values))


@law(
    "a function of a model and its state returns the same result under `filter_jit` as outside of"
    " it",
    source="https://docs.kidger.site/equinox/examples/stateful/",
    needs=STATE | {"filter_jit"},
    case=_FUNCTIONS,
    parents=(each_state_starts_as_given,),
)
def a_jitted_function_gives_the_same_state(lib, case):
    def forward(model, state):
        return model, case.on_state(state)

    wanted = forward(case.model, clone(case.state))
    same(lib.filter_jit(forward)(case.model, case.state), wanted)


@law(
    "`set` inside a jitted function leaves the state of the caller valid and unchanged",
    source=_ADVICE,
    level="should",
    needs=STATE | {"filter_jit"},
    case=_FUNCTIONS,
    parents=(each_state_starts_as_given,),
)
def a_jitted_function_uses_up_no_state(lib, case):
    lib.filter_jit(case.on_state)(case.state)
    same([case.state.get(index) for index in case.indices], case.given)


@law(
    "vmapped layers with their substate equal a loop over the layers, and `update` takes over"
    " their new states",
    source=f"{DOCS}#vmapd-stateful-layers",
    needs=STATE | {"filter_vmap"},
    case=vmapped_layers(),
    parents=(each_state_starts_as_given,),
)
def a_vmapped_layer_is_a_loop(lib, case):
    layers = case.model["members"]
    part = case.state.substate(layers)
    out, part = lib.filter_vmap(case.layer.step)(layers, case.inputs, part)
    state = case.state.update(part)
    states = case.members_of(state.substate(layers))
    for place, (start, x) in enumerate(zip(case.starts, case.inputs, strict=True)):
        one, own = lib.nn.make_with_state(case.layer)(start)
        wanted, own = one.step(x, own)
        same((out[place], jtu.tree_leaves(states[place])), (wanted, jtu.tree_leaves(own)))


@law(
    "`update` with a vmapped substate does not change the states of other layers",
    source=f"{DOCS}#vmapd-stateful-layers",
    needs=STATE | {"filter_vmap"},
    case=vmapped_layers(),
    parents=(each_state_starts_as_given,),
)
def what_is_not_vmapped_stays(lib, case):
    layers, alone = case.model["members"], case.model["alone"]
    before = case.state.substate(alone)
    part = case.state.substate(layers)
    _, part = lib.filter_vmap(case.layer.step)(layers, case.inputs, part)
    same(case.state.update(part).substate(alone), before)


@law(
    "`filter_vmap(make_with_state(layer))` makes an ensemble: each member equals a model that was"
    " made alone",
    source="https://github.com/patrick-kidger/equinox/issues/450",
    level="should",
    needs=STATE | {"filter_vmap"},
    case=vmapped_layers(),
    parents=(each_state_starts_as_given,),
)
def an_ensemble_is_a_loop(lib, case):
    layers, states = lib.filter_vmap(lib.nn.make_with_state(case.layer))(case.starts)
    out, states = lib.filter_vmap(case.layer.step)(layers, case.inputs, states)
    for place, (start, x) in enumerate(zip(case.starts, case.inputs, strict=True)):
        one, own = lib.nn.make_with_state(case.layer)(start)
        same((out[place], case.members_of(states)[place]), one.step(x, own))


@law(
    "a saved model and its updated state can be loaded into another build of the model",
    source="https://docs.kidger.site/equinox/api/serialisation/#equinox.tree_deserialise_leaves",
    needs=STATE | {"tree_serialise_leaves", "tree_deserialise_leaves"},
    case=_SAVED,
    parents=(each_state_starts_as_given,),
)
def a_saved_state_is_loaded(lib, case):
    state = with_all_set(case.state, case.indices, case.others)
    file = io.BytesIO()
    lib.tree_serialise_leaves(file, (case.model, state))
    file.seek(0)
    fresh = case.rebuild()
    loaded = lib.tree_deserialise_leaves(file, (fresh.model, fresh.state))
    same(strong(loaded), strong((case.model, state)))


@law(
    "`filter_eval_shape(make_with_state(f))` makes a `like` for loading",
    source="https://docs.kidger.site/equinox/api/serialisation/#equinox.tree_deserialise_leaves",
    needs=STATE | {"tree_serialise_leaves", "tree_deserialise_leaves", "filter_eval_shape"},
    case=_SAVED,
    parents=(a_saved_state_is_loaded,),
)
def a_state_is_loaded_into_an_abstract_one(lib, case):
    file = io.BytesIO()
    lib.tree_serialise_leaves(file, (case.model, case.state))
    file.seek(0)
    like = lib.filter_eval_shape(lib.nn.make_with_state(case.make))
    loaded = lib.tree_deserialise_leaves(file, like)
    same(strong(loaded), strong((case.model, case.state)))
