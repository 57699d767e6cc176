"""Flax NNX: attention, and layers of it, with their documented options."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from hypothesis_pytrees.nnx.layers.attention import (
    attended,
    decoded,
    multi_headed,
    rotated as rotated_cases,
    rotated_attention,
)

from ._attention_model import attention, heads_rotated, rotated
from ._near import near
from .layers import law

_PAGE = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/nn/attention.html"
# No document says which two features `RoPE` turns together: the paper that it names takes
# neighbours, the code those of the two halves. Hence "should" for its laws.


@law(
    "`dot_product_attention` returns the values, weighted as documented, for each mask and bias "
    "that broadcasts to the weights",
    source=f"{_PAGE}#flax.nnx.dot_product_attention",
    needs={"dot_product_attention"},
    case=attended(),
)
def attention_weighs_the_values(lib, case):
    given = {"bias": case.bias, "mask": case.mask, **case.causal}
    got = lib.dot_product_attention(case.query, case.key, case.value, **given, **case.options)
    wanted = attention(case.query, case.key, case.value, **given)
    near(got, wanted, case.options.get("dtype", case.query.dtype))


@law(
    "`RoPE` turns the features of each place by its position, given or counted",
    source=f"{_PAGE}#flax.nnx.RoPE",
    level="should",
    needs={"RoPE"},
    case=rotated_cases(),
)
def rope_turns_by_the_position(lib, case):
    near(case.rope(case.x, case.positions), rotated(case.x, case.theta, case.positions))


@law(
    "`dot_product_attention_with_rope` is the attention of queries and keys that are turned by "
    "their positions",
    source=f"{_PAGE}#flax.nnx.dot_product_attention_with_rope",
    level="should",
    needs={"dot_product_attention_with_rope"},
    case=rotated_attention(),
)
def rotated_attention_weighs_the_values(lib, case):
    query, key = (heads_rotated(one, case.theta, case.positions) for one in (case.query, case.key))
    given = {"rope": case.rope, "input_positions": case.positions, "mask": case.mask}
    got = lib.dot_product_attention_with_rope(case.query, case.key, case.value, **given)
    near(got, attention(query, key, case.value, mask=case.mask))


@law(
    "`MultiHeadAttention` projects its inputs, returns their projected attention, and computes in "
    "its dtype",
    source=f"{_PAGE}#flax.nnx.MultiHeadAttention",
    needs={"MultiHeadAttention"},
    case=multi_headed(),
)
def layers_of_attention_project_the_attention(lib, case):
    got = case.layer(*case.inputs, mask=case.mask, **case.options)
    first, *others = case.inputs
    query, key, value = _projected(case.layer, first, *others)
    values = attention(query, key, value, mask=case.mask, **case.causal)
    near(got, case.layer.out(jnp.asarray(values, query.dtype)), case.layer.dtype)


@law(
    "a layer of attention that decodes place by place, with a cache from `init_cache` or `view`, "
    "returns what causal attention returns for all of them at once",
    source=f"{_PAGE}#flax.nnx.MultiHeadAttention.init_cache",
    level="should",
    needs={"MultiHeadAttention"},
    case=decoded(),
)
def decoding_is_causal_attention(lib, case):
    places = [case.x[..., at : at + 1, :] for at in range(case.x.shape[-2])]
    got = jnp.concatenate([case.layer(one, **case.options) for one in places], axis=-2)
    mask = np.tril(np.ones((len(places), len(places)), bool))
    query, key, value = _projected(case.whole, case.x)
    near(got, case.whole.out(jnp.asarray(attention(query, key, value, mask=mask), jnp.float32)))


def _projected(layer, first, second=None, third=None):
    """Return the queries, keys and values of inputs; one that is left out is the one before it."""
    second = first if second is None else second
    third = second if third is None else third
    query, key = layer.query(first), layer.key(second)
    if layer.normalize_qk:
        query, key = layer.query_ln(query), layer.key_ln(key)
    return query, key, layer.value(third)
