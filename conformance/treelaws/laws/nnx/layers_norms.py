"""Flax NNX: layers that normalize, with each documented option, axis and mask."""

from __future__ import annotations

import numpy as np

from hypothesis_pytrees.nnx.layers.normed import normed, weight_normed
from treelaws.compat.nnx import parameter
from treelaws.equality import equal

from ._near import near
from .layers import law

_PAGE = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/nn/normalization.html"


@law(
    "a layer that normalizes uses the mean and variance over its axes, where the mask is true, and "
    "its parameters along their axes",
    source=f"{_PAGE}#flax.nnx.GroupNorm",
    needs={"BatchNorm", "LayerNorm", "RMSNorm", "GroupNorm"},
    case=normed(),
)
def layers_normalize_over_their_axes(lib, case):
    mask = case.given.get("mask")
    near(
        case.layer(case.x, **case.given),
        _normed(case.layer, case.x, mask, **case.meant),
        case.dtype,
    )


@law(
    "`WeightNorm` makes the weights of its layer as long as its scales, which have the dtype that "
    "it is given for parameters",
    source=f"{_PAGE}#flax.nnx.WeightNorm",
    # Which axes are normalized is documented for the default, and for others in Linen.
    level="should",
    needs={"WeightNorm"},
    case=weight_normed(),
)
def weights_become_as_long_as_their_scale(lib, case):
    got = case.layer(case.x)
    others = tuple(axis for axis in range(2) if axis not in case.axes)
    lengths = np.sqrt((np.float32(case.kernel) ** 2).sum(others, keepdims=True))
    scales = [one[...] for path, one in (case.layer.scales or {}).items() if path == ("kernel",)]
    scale = np.float32(scales[0]).reshape(lengths.shape) if scales else 1.0
    near(got, case.x @ (case.kernel / lengths * scale) + case.inner.bias[...])
    equal([str(one.dtype) for one in scales], [np.dtype(case.dtype).name] * len(scales))


def _normed(layer, x, mask, *, reduced, features, epsilon, groups, centred):
    """Return a normalized array, by hand; with `groups`, the last axis is in pairs."""
    x = np.asarray(x, np.float64)
    seen = np.ones(x.shape, bool) if mask is None else np.broadcast_to(mask, x.shape)
    parts = [one.reshape(*x.shape[:-1], 2, 2) if groups else one for one in (x, seen)]
    options = {"axis": reduced, "keepdims": True, "where": parts[1]}
    mean = parts[0].mean(**options) if centred else 0.0
    variance = ((parts[0] - mean) ** 2).mean(**options)
    result = ((parts[0] - mean) / np.sqrt(variance + epsilon)).reshape(x.shape)
    shape = [size if axis in features else 1 for axis, size in enumerate(x.shape)]
    scale, bias = parameter(layer.scale), parameter(getattr(layer, "bias", None))
    result = result if scale is None else result * np.float64(scale).reshape(shape)
    return result if bias is None else result + np.float64(bias).reshape(shape)
