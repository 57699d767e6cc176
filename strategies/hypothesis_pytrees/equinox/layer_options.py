"""Layers of `eqx.nn` without state, with any documented options, as text.

Each comes with the shape of its result, as documented, and a way to compute the result by NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import MLP_SCAN

from .layer_windows import (
    Layer,
    adaptive_pooling,
    convolution,
    numbered,
    pick,
    pooling,
    transposed_convolution,
)

_LINEAR = """\
def plain_linear(layer, x):
    y = np.asarray(layer.weight) @ np.atleast_1d(x)
    y = y if layer.bias is None else y + np.asarray(layer.bias)
    return y[0] if layer.out_features == 'scalar' else y
"""
_MLP = """\
def plain_mlp(layer, x, activation, final):
    *steps, last = layer.layers
    if getattr(layer, 'scan', False) and steps:
        first, hidden = steps
        rows = range(layer.depth - 1)
        steps = [first, *(jtu.tree_map(lambda leaf: leaf[i], hidden) for i in rows)]
    for step in steps:
        x = activation(plain_linear(step, x))
    return final(plain_linear(last, x))
"""
_NORM = """\
def plain_norm(x, eps, centred, weight, bias):
    x = np.asarray(x)
    middle = x.mean() if centred else 0
    out = (x - middle) / np.sqrt(np.mean((x - middle) ** 2) + eps)
    out = out if weight is None else out * np.asarray(weight)
    return out if bias is None else out + np.asarray(bias)
"""
_GROUPS = """\
def plain_group_norm(layer, x):
    parts = [plain_norm(part, layer.eps, True, None, None) for part in np.split(x, layer.groups)]
    out = np.concatenate(parts)
    if layer.weight is None:
        return out
    shape = (-1,) + (1,) * (out.ndim - 1)
    return out * np.reshape(layer.weight, shape) + np.reshape(layer.bias, shape)
"""
# New weights of norms are 1 or 0; random ones take long to compile.
_FILLED = """\
def filled_layer(make):
    def fill(path, leaf):
        if not isinstance(leaf, jax.ShapeDtypeStruct):
            return leaf
        if str(path[-1]).endswith('slope'):
            return jax.device_put(np.full(leaf.shape, 0.25, leaf.dtype))
        count = math.prod(leaf.shape)
        numbers = (np.arange(count) * 3 % 5 - 1.5) / 4
        return jax.device_put(numbers.reshape(leaf.shape).astype(leaf.dtype))

    return jtu.tree_map_with_path(fill, eqx.filter_eval_shape(make))
