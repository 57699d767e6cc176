"""Draw calls of attention of Flax NNX: batches, masks, biases, depths, heads and positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

from .parts import COUNTED, broadcastable, called, chosen, counted, forms_of

_BATCHES = ((), (2,), (2, 3))
_HEADS, _DEPTH = 2, 4
_CODE = "https://github.com/google/flax/blob/v{}/flax/nnx/nn/attention.py"
_CAUSAL = Since("is_causal", "flax>=0.12.2", _CODE.format("0.12.2"))
_CAUSAL_LAYERS = Since("is_causal of a call", "flax>=0.12.8", _CODE.format("0.12.8"))
_KEPT = Since("keep_rngs and in_kv_features", "flax>=0.12.0", _CODE.format("0.12.0"))
_GROUPS = Since("num_kv_heads", "flax>=0.12.8", _CODE.format("0.12.8"))
# Ways through the function: the fast one, and two that need the weights.
_WAYS = {
    "fast": "{}",
    "weights": "{'dropout_rate': 0.25, 'deterministic': True}",
    "sown": "{'module': nnx.Module()}",
}


def _bind_bias_and_mask(draw: st.DrawFn, scope: Scope, whole: tuple[int, ...]) -> None:
    """Bind `bias` and `mask`, arrays or None, and `causal`, the option for it if there is one."""
    for name in ("bias", "mask"):
        if not draw(st.booleans()):
            scope.bind(name, "None")
            continue
        shape = draw(broadcastable(whole))
        scope.note(*forms_of(name, shape, whole))
        text = counted(shape)
        if name == "mask":
            # What is left of a row without any key is not documented: the first key is seen.
            text = f"({text} > 0).at[..., 0].set(True)"
            text += draw(st.sampled_from(("", ".astype(jnp.float32)")))
        scope.bind(name, text)
    # Which keys the last query sees is only clear for equal lengths.
    causal = whole[-1] == whole[-2] and not _CAUSAL.lacking() and draw(st.booleans())
    scope.bind("causal", "{'is_causal': True}" if causal else "{}")
    scope.note(f"causal:{causal}".lower())


@st.composite
def attended(draw: st.DrawFn) -> Recipe:
    """Bind `query`, `key`, `value`, `bias`, `mask`, `causal` and further `options`."""
    scope = Scope()
    scope.define(COUNTED)
    batch = draw(st.sampled_from(_BATCHES))
    scope.note(f"batch:{len(batch)}")
    keys = draw(st.sampled_from((3, 5)))
    depth = draw(st.sampled_from((_DEPTH, _DEPTH, 3)))
    scope.note(*(["depth:other"] if depth != _DEPTH else []))
    dtype = draw(st.sampled_from(("float32", "float32", "bfloat16")))
    scope.bind("query", counted((*batch, 3, _HEADS, _DEPTH), dtype))
    scope.bind("key", counted((*batch, keys, _HEADS, _DEPTH), dtype))
    scope.bind("value", counted((*batch, keys, _HEADS, depth), dtype))
    _bind_bias_and_mask(draw, scope, (*batch, _HEADS, 3, keys))
    way = draw(st.sampled_from(tuple(_WAYS)))
    scope.note(f"way:{'fast' if way == 'fast' else 'weights'}")
    scope.bind("options", _WAYS[way])
    if draw(st.booleans()):
        scope.rebind("options", "{**options, 'dtype': jnp.float32}")
    return scope.recipe()


# `$` stands for the batch; each with what the positions are called in features.
_POSITIONS = (
    ("none", ""),
    ("one", "(4,)"),
    ("batched", "(*batch, 4)"),
)
_ROPES = ("nnx.RoPE()", "nnx.RoPE(theta=100.0)", "nnx.RoPE(embedding_size=4, max_seq_len=6)")


def _bind_positions(draw: st.DrawFn, scope: Scope, batch: tuple[int, ...]) -> None:
    form, shape = draw(st.sampled_from(_POSITIONS))
    # Without a batch, both shapes are the same.
    form = "one" if form == "batched" and not batch else form
    scope.note(f"positions:{form}")
    scope.bind("batch", repr(batch))
    numbers = "jnp.array([1.0, 0.0, 2.0, 5.0])"
    scope.bind("positions", f"jnp.broadcast_to({numbers}, {shape})" if shape else "None")


@st.composite
def rotated(draw: st.DrawFn) -> Recipe:
    """Bind `rope`, its base `theta`, an array `x` of four places, and their `positions` or None."""
    scope = Scope()
    scope.define(COUNTED)
    rope = draw(st.sampled_from(_ROPES))
    scope.bind("rope", rope)
    scope.bind("theta", "100.0" if "theta" in rope else "10000.0")
    batch = draw(st.sampled_from(_BATCHES))
    _bind_positions(draw, scope, batch)
    scope.bind("x", counted((*batch, 4, _DEPTH)))
    return scope.recipe()


@st.composite
def rotated_attention(draw: st.DrawFn) -> Recipe:
    """Bind `rope`, `theta`, `query`, `key`, `value`, `mask` or None, and `positions` or None."""
    scope = Scope()
    scope.define(COUNTED)
    rope = draw(st.sampled_from(_ROPES))
    scope.bind("rope", rope)
    scope.bind("theta", "100.0" if "theta" in rope else "10000.0")
    batch = draw(st.sampled_from(_BATCHES[:2]))
    _bind_positions(draw, scope, batch)
    for name in ("query", "key", "value"):
        scope.bind(name, counted((*batch, 4, _HEADS, _DEPTH)))
    mask = draw(st.sampled_from(("None", "jnp.tril(jnp.ones((4, 4), bool))[None]")))
    scope.bind("mask", mask)
    return scope.recipe()


_OPTIONS = {
    "qkv_features": ("8",),
    "out_features": ("3",),
    "in_kv_features": ("6",),
    "num_kv_heads": ("1", "2"),
    "use_bias": ("False",),
    "normalize_qk": ("True",),
    "dropout_rate": ("0.25",),
    "keep_rngs": ("False",),
    "dtype": ("jnp.bfloat16",),
    "param_dtype": ("jnp.bfloat16",),
}


def _known(table: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the options that the installed release has."""
    since = {"num_kv_heads": _GROUPS, "keep_rngs": _KEPT, "in_kv_features": _KEPT}
    lacks = {name for name, one in since.items() if one.lacking()}
    return {name: values for name, values in table.items() if name not in lacks}


