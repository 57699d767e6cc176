"""Flax NNX: `Optimizer` and `TrainState` agree with Optax."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.nnx.optimizers import TRANSFORMATIONS, nnx_optimisations
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._model import described, same_graph, variables_of

law = Topic("nnx.optimizer", "Flax NNX: Optimizer", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/optimizer.html"
_OPTIMIZER = f"{_DOCS}#flax.nnx.optimizer.Optimizer"
_UPDATE = f"{_DOCS}#flax.nnx.optimizer.Optimizer.update"
_HELPERS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/helpers.html"
_STATE = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.training.html"
    "#flax.training.train_state.TrainState.apply_gradients"
)
_GRAPH = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html"
_MASKED = "https://github.com/google/flax/issues/4901"
CASES = nnx_optimisations()
_ROUNDLESS = [kind for kind in TRANSFORMATIONS if "tx:exact" in kind.features]
_EXACT = nnx_optimisations(transformations=_ROUNDLESS)
# With leaves of several dtypes, Optax itself changes the dtypes of injected hyperparameters.
_STEADY = [kind for kind in TRANSFORMATIONS if "tx:hyperparameters" not in kind.features]


@law(
    "an Optimizer accepts any transformation, also one with placeholders in its state",
    source=_MASKED,
    level="should",
    needs={"Optimizer"},
    case=CASES,
    weight=2,
)
def any_transformation_can_be_initialised(lib, case):
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt)
    wanted = jtu.tree_leaves(case.tx.init(_arrays(lib.state(case.model, case.wrt))))
    held = [nnx_api.raw_value(one) for _, one in variables_of(optimizer.opt_state)]
    got = jtu.tree_leaves(held)
    same(sorted(map(_shape, got)), sorted(map(_shape, wanted)))


@law(
    "`Optimizer.update` gives the same parameters as Optax after each step",
    source=_UPDATE,
    needs={"Optimizer"},
    case=CASES,
)
def update_agrees_with_optax(lib, case):
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt)
    params = _arrays(lib.state(case.model, case.wrt))
    state = case.tx.init(params)
    for _ in range(2):
        grads = grads_of(lib.state(case.model, case.wrt))
        updates, state = case.tx.update(_arrays(grads), state, params)
        params = _applied(params, updates)
        nnx_api.optimizer_update(optimizer, case.model, grads)
        same(_arrays(lib.state(case.model, case.wrt)), params)


@law(
    "`Optimizer.update` takes the GraphState of gradients as it takes their State",
    source=f"{_GRAPH}#flax.nnx.unpack",
    level="should",
    needs={"optimizer_returns_updates", "unpack"},
    case=_EXACT,
    parents=[update_agrees_with_optax],
)
def update_takes_a_graph_state(lib, case):
    """Quote: "can often be used as a drop-in replacement for State objects"."""
    other = case.rebuild()
    for held, whole in ((case, lib.state), (other, lambda *args: lib.unpack(*args, ...)[0])):
        optimizer = lib.Optimizer(held.model, held.tx, wrt=held.wrt)
        optimizer.update(held.model, grads_of(whole(held.model, held.wrt)))
    same_graph(case.model, other.model)


@law(
    "`Optimizer.update` changes only the values that `wrt` selects",
    source=_OPTIMIZER,
    needs={"Optimizer"},
    case=CASES,
)
def update_changes_what_wrt_selects(lib, case):
    """Types, metadata, static values and shared references stay the same too."""
    before = _blanked(lib, case)
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt)
    nnx_api.optimizer_update(optimizer, case.model, grads_of(lib.state(case.model, case.wrt)))
    same_graph(_blanked(lib, case), before)


@law(
    "`Optimizer.update` adds one to the step count",
    source=f"{_OPTIMIZER}.step",
    needs={"Optimizer"},
    case=_EXACT,
)
def update_counts_its_steps(lib, case):
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt)
    for count in range(3):
        same(nnx_api.raw_value(optimizer.step), jnp.uint32(count))
        grads = grads_of(lib.state(case.model, case.wrt))
        nnx_api.optimizer_update(optimizer, case.model, grads)


@law(
    "`Optimizer.update` does not change the structure of the Optimizer",
    source=_OPTIMIZER,
    level="should",
    needs={"Optimizer"},
    case=nnx_optimisations(transformations=_STEADY),
)
def update_keeps_the_structure_of_the_optimizer(lib, case):
    """If shapes, dtypes, Variable types or metadata changed, jit would trace again."""
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt)
    before, graphdef = _outline(optimizer), lib.graphdef(optimizer)
    nnx_api.optimizer_update(optimizer, case.model, grads_of(lib.state(case.model, case.wrt)))
    equal(_outline(optimizer), before)
    equal(lib.graphdef(optimizer), graphdef)


@law(
    "`update` has the same effect on a copy of model and Optimizer as on the originals",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.clone",
    needs={"Optimizer"},
    case=CASES,
)
def a_copy_goes_on_as_the_original(lib, case):
    both = {"model": case.model, "optimizer": lib.Optimizer(case.model, case.tx, wrt=case.wrt)}
    copies = (lib.clone(both), lib.merge(*lib.split(lib.clone(both))))
    for held in (both, *copies):
        grads = grads_of(lib.state(held["model"], case.wrt))
        nnx_api.optimizer_update(held["optimizer"], held["model"], grads)
    for one in copies:
        same_graph(one, both)


@law(
    "`Optimizer.update` has the same effect under `jit` as outside",
    source=_UPDATE,
    needs={"Optimizer", "jit"},
    case=_EXACT,
)
def update_under_jit_is_update(lib, case):
    """Only with exact arithmetic, so that compiled results agree in every bit."""
    other = case.rebuild()
    one, two = (lib.Optimizer(held.model, held.tx, wrt=held.wrt) for held in (case, other))
    grads = grads_of(lib.state(case.model, case.wrt))
    nnx_api.optimizer_update(one, case.model, grads)
    step = lambda *args: (nnx_api.optimizer_update(*args), None)[1]
    lib.jit(step)(two, other.model, grads)
    wanted = [case.model, one.opt_state, one.step]
    same_graph([other.model, two.opt_state, two.step], wanted)


@law(
    "`Optimizer.update` returns the updates that Optax gives",
    source=_UPDATE,
    needs={"optimizer_returns_updates"},
    case=CASES,
)
def update_returns_the_updates(lib, case):
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt)
    params = _arrays(lib.state(case.model, case.wrt))
    state = case.tx.init(params)
    for _ in range(2):
        grads = grads_of(lib.state(case.model, case.wrt))
        wanted, state = case.tx.update(_arrays(grads), state, params)
        same(_arrays(optimizer.update(case.model, grads)), wanted)
        params = _arrays(lib.state(case.model, case.wrt))


@law(
    "`ModelAndOptimizer.update` has the same effect and result as `Optimizer.update` on the same "
    "model",
    source=f"{_DOCS}#flax.nnx.optimizer.ModelAndOptimizer",
    needs={"ModelAndOptimizer"},
    case=CASES,
)
def model_and_optimizer_is_an_optimizer(lib, case):
    other = case.rebuild()
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt)
    together = lib.ModelAndOptimizer(other.model, other.tx, wrt=other.wrt)
    grads = grads_of(lib.state(case.model, case.wrt))
    same_graph(together.update(grads), optimizer.update(case.model, grads))
    same_graph([together.model, together.opt_state], [case.model, optimizer.opt_state])


@law(
    "`TrainState.apply_gradients` gives the same parameters as Optax and counts the step",
    source=f"{_HELPERS}#flax.nnx.TrainState",
    level="should",
    needs={"TrainState"},
    case=_EXACT,
)
def train_state_agrees_with_optax(lib, case):
    graphdef, params, _ = lib.split(case.model, case.wrt, ...)
    state = lib.TrainState.create(graphdef, params=params, tx=case.tx)
    given, arrays = grads_of(params), _arrays(params)
    updates, _ = case.tx.update(_arrays(given), case.tx.init(arrays), arrays)
    after = state.apply_gradients(given)
    same(_arrays(after.params), _applied(arrays, updates))
    same((after.step, state.step), (jnp.asarray(1), jnp.asarray(0)))


@law(
    "a TrainState counts its steps from `step`, and `apply_gradients` and `replace` put the given "
    "values in the place of its fields",
    source=_STATE,
    level="should",
    needs={"TrainState"},
    case=_EXACT,
    parents=[train_state_agrees_with_optax],
)
def train_state_replaces_fields(lib, case):
    graphdef, params, _ = lib.split(case.model, case.wrt, ...)
    state = lib.TrainState.create(graphdef, params=params, tx=case.tx, step=7)
    other, plain = (state.replace(graphdef="other"), state.apply_gradients(grads_of(params)))
    after = state.apply_gradients(grads_of(params), graphdef="new")
    equal((other.graphdef, after.graphdef), ("other", "new"))
    same((other.step, after.step, state.step), tuple(map(jnp.asarray, (7, 8, 7))))
    same(_arrays(after.params), _arrays(plain.params))
    same(_arrays(other.params), _arrays(params))


@law(
    "`create` of a class derived from TrainState takes the values of its further fields, and "
    "`apply_gradients` keeps them",
    source=f"{_HELPERS}#flax.nnx.TrainState",
    level="should",
    needs={"TrainState"},
    case=_EXACT,
    parents=[train_state_agrees_with_optax],
)
def train_states_have_further_fields(lib, case):
    graphdef, params, rest = lib.split(case.model, case.wrt, ...)
    state = _derived(lib).create(graphdef, params=params, tx=case.tx, rest=rest)
    after = state.apply_gradients(grads_of(params))
    true(state.rest is rest and after.rest is rest, after.rest, rest)


def _derived(lib):
    class Derived(lib.TrainState):
        rest: object

    return Derived


@law(
    "`TrainState.apply` calls a method of the module that its GraphDef and the given states make",
    source=f"{_GRAPH}#flax.nnx.GraphDef",
    level="should",
    needs={"TrainState", "Dict"},
    case=_EXACT,
)
def train_state_applies_its_module(lib, case):
    holder = lib.Dict(model=case.model)
    graphdef, params, rest = lib.split(holder, case.wrt, ...)
    state = lib.TrainState.create(graphdef, params=params, tx=case.tx)
    derived = _derived(lib).create(graphdef, params=params, tx=case.tx, rest=rest)
    by_name = (state.apply("params", rest), derived.apply("params", "rest"))
    for called in (state.apply(params, rest), *by_name):
        found, (_, after) = called.get("model")
        same_graph(found, case.model)
        same_graph(lib.merge(graphdef, after), holder)


def _arrays(state):
    """Return the leaves of a State as a list."""
    return jtu.tree_leaves(state)


def grads_of(state):
    """Return gradients with the structure of a State: half of each parameter plus one."""
    return jtu.tree_map(lambda leaf: leaf * 0.5 + 1, state)


def _applied(params, updates):
    return [(one + update).astype(one.dtype) for one, update in zip(params, updates, strict=True)]


def _blanked(lib, case):
    """Return a copy of the model with zeros for the values that `wrt` selects."""
    copy = lib.clone(case.model)
    zeros = lambda leaf: jnp.zeros(leaf.shape, leaf.dtype)
    lib.update(copy, jtu.tree_map(zeros, lib.state(copy, case.wrt)))
    return copy


def _shape(array):
    return (str(array.shape), str(array.dtype))


def _outline(optimizer):
    """Return the optimizer state with shapes and dtypes in place of arrays."""
    rows = described(optimizer.opt_state)
    return [(path, _shape(held) if hasattr(held, "shape") else held) for path, _, held in rows]
