"""Draw layers with a flag, such as `deterministic`, and the ways to set it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .parts import COUNTED, counted

_ATTENTION = "nnx.MultiHeadAttention(2, 4, kernel_init=nnx_counted, rngs=nnx.Rngs(0)$, "
_DROPOUT = "rngs=nnx.Rngs(dropout=0)$"
# The flag, and a constructor of a layer that takes it at `$`.
_LAYERS: Sequence[tuple[str, str]] = (
    ("deterministic", f"nnx.Dropout(0.5, {_DROPOUT})"),
    ("deterministic", f"nnx.Dropout(0.5, broadcast_dims=(0,), {_DROPOUT})"),
    ("deterministic", "nnx.Dropout(0.5, rng_collection='noise', rngs=nnx.Rngs(noise=0)$)"),
    ("deterministic", "nnx.Dropout(0.0$)"),
    ("deterministic", "nnx.Dropout(1.0$)"),
    ("deterministic", f"{_ATTENTION}dropout_rate=0.5, decode=False)"),
    ("use_running_average", "nnx.BatchNorm(4, rngs=nnx.Rngs(0)$)"),
)
# By how a flag is set: an expression of the layer `made(...)`, with `flag` and `value`.
_WAYS = {
    "init": "made(**{flag: value})",
    "init-other": "made(**{flag: value})",
    "attribute": "nnx_set(made(**other), flag, value)",
    "train-eval": "nnx_trained(made(**other), not value)",
    "set_attributes": "nnx_with(made(**other), {flag: value})",
    "view": "nnx.view(made(**other), **{flag: value})",
    "view-of-tree": "nnx.view(nnx.Sequential(made(**other)), **{flag: value}).layers[0]",
    "with_attributes": "nnx.with_attributes(made(**other), **{flag: value})",
}
_HELPERS = """\
def nnx_set(layer, name, value):
    setattr(layer, name, value)
    return layer


def nnx_trained(layer, trains):
    layer.train() if trains else layer.eval()
    return layer


def nnx_with(layer, settings):
    layer.set_attributes(**settings)
    return layer
"""
_NEEDS = {
    "view": "nnx.view",
    "view-of-tree": "nnx.view",
    "with_attributes": "nnx.with_attributes",
    "set_attributes": "nnx.Module.set_attributes",
    "train-eval": "nnx.Module.train",
}


@st.composite
def flagged(draw: st.DrawFn) -> Recipe:
    """Bind `layer`, whose flag is set in some way, and `told`, which is told it at the call.

    `options` are those of that call, `x` is the input, and `settings` the flag and its value.
    """
    scope = Scope()
    scope.define(COUNTED, _HELPERS)
    flag, text = draw(st.sampled_from(_LAYERS))
    value = draw(st.booleans())
    ways = [way for way in _WAYS if way not in _NEEDS or names.has(_NEEDS[way])]
    way = draw(st.sampled_from(ways))
    scope.note(f"way:{way}", f"flag:{flag}")
    scope.bind("flag", repr(flag))
    scope.bind("value", str(value))
    scope.bind("other", f"{{flag: {not value}}}")
    scope.bind("made", f"lambda **options: {text.replace('$', ', **options')}")
    scope.bind("layer", _WAYS[way])
    scope.bind("told", f"made(**{'other' if draw(st.booleans()) else '{flag: value}'})")
    scope.bind("options", "{flag: value}")
    scope.bind("x", counted((2, 3, 4)))
    return scope.recipe()


@st.composite
def dropped(draw: st.DrawFn) -> Recipe:
    """Bind `layer`, an `nnx.Dropout` of `rate`, `x`, `options` of a call, and `shared` axes."""
    scope = Scope()
    rate = draw(st.sampled_from(("0.25", "0.5", "0.75")))
    shared = draw(st.sampled_from(((), (0,), (-1,), (0, -1))))
    name = draw(st.sampled_from(("dropout", "noise")))
    of_call = names.has("nnx.view") and draw(st.booleans())
    streams = (f"nnx.Rngs({name}=1)", f"nnx.RngStream(1, tag='{name}')")
    keys = ("jax.random.key(1)", "jax.random.PRNGKey(1)") if of_call else ()
    rngs = draw(
        st.sampled_from((*streams, *keys)) if names.has("nnx.view") else st.just(streams[0])
    )
    made = f"{rate}, broadcast_dims={shared!r}, rng_collection={name!r}"
    scope.bind("layer", f"nnx.Dropout({made}{'' if of_call else f', rngs={rngs}'})")
    scope.bind("options", f"{{'rngs': {rngs}}}" if of_call else "{}")
    scope.bind("rate", rate)
    scope.bind("shared", repr(shared))
    dtype = draw(st.sampled_from(("jnp.float32", "jnp.bfloat16", "np.float32")))
    scope.bind("x", f"{dtype.partition('.')[0]}.ones((4, 5, 6), {dtype})")
    return scope.recipe()