@st.composite
def multi_headed(draw: st.DrawFn) -> Recipe:
    """Bind a `layer` of two heads and `inputs` of it, with `mask` or None and `options`."""
    scope = Scope()
    scope.define(COUNTED)
    options = chosen(draw, _known(_OPTIONS))
    made = "decode=False, deterministic=True, kernel_init=nnx_counted, bias_init=nnx_counted"
    scope.bind("layer", f"nnx.MultiHeadAttention(2, 4, {made}{called(options)}, rngs=nnx.Rngs(0))")
    scope.note(*(f"option:{name}" for name in options))
    batch = draw(st.sampled_from(_BATCHES))
    scope.note(f"batch:{len(batch)}")
    count = draw(st.integers(2 if "in_kv_features" in options else 1, 3))
    keys = draw(st.sampled_from((3, 5))) if count > 1 else 3
    wide = 6 if "in_kv_features" in options else 4
    shapes = [(*batch, 3, 4), *([(*batch, keys, wide)] * (count - 1))]
    scope.bind("inputs", f"({''.join(f'{counted(shape)}, ' for shape in shapes)})")
    whole = (*batch, _HEADS, 3, keys)
    shape = draw(broadcastable(whole))
    # The shape of the mask is `[batch_sizes..., num_heads, query_length, key/value_length]`.
    shape = shape if len(shape) == len(whole) else whole
    mask = f"({counted(shape)} > 0).at[..., 0].set(True)"
    masked = draw(st.booleans())
    scope.bind("mask", mask if masked else "None")
    scope.note(*(forms_of("mask", shape, whole) if masked else []))
    causal = keys == 3 and not _CAUSAL_LAYERS.lacking() and draw(st.booleans())
    scope.note(f"causal:{causal}".lower())
    sown = draw(st.booleans())
    scope.note(f"way:{'weights' if sown or 'dropout_rate' in options else 'fast'}")
    scope.bind("causal", "{'is_causal': True}" if causal else "{}")
    scope.bind("options", f"{{'sow_weights': {sown}, **causal}}")
    return scope.recipe()


# Ways to a layer that decodes: its constructor, or a view, which makes the cache.
_DECODERS = {
    "init": "made(decode=True)",
    "call": "made(decode=False)",
    "view": "nnx.view(made(decode=False), decode=True, batch_size=batch_size, max_length=3)",
    "view-later": "nnx.view(made(decode=False), decode=True)",
}


@st.composite
def decoded(draw: st.DrawFn) -> Recipe:
    """Bind a `layer` that decodes up to three places, a `whole` one, and an array `x` of these."""
    scope = Scope()
    scope.define(COUNTED)
    batch = draw(st.sampled_from(((2,), (2,), (1, 2))))
    table = {"num_kv_heads": ("1",), "normalize_qk": ("True",), "use_bias": ("False",)}
    made = called(chosen(draw, _known(table)))
    made = f"2, 4, kernel_init=nnx_counted, dtype=jnp.float32, rngs=nnx.Rngs(0){made}"
    scope.bind("made", f"lambda **options: nnx.MultiHeadAttention({made}, **options)")
    sizes = (repr(batch), *([str(batch[0])] if len(batch) == 1 else []))
    scope.bind("batch_size", draw(st.sampled_from(sizes)))
    ways = [way for way in _DECODERS if names.has("nnx.view") or "view" not in way]
    way = draw(st.sampled_from(ways))
    scope.note(f"way:{way}")
    scope.bind("layer", _DECODERS[way])
    if way != "view":
        scope.statement(f"layer.init_cache({(*batch, 3, 4)!r})")
    scope.bind("whole", "made(decode=False)")
    scope.bind("x", counted((*batch, 3, 4)))
    options = ["'decode': True"] if way == "call" else []
    # Decoding is causal already: "Ignored when `decode=True`".
    causal = not _CAUSAL_LAYERS.lacking() and draw(st.booleans())
    scope.note(*(["causal:decoder"] if causal else []))
    options += ["'is_causal': True"] if causal else []
    scope.bind("options", f"{{{', '.join(options)}}}")
    return scope.recipe()
