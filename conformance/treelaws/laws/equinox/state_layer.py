"""Equinox: layers of `eqx.nn` with state, and `Sequential`, which passes the state on."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.equinox.states_norms import (
    batch_norms,
    sequences,
    spectral_norms,
    two_axis_norms,
)
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import refuses, same, true

from ._functions import doubled, inexact_leaves
from ._state_inputs import STATE, clone

law = Topic("equinox.state.layer", "Equinox: layers with state", family="equinox")
_NORMS = "https://docs.kidger.site/equinox/api/nn/normalisation/"
_BATCH = f"{_NORMS}#equinox.nn.BatchNorm"
_SPECTRAL = f"{_NORMS}#equinox.nn.SpectralNorm"
_SEQUENCE = "https://docs.kidger.site/equinox/api/nn/sequential/#equinox.nn.Sequential"
_HAS_BATCH = STATE | {"nn.BatchNorm", "nn.inference_mode"}
_HAS_SPECTRAL = STATE | {"nn.SpectralNorm", "nn.inference_mode"}
_HAS_SEQUENCE = STATE | {"nn.Sequential", "nn.StatefulLayer"}


@law(
    "`BatchNorm` returns an array and a state of the same shapes and dtypes as its inputs",
    source=f"{_BATCH}.__call__",
    needs=_HAS_BATCH,
    case=batch_norms(dtypes=True),
)
def batch_norm_keeps_shapes_and_dtypes(lib, case):
    wanted = jax.eval_shape(lambda: (case.batch, case.state))
    call = lambda batch, state: case.over_batch(case.model, batch, state)
    same(jax.eval_shape(call, case.batch, case.state), wanted)
    call = lambda batch, state: case.over_batch(case.model, batch, state, inference=True)
    same(jax.eval_shape(call, case.batch, case.state), wanted)


@law(
    "`BatchNorm` raises NameError outside of a `vmap` with its axis name",
    source=f"{_BATCH}.__call__",
    needs=_HAS_BATCH,
    case=batch_norms(),
)
def batch_norm_needs_its_axis(lib, case):
    refuses(NameError, lambda: case.model(case.batch[0], clone(case.state)))
    plain = jax.vmap(case.model, in_axes=(0, None), out_axes=(0, None))
    refuses(NameError, lambda: plain(case.batch, clone(case.state)))


@law(
    "`BatchNorm` normalises its first batch with the mean and the variance of that batch",
    source=_BATCH,
    needs=_HAS_BATCH,
    case=batch_norms(),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def batch_norm_normalises_its_first_batch(lib, case):
    axes = tuple(i for i in range(case.batch.ndim) if i != 1)
    mean, var = (f(case.batch, axis=axes, keepdims=True) for f in (np.mean, np.var))
    out, _ = case.over_batch(case.model, case.batch, case.state)
    near(out, (case.batch - mean) / np.sqrt(var + case.model.eps))


@law(
    "`BatchNorm` does not change its state in inference mode",
    source=_BATCH,
    needs=_HAS_BATCH,
    case=batch_norms(),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def inference_leaves_the_statistics(lib, case):
    _, state = case.over_batch(case.model, case.batch, case.state)
    before = clone(state)
    _, after = case.over_batch(lib.nn.inference_mode(case.model), case.batch, state)
    same(after, before)


@law(
    "the argument `inference` of `BatchNorm` overrides the mode of the layer",
    source=f"{_BATCH}.__call__",
    needs=_HAS_BATCH,
    case=batch_norms(),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def the_argument_overrides_the_mode(lib, case):
    _, state = case.over_batch(case.model, case.batch, case.state)
    for flag in (True, False):
        wanted = case.over_batch(lib.nn.inference_mode(case.model, flag), case.batch, clone(state))
        for model in (case.model, lib.nn.inference_mode(case.model)):
            same(case.over_batch(model, case.batch, clone(state), inference=flag), wanted)


@law(
    "after training on one batch only, `BatchNorm` in inference mode returns the result of training"
    " for that batch",
    source=_BATCH,
    level="should",
    needs=_HAS_BATCH,
    case=batch_norms(options=False, one=True),
    parents=(batch_norm_normalises_its_first_batch,),
)
def running_statistics_of_one_batch_are_its_own(lib, case):
    state = case.state
    for _ in range(3):
        wanted, state = case.over_batch(case.model, case.batch, state)
    near(case.over_batch(case.model, case.batch, state, inference=True)[0], wanted)


@law(
    "before any training, `BatchNorm` in inference mode uses mean 0 and variance 1",
    source="https://github.com/patrick-kidger/equinox/issues/1010",
    level="should",
    needs=_HAS_BATCH,
    case=batch_norms(),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def inference_before_training_changes_little(lib, case):
    out, _ = case.over_batch(case.model, case.batch, case.state, inference=True)
    near(out, case.batch / np.sqrt(1 + case.model.eps))


@law(
    "statistics over several axes equal the statistics over one axis of the same total size",
    source=f"{_BATCH}.__init__",
    needs=_HAS_BATCH,
    case=two_axis_norms(),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def several_axes_are_one(lib, case):
    (one, state), (two, states) = case.one, case.two
    wanted, state = case.over_batch(one, case.batch, state)
    inner = lambda batch, state: case.over_batch(two, batch, state)
    outer = jax.vmap(inner, (0, None), (0, None), axis_name="outer")
    out, states = outer(case.batch.reshape(2, 2, 2), states)
    near(out.reshape(4, 2), wanted)
    near(jtu.tree_leaves(states), jtu.tree_leaves(state))


@law(
    "a step of `BatchNorm` under `filter_jit` equals the step outside of it",
    source="https://docs.kidger.site/equinox/examples/stateful/",
    needs=_HAS_BATCH | {"filter_jit"},
    case=batch_norms(one=True),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def a_jitted_step_is_the_step(lib, case):
    wanted = case.over_batch(case.model, case.batch, clone(case.state))
    near(lib.filter_jit(case.over_batch)(case.model, case.batch, case.state), wanted)


@law(
    "`SpectralNorm` returns the shapes and dtypes that its layer returns, and a state like its own",
    source=f"{_SPECTRAL}.__call__",
    needs=_HAS_SPECTRAL,
    case=spectral_norms(),
)
def spectral_norm_keeps_shapes_and_dtypes(lib, case):
    wanted = jax.eval_shape(lambda: (case.model.layer(case.x), case.state))
    same(jax.eval_shape(lambda x, state: case.model(x, state), case.x, case.state), wanted)


@law(
    "`SpectralNorm` does not change its state in inference mode, and its argument `inference`"
    " overrides the mode of the layer",
    source=f"{_SPECTRAL}.__call__",
    needs=_HAS_SPECTRAL,
    case=spectral_norms(),
    parents=(spectral_norm_keeps_shapes_and_dtypes,),
)
def inference_leaves_the_power_iterations(lib, case):
    before = clone(case.state)
    out, after = case.model(case.x, clone(case.state), inference=True)
    same(after, before)
    same(lib.nn.inference_mode(case.model)(case.x, case.state), (out, before))


@law(
    "`SpectralNorm` divides by the norm: doubling the weight does not change the result",
    source=_SPECTRAL,
    needs=_HAS_SPECTRAL | {"tree_at"},
    case=spectral_norms(),
    parents=(spectral_norm_keeps_shapes_and_dtypes,),
)
def spectral_norm_is_free_of_scale(lib, case):
    doubled = lib.tree_at(lambda model: model.layer.weight, case.model, replace_fn=lambda w: 2 * w)
    same(doubled(case.x, clone(case.state)), case.model(case.x, case.state))


@law(
    "`Lambda(f)(x)` returns `f(x)`",
    source="https://docs.kidger.site/equinox/api/nn/sequential/#equinox.nn.Lambda",
    needs={"nn.Lambda"},
    case=cases(x=structures(finite=True)),
)
def a_lambda_layer_is_its_function(lib, case):
    for function in (jnp.negative, doubled):
        wanted = [function(leaf) for leaf in inexact_leaves(case.x)]
        same([lib.nn.Lambda(function)(leaf) for leaf in inexact_leaves(case.x)], wanted)


@law(
    "`Sequential` calls its layers in order, and passes the state to each stateful layer",
    source=f"{_SEQUENCE}.__call__",
    needs=_HAS_SEQUENCE,
    case=sequences(),
)
def a_sequence_calls_its_layers_in_order(lib, case):
    x, state = case.x, clone(case.state)
    for layer in case.model:
        if isinstance(layer, lib.nn.StatefulLayer) and layer.is_stateful():
            x, state = layer(x, state)
        else:
            x = layer(x)
    same(case.model(case.x, case.state), (x, state))


@law(
    "`Sequential` without stateful layers needs no state, and returns a state if it gets one",
    source=f"{_SEQUENCE}.__call__",
    needs=_HAS_SEQUENCE,
    case=sequences(stateful=False),
    parents=(a_sequence_calls_its_layers_in_order,),
)
def a_sequence_gives_a_state_where_it_got_one(lib, case):
    true(not case.model.is_stateful(), case.model, "a sequence without state")
    same(case.model(case.x, case.state), (case.model(case.x), case.state))


@law(
    "`Sequential` is stateful exactly if one of its layers is",
    source="https://docs.kidger.site/equinox/api/nn/sequential/#equinox.nn.StatefulLayer.is_stateful",
    needs=_HAS_SEQUENCE,
    case=sequences(),
)
def a_sequence_is_as_stateful_as_its_layers(lib, case):
    layers = [one for one in case.model if isinstance(one, lib.nn.StatefulLayer)]
    wanted = any(layer.is_stateful() for layer in layers)
    true(case.model.is_stateful() is wanted, case.model.is_stateful(), str(wanted))


def near(got: Any, wanted: Any) -> None:
    """Demand that two trees of arrays are equal up to rounding."""
    same(jtu.tree_structure(got), jtu.tree_structure(wanted))
    for one, other in zip(jtu.tree_leaves(got), jtu.tree_leaves(wanted), strict=True):
        if not np.allclose(one, other, rtol=1e-4, atol=1e-5):
            raise Mismatch("", "value", shown(got), shown(wanted))
