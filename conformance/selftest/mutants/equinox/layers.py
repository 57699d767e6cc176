"""Mutants of the layers without state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp

from selftest.mutant import mutant

_ID = "equinox.layers."
_PLAIN = ("Linear", "LayerNorm", "RMSNorm", "GroupNorm", "WeightNorm", "Identity")
_POOLS = ("Pool", *(f"{kind}Pool{dims}d" for kind in ("Avg", "Max") for dims in "123"))
_CONVOLUTIONS = ("Conv", "Conv1d", "Conv2d", "Conv3d")
_TRANSPOSED = ("ConvTranspose", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")


def _changed(eqx: Any, names: Iterable[str], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return subclasses of layers whose results are changed."""

    def subclass(layer: Any) -> Any:
        def __call__(self, *args, **kwargs):
            return change(layer.__call__(self, *args, **kwargs))

        body = {"__call__": __call__, "__module__": __name__, "__qualname__": layer.__name__}
        return type(layer)(layer.__name__, (layer,), body)

    return {f"nn.{name}": subclass(getattr(eqx.nn, name)) for name in names}


def _without(eqx: Any, names: Iterable[str], option: str) -> dict[str, Any]:
    """Return functions that make layers and ignore an option."""

    def ignoring(layer: Any) -> Any:
        return lambda *args, **options: layer(
            *args, **{name: value for name, value in options.items() if name != option}
        )

    return {f"nn.{name}": ignoring(getattr(eqx.nn, name)) for name in names}


@mutant(
    "equinox",
    kills=[
        _ID + "results_have_the_documented_shape",
        _ID + "layers_of_one_array_go_into_a_sequence",
    ],
)
def results_have_one_more_axis(eqx):
    """Linear layers and norms return their result in an axis of its own."""
    return _changed(eqx, _PLAIN, lambda out: out[None])


@mutant("equinox", kills=[_ID + "results_have_the_dtype_of_the_input"])
def norms_compute_in_float32(eqx):
    """Norms and rotary embeddings return float32 for an input of half precision."""
    names = ("LayerNorm", "RMSNorm", "GroupNorm", "RotaryPositionalEmbedding")
    return _changed(eqx, names, lambda out: out.astype(jnp.float32))


@mutant("equinox", kills=[_ID + "weights_have_the_dtype_of_the_layer"])
def layers_ignore_the_dtype(eqx):
    """Linear layers, networks, convolutions and cells have weights of the default dtype."""
    names = ("Linear", "MLP", "GRUCell", "MultiheadAttention", *_CONVOLUTIONS)
    return _without(eqx, names, "dtype")


@mutant("equinox", kills=[_ID + "results_are_those_of_numpy"])
def results_are_doubled(eqx):
    """Linear layers and norms return twice their result."""
    return _changed(eqx, _PLAIN, lambda out: 2 * out)


@mutant("equinox", kills=[_ID + "each_window_is_reduced_once"])
def windows_have_one_more_entry(eqx):
    """A pooling adds one to each window."""
    return _changed(eqx, _POOLS, lambda out: out + 1)


@mutant("equinox", kills=[_ID + "convolutions_are_those_of_numpy"])
def convolutions_pad_with_zeros(eqx):
    """A convolution ignores its padding mode."""
    return _without(eqx, _CONVOLUTIONS, "padding_mode")


@mutant("equinox", kills=[_ID + "a_flipped_convolution_is_the_transpose"])
def transposes_are_doubled(eqx):
    """A transposed convolution returns twice its result."""
    return _changed(eqx, _TRANSPOSED, lambda out: 2 * out)


@mutant("equinox", kills=[_ID + "gradients_of_finite_results_are_finite"])
def results_have_infinite_derivatives(eqx):
    """Linear layers and norms add a root of zero, whose derivative is infinite."""
    return _changed(eqx, _PLAIN, lambda out: out + jnp.sqrt(out - jax.lax.stop_gradient(out)))


@mutant("equinox", kills=[_ID + "options_are_checked_in_each_dimension"])
def transposes_take_any_output_padding(eqx):
    """A transposed convolution ignores its output padding."""
    return _without(eqx, _TRANSPOSED, "output_padding")
