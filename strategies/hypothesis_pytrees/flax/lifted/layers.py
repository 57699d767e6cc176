"""Layers of Linen with parameters in boxes, each beside the same layer with plain parameters."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .modules import BOXES, CODE

# `K` stands for the initialiser of a matrix, `V` for that of a vector. All values are small.
_LAYERS = {
    "Dense": ("flax.linen.Dense(2, kernel_init=K, bias_init=V)", "(2, 3)"),
    "DenseGeneral": (
        "flax.linen.DenseGeneral((2, 2), axis=(-2, -1), kernel_init=K, bias_init=V)",
        "(1, 2, 3)",
    ),
    "Einsum": ("flax.linen.Einsum((3, 2), 'ab,bc->ac', kernel_init=K, bias_init=V)", "(2, 3)"),
    "Conv": ("flax.linen.Conv(2, (2,), kernel_init=K, bias_init=V)", "(1, 4, 3)"),
    "ConvTranspose": ("flax.linen.ConvTranspose(2, (2,), kernel_init=K)", "(1, 3, 2)"),
    "LayerNorm": ("flax.linen.LayerNorm(scale_init=V, bias_init=V)", "(2, 3)"),
    "RMSNorm": ("flax.linen.RMSNorm(scale_init=V)", "(2, 3)"),
    "GroupNorm": ("flax.linen.GroupNorm(num_groups=2, scale_init=V)", "(2, 4)"),
    "BatchNorm": (
        "flax.linen.BatchNorm(use_running_average=False, scale_init=V, bias_init=V)",
        "(3, 2)",
    ),
    "Attention": (
        "flax.linen.MultiHeadDotProductAttention(num_heads=2, kernel_init=K, bias_init=V)",
        "(1, 2, 4)",
    ),
    "LSTM": (
        "flax.linen.RNN(flax.linen.LSTMCell(2, kernel_init=K, recurrent_kernel_init=K))",
        "(1, 3, 2)",
    ),
    "Sequential": (
        "flax.linen.Sequential([flax.linen.Dense(3, kernel_init=K), flax.linen.Dense(2)])",
        "(2, 3)",
    ),
    "mapped": (
        (
            "flax.linen.vmap(flax.linen.Dense, variable_axes={'params': 0}, "
            "split_rngs={'params': True}, metadata_params={'partition_name': 'stack'})"
            "(2, kernel_init=K)"
        ),
        "(2, 2, 3)",
    ),
}
# Those whose biases have two axes.
_WITH_MATRICES = ("DenseGeneral", "Attention")
_WRAPPERS = {
    "none": ("{layer}", ""),
    "WeightNorm": ("flax.linen.WeightNorm({layer}{options})", ""),
    "SpectralNorm": ("flax.linen.SpectralNorm({layer}{options})", "'update_stats': {updates}"),
    "remat": (
        "flax.linen.remat(FlaxLinenCaller)({layer})",
        "",
    ),
}
_OPTIONS = {
    "WeightNorm": (
        "",
        ", use_scale=False",
        ", variable_filter=None",
        ", variable_filter={'kernel', 'scale'}",
        ", feature_axes=None",
        ", scale_init=V",
    ),
    "SpectralNorm": ("", ", n_steps=2", ", n_steps=0", ", collection_name='norms'"),
}
_CALLER = """\
class FlaxLinenCaller(flax.linen.Module):
    layer: flax.linen.Module

    @flax.linen.compact
    def __call__(self, x):
        return self.layer(x)


def flax_linen_near(key, shape, dtype=np.float32):
    # Numbers about one, so that no norm is zero.
    return jax.random.uniform(key, shape, dtype, 0.5, 1.5)
"""


@st.composite
def boxed_layers(draw: st.DrawFn) -> Recipe:
    """Draw `boxed` and `plain`, layers with the same parameters, in boxes and without.

    `x` is an input, and `call` holds other arguments. Features are `layer:` and `way:` with the
    kinds of the layer and of the module around it, `updates:True` if that one changes its
    variables, `boxed:kernels` or `boxed:vectors` for parameters of the layer that are in boxes,
    `boxed:matrix` for one of two or more axes, `scaled:boxed` for one to which `WeightNorm` gives
    a scale, and `n_steps:0`.
    """
    scope = Scope()
    kind = draw(st.sampled_from(tuple(_LAYERS)))
    way = draw(st.sampled_from(tuple(_WRAPPERS)))
    # `WeightNorm` makes all variables of its layer immutable.
    kind = "LayerNorm" if (kind, way) == ("BatchNorm", "WeightNorm") else kind
    scope.note(f"layer:{kind}", f"way:{way}")
    layer, shape = _LAYERS[kind]
    around, call = _WRAPPERS[way]
    updates = draw(st.booleans())
    options = draw(st.sampled_from(_OPTIONS.get(way, ("",))))
    text = around.format(layer=layer, options=options)
    if options == ", n_steps=0":
        scope.note("n_steps:0")
    scope.define(CODE, _CALLER)
    scope.bind("make", f"lambda K, V: {text}")
    box = draw(st.sampled_from(BOXES))
    boxed = draw(st.sampled_from(("kernels", "vectors", "all")))
    scope.note(f"box:{box}")
    for name, letter in (("kernels", "K"), ("vectors", "V")):
        if boxed in (name, "all") and f"={letter}" in layer:
            scope.note(f"boxed:{name}")
            if name == "kernels" or kind in _WITH_MATRICES:
                scope.note("boxed:matrix")
            if way == "WeightNorm" and _scales(name, layer, options):
                scope.note("scaled:boxed")
    matrix, vector = (
        f"flax_linen_boxed({(box if boxed in (one, 'all') else '')!r}, flax_linen_near)"
        for one in ("kernels", "vectors")
    )
    scope.bind("boxed", f"make({matrix}, {vector})")
    scope.bind("plain", "make(flax_linen_near, flax_linen_near)")
    scope.bind("x", f"flax_linen_numbers({shape}, {draw(st.integers(0, 3))})")
    if call:
        scope.note(f"updates:{updates}")
    scope.bind("call", f"{{{call.format(updates=updates)}}}")
    return scope.recipe()


def _scales(name: str, layer: str, options: str) -> bool:
    """Return whether `WeightNorm` gives a scale to the kernels or the vectors of a layer."""
    if options == ", use_scale=False":
        return False
    with_scale = "'scale'" in options and "scale_init" in layer
    return name == "kernels" or "variable_filter=None" in options or with_scale
