"""Normalisation layers without state of their own, which pass one on."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .states_norms import STEPPING

_NORMS = (
    "eqx.nn.LayerNorm(x.shape)",
    "eqx.nn.LayerNorm(x.shape, use_weight=False, use_bias=False)",
    "eqx.nn.LayerNorm(x.shape, eps=0.5, use_bias=False)",
    "eqx.nn.RMSNorm(x.shape)",
    "eqx.nn.RMSNorm(x.shape, use_weight=False, use_bias=False)",
    "eqx.nn.GroupNorm(2, 4)",
    "eqx.nn.GroupNorm(1, 4, channelwise_affine=False)",
    "eqx.nn.GroupNorm(4, channelwise_affine=False)",
)
_CALLS = (
    ("layer(x, state)", "layer(x)"),
    ("layer(x, state=state)", "layer(x)"),
    ("layer(x, state, key=key)", "layer(x, key=key)"),
    ("eqx.filter_jit(layer)(x, state)", "eqx.filter_jit(layer)(x)"),
)


@st.composite
def passed_states(draw: st.DrawFn) -> Recipe:
    """Draw `with_state` and `without`, a normalisation of `x` with a `state` and without one."""
    scope = Scope()
    scope.define(STEPPING)
    shape = draw(st.sampled_from(((4,), (4, 2), (4, 1, 3))))
    dtype = draw(st.sampled_from(("float32", "float16", "bfloat16")))
    scope.bind("x", f"jnp.arange({math.prod(shape)}, dtype=jnp.{dtype}).reshape({shape})")
    layer = draw(st.sampled_from(_NORMS))
    scope.note(f"layer:{layer.removeprefix('eqx.nn.').partition('(')[0]}")
    scope.bind("layer", layer)
    scope.statement("stepping, state = eqx.nn.make_with_state(SteppingLayer)(3)")
    scope.bind("key", "jax.random.key(0)")
    with_state, without = draw(st.sampled_from(_CALLS))
    scope.bind("with_state", f"lambda state: {with_state}")
    scope.bind("without", f"lambda: {without}")
    return scope.recipe()