"""
_ATTENTION = """\
def plain_attention(layer, query, key, value, mask=True):
    def heads(projection, rows):
        rows = np.stack([plain_linear(projection, row) for row in rows])
        return rows.reshape(len(rows), layer.num_heads, -1)

    q, k = heads(layer.query_proj, query), heads(layer.key_proj, key)
    v = heads(layer.value_proj, value)
    logits = np.where(mask, np.einsum('shd,Shd->hsS', q, k) / np.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    mixed = np.einsum('hsS,Shd->shd', weights, v).reshape(len(q), -1)
    return np.stack([plain_linear(layer.output_proj, row) for row in mixed])
"""
_WEIGHT_NORM = """\
def plain_weight_norm(layer, x, others):
    v, inner = np.asarray(layer.layer.weight), layer.layer
    norm = np.sqrt(np.sum(v**2, others, keepdims=True))
    return np.asarray(layer.g) * v / norm @ x + np.asarray(inner.bias)
"""
_KEY = "key=jax.random.key(0)"


def _flag(draw: st.DrawFn) -> bool:
    return draw(st.booleans())


def _size(draw: st.DrawFn) -> tuple[Any, tuple[int, ...]]:
    size = pick(draw, 2, 3, "scalar", 0)
    return size, () if size == "scalar" else (size,)


def _of_nothing(*sizes: Any) -> tuple[str, ...]:
    return ("layer:of-nothing",) * (0 in sizes)


def _linear(draw: st.DrawFn) -> Layer:
    """Feature `layer:of-nothing`: a layer inside takes arrays without entries."""
    (inner, shape), (outer, result) = _size(draw), _size(draw)
    text = f"eqx.nn.Linear({inner!r}, {outer!r}, use_bias={_flag(draw)}{{dtype}}, {_KEY})"
    wanted = "plain_linear(layer, *inputs)"
    features = ("layer:linear", *_of_nothing(inner))
    return Layer(features, text, [numbered(shape)], result, wanted, (_LINEAR,))


# Activations, and the same by NumPy.
_ACTIVATIONS = (
    ("jax.nn.relu", "lambda x: np.maximum(x, 0)"),
    ("jnp.tanh", "np.tanh"),
    ("eqx.nn.PReLU()", "lambda x: np.where(x >= 0, x, x / 4)"),
    ("eqx.nn.Lambda(jnp.tanh)", "np.tanh"),
)


def _mlp(draw: st.DrawFn) -> Layer:
    """Feature `mlp:final-of-none`: a final activation of a network without hidden layers."""
    (inner, shape), (outer, result) = _size(draw), _size(draw)
    width, features = pick(draw, 2, 2, 0), ["layer:mlp", *_of_nothing(inner)]
    depth, options = pick(draw, 1, 2, 3, 0), ""
    features += _of_nothing(width if depth else 2)
    activation, final = _ACTIVATIONS[0][1], "lambda x: x"
    if _flag(draw):
        text, activation = pick(draw, *_ACTIVATIONS)
        options += f", activation={text}"
    if _flag(draw):
        text, final = pick(draw, *_ACTIVATIONS)
        options += f", final_activation={text}"
        features += ["mlp:final-of-none"] * (depth == 0)
    if not MLP_SCAN.lacking() and _flag(draw):
        options += ", scan=True"
    biases = f"use_bias={_flag(draw)}, use_final_bias={_flag(draw)}"
    made = f"{inner!r}, {outer!r}, {width}, {depth}, {biases}{options}{{dtype}}, {_KEY}"
    wanted = f"plain_mlp(layer, inputs[0], {activation}, {final})"
    inputs, texts = [numbered(shape)], (_LINEAR, _MLP)
    return Layer(tuple(features), f"eqx.nn.MLP({made})", inputs, result, wanted, texts)


def _norm(draw: st.DrawFn) -> Layer:
    shape = pick(draw, (2,), (2, 3), ())
    written = pick(draw, repr(shape), repr(list(shape)), *(["2"] if shape == (2,) else []))
    name, eps = pick(draw, "LayerNorm", "RMSNorm"), pick(draw, 1e-5, 0.5)
    options = f"eps={eps}, use_weight={_flag(draw)}, use_bias={_flag(draw)}{{dtype}}"
    text = f"eqx.nn.{name}({written}, {options})"
    wanted = f"plain_norm(inputs[0], {eps}, {name == 'LayerNorm'}, layer.weight, layer.bias)"
    return Layer(("layer:norm",), text, [numbered(shape)], shape, wanted, (_NORM,))


def _group_norm(draw: st.DrawFn) -> Layer:
    groups, channels = pick(draw, (1, 2), (2, 4), (2, 2))
    shape = (channels, *pick(draw, (), (2,), (1, 3)))
    affine = pick(draw, f"{channels}", "None, channelwise_affine=False")
    text = f"eqx.nn.GroupNorm({groups}, {affine}{{dtype}})"
    wanted, texts = "plain_group_norm(layer, inputs[0])", (_NORM, _GROUPS)
    return Layer(("layer:norm",), text, [numbered(shape)], shape, wanted, texts)


def _embedding(draw: st.DrawFn) -> Layer:
    size = pick(draw, 1, 2)
    made = pick(draw, f"3, {size}{{dtype}}, {_KEY}", f"weight=jnp.ones((3, {size}))")
    index, wanted = (
        pick(draw, "1", "np.int32(2)", "jnp.uint8(0)"),
        "np.asarray(layer.weight)[inputs[0]]",
    )
    return Layer(("layer:embedding",), f"eqx.nn.Embedding({made})", [index], (size,), wanted)


def _prelu(draw: st.DrawFn) -> Layer:
    shape = pick(draw, (2,), (2, 3), ())
    slopes = ("", "0.5", "0.0", "jnp.ones(())", *(["jnp.ones(1) / 8"] if shape else []))
    slope = pick(draw, *slopes)
    wanted = "np.where(inputs[0] >= 0, inputs[0], inputs[0] * np.asarray(layer.negative_slope))"
    return Layer(("layer:prelu",), f"eqx.nn.PReLU({slope})", [numbered(shape)], shape, wanted)


def _dropout(draw: st.DrawFn) -> Layer:
    """Features `dropout:all` and `dropout:int` for a fraction of 1."""
    shape, fraction = pick(draw, (2,), (2, 3)), pick(draw, "0", "0.0", "1.0", "1", "0.5")
    inference = _flag(draw)
    features = ["layer:dropout"]
    if fraction in ("1.0", "1") and not inference:
        features += ["dropout:all", *(["dropout:int"] if fraction == "1" else [])]
    wanted = "np.asarray(inputs[0])"
    if not inference and float(fraction):
        # Which ones stay depends on the key.
        wanted = "" if fraction == "0.5" else f"np.zeros({shape})"
    text = f"eqx.nn.Dropout({fraction}, inference={inference})"
    return Layer(tuple(features), text, [numbered(shape)], shape, wanted)


def _identity(draw: st.DrawFn) -> Layer:
    given, shape = pick(draw, "", "2, 3", "2, bias=True"), pick(draw, (2,), ())
    return Layer(
        ("layer:identity",), f"eqx.nn.Identity({given})", [numbered(shape)], shape, "inputs[0]"
    )


def _weight_norm(draw: st.DrawFn) -> Layer:
    axis = pick(draw, "", ", axis=None", ", axis=1")
    inner = f"eqx.nn.Linear(2, 3, {_KEY})"
    others = {"": 1, ", axis=None": None, ", axis=1": 0}[axis]
    wanted, texts = f"plain_weight_norm(layer, *inputs, {others})", (_WEIGHT_NORM,)
    text = f"eqx.nn.WeightNorm({inner}, 'weight'{axis})"
    return Layer(("layer:weight-norm",), text, [numbered((2,))], (3,), wanted, texts)


def _attention(draw: st.DrawFn) -> Layer:
    heads, size, options = pick(draw, 1, 2), 2, ""
    sizes = {"query": size, "key": size, "value": size, "output": size}
    for name in ("key", "value", "output"):
        if _flag(draw):
            sizes[name] = pick(draw, 3, 3, 0)
            options += f", {name}_size={sizes[name]}"
    inside = pick(draw, "", ", vo_size=3", ", vo_size=0")
    options += pick(draw, "", ", qk_size=3") + inside
    names = ("query", "key", "value", "output")
    options += "".join(f", use_{name}_bias={_flag(draw)}" for name in names)
    options += pick(draw, "", ", dropout_p=0.5, inference=True")
    text = f"eqx.nn.MultiheadAttention({heads}, {size}{options}{{dtype}}, {_KEY})"
    inputs = [
        numbered((rows, sizes[name])) for name, rows in zip(names[:3], (2, 3, 3), strict=True)
    ]
    mask = pick(
        draw, "", "np.tri(2, 3, dtype=bool)", f"np.tri(2, 3, dtype=bool)[None].repeat({heads}, 0)"
    )
    inputs += [mask] * bool(mask)
    wanted, texts = "plain_attention(layer, *inputs)", (_LINEAR, _ATTENTION)
    features = ("layer:attention", *_of_nothing(*sizes.values(), *[0] * ("0" in inside)))
    return Layer(features, text, inputs, (2, sizes["output"]), wanted, texts)


def _recurrent(draw: st.DrawFn) -> Layer:
    name, inner, size = pick(draw, "GRU", "LSTM"), pick(draw, 1, 2, 0), pick(draw, 1, 2)
    text = f"eqx.nn.{name}Cell({inner}, {size}, use_bias={_flag(draw)}{{dtype}}, {_KEY})"
    hidden = numbered((size,))
    if name == "GRU":
        return Layer(("layer:recurrent",), text, [numbered((inner,)), hidden], (size,))
    pair, shape = f"({hidden}, {hidden})", ((size,), (size,))
    return Layer(("layer:recurrent",), text, [numbered((inner,)), pair], shape)


def _rotary(draw: st.DrawFn) -> Layer:
    size, rows = pick(draw, 6, 0, 2), pick(draw, 1, 3)
    text = f"eqx.nn.RotaryPositionalEmbedding({size})"
    return Layer(("layer:rotary",), text, [numbered((rows, size))], (rows, size))


_DrawLayer = Callable[[st.DrawFn], Layer]
# Those of one array.
ONE_INPUT: Sequence[_DrawLayer] = (
    *(_linear, _mlp, _norm, _group_norm, _prelu, _dropout, _identity, _weight_norm, _rotary),
    *(_embedding, pooling, adaptive_pooling, convolution, transposed_convolution),
)
ANY: Sequence[_DrawLayer] = (*ONE_INPUT, _attention, _recurrent)
# Whose results are computed by NumPy without windows.
PLAIN: Sequence[_DrawLayer] = (
    *(_linear, _mlp, _norm, _group_norm, _prelu, _dropout, _identity, _weight_norm),
    *(_embedding, _attention),
)
WINDOWED: Sequence[_DrawLayer] = (pooling, adaptive_pooling, convolution)
_DTYPES = ("bfloat16", "float16", "float32", "complex64")


@st.composite
def layer_calls(draw: st.DrawFn, table: Sequence[_DrawLayer]) -> Recipe:
    """Bind `make`, which makes a layer, `inputs`, `named` arguments, and the `shape` of the result.

    Args:
        table: functions that draw a layer.
    """
    scope = Scope()
    layer = _noted(draw, scope, table)
    scope.bind("make", f"lambda: {layer.text.replace('{dtype}', '')}")
    scope.bind("inputs", f"({', '.join(layer.inputs)},)")
    scope.bind("named", _named(layer))
    scope.bind("shape", repr(layer.shape))
    return scope.recipe()


@st.composite
def layer_values(
    draw: st.DrawFn, table: Sequence[_DrawLayer], *, most: int = 4, known: bool = True
) -> Recipe:
    """Bind `layers`, the `inputs` and `named` arguments of each, and the results that are `wanted`.

    Several layers are compiled in the time of one.

    Args:
        table: functions that draw a layer.
        most: the largest number of layers; default 4.
        known: without results that depend on a random key; default `True`.
    """
    scope = Scope()
    layers, inputs, named, wanted = [], [], [], []
    for _ in range(draw(st.integers(1, most))):
        layer = _noted(draw, scope, table)
        if known and not layer.wanted:
            continue
        index = len(layers)
        layers.append(_filled(scope, layer))
        inputs.append(f"({', '.join(layer.inputs)},)")
        named.append(_named(layer))
        text = re.sub(r"\binputs\b", f"inputs[{index}]", layer.wanted)
        wanted.append(re.sub(r"\blayer\b", f"layers[{index}]", text))
    for name, texts in (("layers", layers), ("inputs", inputs), ("named", named)):
        scope.bind(name, f"[{', '.join(texts)}]")
    scope.bind("wanted", f"[{', '.join(wanted)}]" if known else "None")
    return scope.recipe()


@st.composite
def layer_dtypes(draw: st.DrawFn) -> Recipe:
    """Bind `make`, which makes a layer, `dtype`, that of its arrays, and `wide`: 64-bit types.

    Feature `dtype:other`: the dtype is given and is not the one of a layer without it.
    """
    scope = Scope()
    layer = _noted(draw, scope, tuple(one for one in ANY if one not in _OF_NO_DTYPE))
    wide, dtype = _flag(draw), pick(draw, "", *_DTYPES) if "{dtype}" in layer.text else ""
    default = "float64" if wide else "float32"
    scope.note(*(["dtype:other"] if dtype not in ("", default) else []))
    # An activation has weights of its own.
    text = layer.text.replace("eqx.nn.PReLU()", "jnp.tanh")
    text = text.replace("{dtype}", dtype and f", dtype=jnp.{dtype}")
    scope.bind("make", f"lambda: {text}")
    scope.bind("dtype", repr(dtype or default))
    scope.bind("wide", repr(wide))
    return scope.recipe()


_OF_NO_DTYPE = (_prelu, _dropout, _identity, _weight_norm, _rotary, pooling, adaptive_pooling)


@st.composite
def layer_results_of_dtypes(draw: st.DrawFn) -> Recipe:
    """Bind `make`, which makes a layer, `inputs` of a `dtype`, and `named` arguments.

    The weights are of that dtype, or of float32 for layers that compute in the wider one and cast.
    Feature `dtype:other`: the layer is given another dtype than float32.
    """
    scope = Scope()
    layer = _noted(draw, scope, tuple(one for one in ANY if one not in _OF_OWN_DTYPE))
    dtype = pick(draw, "bfloat16", "float16", "float32")
    casts = "layer:norm" in layer.features and _flag(draw)
    own = "" if casts else f", dtype=jnp.{dtype}"
    scope.note(*(["dtype:other"] if own and dtype != "float32" else []))
    # Weights that an option of a layer makes have the default dtype.
    text = layer.text.replace("eqx.nn.PReLU()", "jnp.tanh").replace("{dtype}", own)
    inputs = [
        re.sub(r"astype\(np\.(float32|int32)\)", f"astype(jnp.{dtype})", one)
        for one in layer.inputs
    ]
    scope.bind("make", f"lambda: {text}")
    scope.bind("inputs", f"({', '.join(inputs)},)")
    scope.bind("named", _named(layer))
    scope.bind("dtype", repr(dtype))
    return scope.recipe()


# Their weights are given, or of a layer inside, or their start has a type of its own.
_OF_OWN_DTYPE = (_prelu, _weight_norm, _embedding, pooling)


@st.composite
def transposed_pairs(draw: st.DrawFn) -> Recipe:
    """Bind `forward`, a convolution, `layer`, a transposed one, `inputs` of it and `shape`."""
    scope = Scope()
    layer = transposed_convolution(draw, 2, plain=True)
    scope.define(_FILLED)
    scope.bind("forward", f"filled_layer(lambda: {layer.wanted})")
    scope.bind("layer", _filled(scope, layer))
    scope.bind("inputs", f"({', '.join(layer.inputs)},)")
    scope.bind("shape", repr(layer.shape))
    return scope.recipe()


def _filled(scope: Scope, layer: Layer) -> str:
    text = layer.text.replace("{dtype}", "")
    if _KEY not in text and "layer:norm" not in layer.features:
        return text
    scope.define(_FILLED)
    return f"filled_layer(lambda: {text})"


def _named(layer: Layer) -> str:
    return "dict(key=jax.random.key(1))" if "layer:dropout" in layer.features else "{}"


def _noted(draw: st.DrawFn, scope: Scope, table: Sequence[_DrawLayer]) -> Layer:
    layer = draw(st.sampled_from(tuple(table)))(draw)
    scope.define(*layer.definitions)
    scope.note(*layer.features)
    return layer
