"""Draw layers that normalize, and the axes and parameters that their documentation names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .parts import COUNTED, broadcastable, called, chosen, counted

_INIT = "scale_init=nnx_counted, bias_init=nnx_counted, rngs=nnx.Rngs(0)"
_SHAPE = (2, 3, 5, 4)
# Constructor, the axes that it reduces, the axes that its parameters have, and features. An array
# is of shape (2, 3, 5, 4); groups of it are of shape (2, 3, 5, 2, 2).
_ROWS: Sequence[tuple[str, tuple[int, ...], tuple[int, ...], tuple[str, ...]]] = (
    (f"nnx.BatchNorm(4, {_INIT}$)", (0, 1, 2), (3,), ("layer:batch",)),
    (f"nnx.BatchNorm(3, axis=1, {_INIT}$)", (0, 2, 3), (1,), ("layer:batch",)),
    (f"nnx.LayerNorm(4, {_INIT}$)", (3,), (3,), ()),
    (f"nnx.LayerNorm(4, reduction_axes=(1, 2), {_INIT}$)", (1, 2), (3,), ()),
    (
        f"nnx.LayerNorm(20, reduction_axes=[-2, -1], feature_axes=(-2, -1), {_INIT}$)",
        (2, 3),
        (2, 3),
        (),
    ),
    (f"nnx.RMSNorm(4, {_INIT}$)", (3,), (3,), ("layer:rms",)),
    (f"nnx.RMSNorm(3, reduction_axes=1, feature_axes=1, {_INIT}$)", (1,), (1,), ("layer:rms",)),
    (f"nnx.GroupNorm(4, 2, {_INIT}$)", (1, 2, 4), (3,), ("layer:group",)),
    (f"nnx.GroupNorm(4, None, group_size=2, {_INIT}$)", (1, 2, 4), (3,), ("layer:group",)),
    (
        f"nnx.GroupNorm(4, num_groups=2, reduction_axes=(-2, -1), {_INIT}$)",
        (2, 4),
        (3,),
        ("layer:group", "group:more-leading-axes"),
    ),
    (f"nnx.InstanceNorm(4, {_INIT}$)", (1, 2), (3,), ()),
    (f"nnx.InstanceNorm(3, feature_axes=1, {_INIT}$)", (2, 3), (1,), ()),
)
_OPTIONS: Mapping[str, Sequence[str]] = {
    "use_bias": ("False",),
    "use_scale": ("False",),
    "epsilon": ("0.25",),
    "use_fast_variance": ("False",),
    "dtype": ("jnp.bfloat16",),
    "param_dtype": ("jnp.bfloat16",),
}


@st.composite
def normed(draw: st.DrawFn) -> Recipe:
    """Bind `layer`, `x`, `given`, the options of a call, and what the layer does, as `meant`."""
    scope = Scope()
    scope.define(COUNTED)
    known = [row for row in _ROWS if names.has(row[0].partition("(")[0])]
    made, reduced, features, notes = draw(st.sampled_from(known))
    scope.note(*notes)
    options = chosen(draw, _OPTIONS)
    if "layer:rms" in notes:
        options.pop("use_bias", None)
        made = made.replace(", bias_init=nnx_counted", "")
    scope.bind("layer", made.replace("$", called(options)))
    scope.bind("x", counted(_SHAPE))
    scope.bind("given", "{}")
    if draw(st.booleans()):
        shape = draw(broadcastable(_SHAPE))
        shape = shape if len(shape) == len(_SHAPE) else _SHAPE
        shape = (*shape[:-1], draw(st.sampled_from((1, shape[-1]))))
        if _shows_enough(shape, reduced, "layer:group" in notes):
            scope.note("mask:one-feature" if shape[-1] == 1 else "mask:whole")
            scope.rebind("given", f"{{'mask': {counted(shape)} > -0.5}}")
    epsilon = options.get("epsilon", "1e-5" if "layer:batch" in notes else "1e-6")
    meant = f"reduced={reduced!r}, features={features!r}, epsilon={epsilon}"
    meant += f", groups={'layer:group' in notes}, centred={'layer:rms' not in notes}"
    scope.bind("meant", f"dict({meant})")
    scope.bind("dtype", repr("bfloat16" if "dtype" in options else "float32"))
    return scope.recipe()


def _shows_enough(shape: tuple[int, ...], reduced: tuple[int, ...], groups: bool) -> bool:
    """Return whether a mask of counted numbers shows two places or more for each variance.

    What a layer returns where nothing is seen is not documented, and the variance of one place is
    nothing but rounding: the default way to compute it is "less numerically stable".
    """
    numbers = np.sin(1.7 * np.arange(1, math.prod(shape) + 1)).reshape(shape)
    seen = np.broadcast_to(numbers > -0.5, _SHAPE)
    seen = seen.reshape(*_SHAPE[:-1], 2, 2) if groups else seen
    return bool(seen.sum(reduced).min() > 1)


_WEIGHTS = {
    "feature_axes": ("None", "-1", "0", "(0, 1)"),
    "use_scale": ("False",),
    "scale_init": ("nnx_counted", "nnx.initializers.normal()", "nnx.initializers.constant(2.0)"),
    "param_dtype": ("jnp.float16",),
    "variable_filter": ("nnx.PathContains('kernel')",),
}
_AXES = {"None": (), "-1": (1,), "0": (0,), "(0, 1)": (0, 1)}


@st.composite
def weight_normed(draw: st.DrawFn) -> Recipe:
    """Bind `layer`, an `nnx.WeightNorm` of a Linear `inner`, `kernel` before it, `x` and `axes`.

    `dtype` is that of its parameters.
    """
    scope = Scope()
    scope.define(COUNTED)
    options = chosen(draw, _WEIGHTS)
    init = options.get("scale_init", "")
    kind = "counted" if init == "nnx_counted" else init.rpartition(".")[2].partition("(")[0]
    has_scale = "use_scale" not in options
    scope.note(*([f"init:{kind}"] if init and has_scale else []))
    scope.note(*(["option:param_dtype"] if "param_dtype" in options and has_scale else []))
    scope.bind("inner", "nnx.Linear(3, 2, kernel_init=nnx_counted, rngs=nnx.Rngs(0))")
    scope.bind("kernel", "inner.kernel[...]")
    scope.bind("layer", f"nnx.WeightNorm(inner{called(options)}, rngs=nnx.Rngs(0))")
    scope.bind("x", counted((2, 3)))
    scope.bind("axes", repr(_AXES[options.get("feature_axes", "-1")]))
    scope.bind("dtype", options.get("param_dtype", "jnp.float32"))
    return scope.recipe()
