"""Equinox: layers of `eqx.nn` without state, with any documented options."""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.equinox.layer_options import (
    ANY,
    ONE_INPUT,
    PLAIN,
    WINDOWED,
    layer_calls,
    layer_dtypes,
    layer_results_of_dtypes,
    layer_values,
    transposed_pairs,
)
from treelaws.compat.jax import double_precision
from treelaws.core.law import Topic
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import equal, same

law = Topic("equinox.layers", "Equinox: layers without state", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/nn/"
_ONE = (
    *("Linear", "MLP", "LayerNorm", "RMSNorm", "GroupNorm", "PReLU", "Dropout", "Identity"),
    *("WeightNorm", "Embedding", "Lambda"),
)
_WINDOWS = (
    *("Pool", "AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"),
    *("AdaptivePool", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"),
    *("AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"),
)
_CONVOLUTIONS = (
    *("Conv", "Conv1d", "Conv2d", "Conv3d"),
    *("ConvTranspose", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
)
_OTHERS = ("MultiheadAttention", "GRUCell", "LSTMCell", "RotaryPositionalEmbedding")


def _of(*names: str) -> set[str]:
    return {f"nn.{name}" for name in names}


_EVERY = _of(*_ONE, *_WINDOWS, *_CONVOLUTIONS, *_OTHERS)


@law(
    "a layer with any documented options returns arrays of the documented shapes",
    source=f"{_DOCS}pool/#equinox.nn.Pool.__call__",
    level="should",
    needs=_EVERY,
    case=layer_calls(ANY),
)
def results_have_the_documented_shape(lib, case):
    call = lambda *inputs: case.make()(*inputs, **case.named)
    got = jtu.tree_map(lambda leaf: leaf.shape, jax.eval_shape(call, *case.inputs))
    equal(got, case.shape)


@law(
    "a layer that takes one array can be a member of `Sequential`, which passes each a key",
    source=f"{_DOCS}sequential/#equinox.nn.Sequential",
    level="should",
    needs=_EVERY | _of("Sequential"),
    case=layer_calls(ONE_INPUT),
    parents=(results_have_the_documented_shape,),
)
def layers_of_one_array_go_into_a_sequence(lib, case):
    sequence = lambda: lib.nn.Sequential([lib.nn.Identity(), case.make(), lib.nn.Lambda(jnp.abs)])
    got = jax.eval_shape(lambda x: sequence()(x, key=jax.random.key(0)), *case.inputs)
    equal(got.shape, case.shape)


@law(
    "the weights of a layer have the `dtype` that it is given, or else float32, or float64 with "
    "64-bit types on",
    source=f"{_DOCS}linear/#equinox.nn.Linear.__init__",
    needs=_EVERY | {"filter_eval_shape"},
    case=layer_dtypes(),
)
def weights_have_the_dtype_of_the_layer(lib, case):
    with double_precision() if case.wide else contextlib.nullcontext():
        made = jtu.tree_leaves(lib.filter_eval_shape(case.make))
    structs = [leaf for leaf in made if isinstance(leaf, jax.ShapeDtypeStruct)]
    equal([str(leaf.dtype) for leaf in structs], [case.dtype] * len(structs))


@law(
    "a layer returns arrays of the dtype of its input if its weights have that dtype, and so do a "
    "norm and a rotary embedding with weights of float32",
    # The pull requests of rotary embeddings (836) and of norms (876) say so of weights of float32.
    source="https://github.com/patrick-kidger/equinox/pull/876",
    level="should",
    needs=_EVERY,
    case=layer_results_of_dtypes(),
    parents=(results_have_the_documented_shape,),
)
def results_have_the_dtype_of_the_input(lib, case):
    call = lambda *inputs: case.make()(*inputs, **case.named)
    made = jtu.tree_leaves(jax.eval_shape(call, *case.inputs))
    equal([str(leaf.dtype) for leaf in made], [case.dtype] * len(made))


@law(
    "a linear layer, network, norm, embedding, activation or attention with any documented "
    "options returns what its documentation says, computed by NumPy",
    source=f"{_DOCS}mlp/#equinox.nn.MLP.__init__",
    level="should",
    needs=_of(*_ONE, "MultiheadAttention"),
    case=layer_values(PLAIN),
    parents=(results_have_the_documented_shape,),
)
def results_are_those_of_numpy(lib, case):
    close(results(case.layers, case.inputs, case.named), case.wanted)


@law(
    "a pooling with any documented options applies its operation to each window once",
    source=f"{_DOCS}pool/#equinox.nn.AdaptivePool.__init__",
    level="should",
    needs=_of(*_WINDOWS),
    case=layer_values(WINDOWED[:2], most=2),
    parents=(results_have_the_documented_shape,),
)
def each_window_is_reduced_once(lib, case):
    close(results(case.layers, case.inputs, case.named), case.wanted)


@law(
    "a convolution with any documented options returns the sums of its documentation, computed "
    "by NumPy",
    source=f"{_DOCS}conv/#equinox.nn.Conv.__init__",
    level="should",
    needs=_of(*_CONVOLUTIONS),
    case=layer_values(WINDOWED[2:]),
    parents=(results_have_the_documented_shape,),
)
def convolutions_are_those_of_numpy(lib, case):
    close(results(case.layers, case.inputs, case.named), case.wanted)


@law(
    "`ConvTranspose` with the flipped weight of a convolution of the same options computes the "
    "linear transpose of the convolution",
    source=f"{_DOCS}conv/#equinox.nn.ConvTranspose.__init__",
    needs=_of(*_CONVOLUTIONS) | {"tree_at"},
    case=transposed_pairs(),
    parents=(results_have_the_documented_shape,),
)
def a_flipped_convolution_is_the_transpose(lib, case):
    axes = tuple(range(2, case.forward.weight.ndim))
    weight = jnp.flip(case.forward.weight, axes).swapaxes(0, 1)
    layer = lib.tree_at(lambda layer: layer.weight, case.layer, weight)
    with jax.default_matmul_precision("float32"):
        pull = jax.linear_transpose(case.forward, jax.ShapeDtypeStruct(case.shape, weight.dtype))
        got, wanted = jax.jit(lambda x: (layer(x), *pull(x)))(*case.inputs)
    close([got], [wanted])


@law(
    "the gradient of the sum of a layer's finite results is finite by its weights and its input",
    source=f"{_DOCS}dropout/#equinox.nn.Dropout.__init__",
    level="should",
    needs=_of(*_ONE, "MultiheadAttention") | {"filter_value_and_grad"},
    case=layer_values(PLAIN, most=2, known=False),
    parents=(results_have_the_documented_shape,),
)
def gradients_of_finite_results_are_finite(lib, case):
    def totals(both):
        calls = zip(*both, case.named, strict=True)
        return sum(jnp.sum(layer(*inputs, **named)) for layer, inputs, named in calls)

    both = (case.layers, case.inputs)
    leaves = jtu.tree_leaves(lib.filter_jit(lib.filter_value_and_grad(totals))(both))
    same([np.isfinite(leaf).all() for leaf in leaves], [np.True_] * len(leaves))


def results(layers: Any, inputs: Any, named: Any) -> list[Any]:
    """Call each layer, all in one compiled function.

    Without the precision, some devices multiply numbers of 32 bits with fewer digits.
    """

    @jax.jit
    def call(inputs):
        calls = zip(layers, inputs, named, strict=True)
        return [layer(*values, **options) for layer, values, options in calls]

    with jax.default_matmul_precision("float32"):
        return call(inputs)


def close(got: Any, wanted: Any) -> None:
    """Demand arrays of the same shapes whose numbers are equal up to rounding."""
    equal(list(map(np.shape, got)), list(map(np.shape, wanted)))
    for one, other in zip(got, wanted, strict=True):
        if not np.allclose(one, other, rtol=1e-4, atol=1e-4):
            raise Mismatch("", "value", shown(one), shown(np.asarray(other)))
