"""Poolings and convolutions of `eqx.nn` with any documented options, as text.

Each comes with the shape of its result, as documented, and a way to compute the result by NumPy.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

_WINDOWS = """\
def plain_windows(x, kernel, stride, pads, start, reduce):
    x = np.pad(np.asarray(x), [(0, 0), *pads], constant_values=start)
    sizes = [(n - k) // s + 1 for n, k, s in zip(x.shape[1:], kernel, stride)]
    out = np.zeros((len(x), *sizes), x.dtype)
    for place in np.ndindex(*out.shape):
        window = [slice(i * s, i * s + k) for i, k, s in zip(place[1:], kernel, stride)]
        out[place] = reduce(x[(place[0], *window)].ravel(), initial=start)
    return out
"""
_ADAPTIVE = """\
def plain_adaptive(x, target, reduce):
    for axis, count in enumerate(target, 1):
        parts = np.array_split(np.asarray(x), count, axis)
        x = np.stack([np.apply_along_axis(reduce, axis, part) for part in parts], axis)
    return x
"""
_CONVOLUTION = """\
def plain_convolution(layer, x, pads, mode):
    x, weight = np.pad(np.asarray(x), [(0, 0), *pads], mode), np.asarray(layer.weight)
    steps, gaps = layer.stride, layer.dilation
    spans = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], gaps)]
    sizes = [(n - span) // s + 1 for n, span, s in zip(x.shape[1:], spans, steps)]
    out, width = np.zeros((len(weight), *sizes), x.dtype), weight.shape[1]
    for channel, *place in np.ndindex(*out.shape):
        first = channel // (len(weight) // layer.groups) * width
        window = [slice(i * s, i * s + r, d) for i, s, r, d in zip(place, steps, spans, gaps)]
        part = x[(slice(first, first + width), *window)]
        out[(channel, *place)] = np.sum(part * weight[channel])
    return out if layer.bias is None else out + np.asarray(layer.bias)
"""
_KEY = "key=jax.random.key(0)"


@dataclasses.dataclass(frozen=True)
class Layer:
    """A layer, as text.

    Args:
        features: what it is and which options it has.
        text: the expression of the layer; `{dtype}` stands for a further argument.
        inputs: the shape of each input, or its text.
        shape: the shape of the result, or of each result.
        wanted: text of the result by NumPy, of `layer` and `inputs`; default unknown.
        definitions: what that text needs.
    """

    features: tuple[str, ...]
    text: str
    inputs: Sequence[Any]
    shape: Any
    wanted: str = ""
    definitions: tuple[str, ...] = ()


def pick(draw: st.DrawFn, *values: Any) -> Any:
    """Draw one of the values."""
    return draw(st.sampled_from(values))


def _each(draw: st.DrawFn, dims: int, *values: int) -> tuple[tuple[int, ...], str]:
    """Draw a number for each dimension: the numbers, and an int, a tuple or a list as text."""
    numbers = tuple(pick(draw, *values) for _ in range(dims))
    return numbers, pick(draw, *_written(numbers))


def _written(numbers: tuple[Any, ...]) -> list[str]:
    texts = [repr(numbers), repr(list(numbers))]
    return [*([repr(numbers[0])] if len(set(numbers)) == 1 else []), *texts]


def _pads(draw: st.DrawFn, most: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], str]:
    """Draw a padding of each side of each dimension, at most so large, and its text."""
    if draw(st.booleans()):
        numbers = tuple(draw(st.integers(0, limit)) for limit in most)
        return tuple((number, number) for number in numbers), pick(draw, *_written(numbers))
    pads = tuple((draw(st.integers(0, limit)), draw(st.integers(0, limit))) for limit in most)
    return pads, pick(draw, repr(pads), repr(list(pads)))


# An operation, the same by NumPy, and its initial value, which changes no number.
_OPERATIONS = (
    ("lambda one, other: one * other", "np.multiply", "1"),
    ("jax.lax.add", "np.add", "0"),
    ("jnp.maximum", "np.maximum", "-99"),
)
# By the type of the input: initial values of that type, and those of another.
_STARTS = {"float32": ("{}.0", "jnp.float32({})"), "int32": ("{}", "jnp.int32({})")}


def pooling(draw: st.DrawFn, most: int = 3) -> Layer:
    """Draw a pooling over windows of a kernel, over at most so many dimensions.

    Feature `pool:ceil-beyond-kernel`: `use_ceil` adds more padding than the kernel is wide.
    """
    dims = draw(st.integers(1, most))
    kernel, kernel_text = _each(draw, dims, 2, 3, 1)
    stride, stride_text = _each(draw, dims, 1, 2, 3)
    # Quote of the code: "Paddings should be less than the size of the kernel."
    pads, pads_text = _pads(draw, [k - 1 for k in kernel])
    sizes = tuple(k + draw(st.integers(0, 3)) for k in kernel)
    ceil = draw(st.booleans())
    features, extended, counts = set(), [], []
    for n, k, s, (low, high) in zip(sizes, kernel, stride, pads, strict=True):
        rest = n + low + high - k
        steps = math.ceil(rest / s) if ceil else rest // s
        counts.append(steps + 1)
        extended.append((low, max(high, high + steps * s - rest)))
        if ceil and rest % s and high + s > k:
            features.add("pool:ceil-beyond-kernel")
    options = f"{kernel_text}, {stride_text}, {pads_text}, {ceil}"
    dtype = pick(draw, "float32", "float32", "int32")
    kind = pick(draw, "Avg", "Max", "general")
    start, reduce, scale = "0", "np.add", f" / {math.prod(kernel)}"
    if kind != "Avg":
        least = "-np.inf" if dtype == "float32" else "np.iinfo(np.int32).min"
        start, reduce, scale = least, "np.maximum", ""
    text = f"eqx.nn.{kind}Pool{dims}d({options})"
    if kind == "general":
        operation, reduce, start = pick(draw, *_OPERATIONS)
        given = pick(draw, *_STARTS[dtype])
        if dtype == "float32" and draw(st.integers(0, 3)) == 0:
            given = "{}"
            features.add("init:int")
        if given.startswith("jnp") and operation == "jax.lax.add":
            features.add("init:array-of-sum")
        text = f"eqx.nn.Pool({given.format(start)}, {operation}, {dims}, {options})"
    options = f"{kernel}, {stride}, {tuple(extended)}, {start}, {reduce}.reduce"
    wanted = f"plain_windows(inputs[0], {options}){scale}"
    inputs, shape = [numbered((2, *sizes), dtype)], (2, *counts)
    return Layer(("layer:pool", *sorted(features)), text, inputs, shape, wanted, (_WINDOWS,))


def numbered(shape: tuple[int, ...], dtype: str = "float32") -> str:
    """Return the text of an array with an increasing and a decreasing half, of small numbers."""
    count = math.prod(shape)
    return f"jax.device_put((np.arange({count}) * 5 % 7 - 2).reshape({shape}).astype(np.{dtype}))"


_REDUCTIONS = ("mean", "max", "min", "sum")
# These need the whole window: their results for parts of it cannot be combined.
_WHOLE = ("var", "median", "ptp")


def adaptive_pooling(draw: st.DrawFn, most: int = 3) -> Layer:
    """Draw a pooling to a target shape of at most so many dimensions.

    Feature `pool:divides`: one axis is cut into equal windows of a reduction that changes a number.
    """
    dims = draw(st.integers(1, most))
    target, text = _each(draw, dims, 1, 2, 3)
    sizes = tuple(count + draw(st.integers(0, 4)) for count in target)
    kind = pick(draw, "Avg", "Max", "general")
    reduce = {"Avg": "mean", "Max": "max"}.get(kind) or pick(
        draw, *_REDUCTIONS, *(_WHOLE if dims == 1 else ())
    )
    layer = f"eqx.nn.Adaptive{kind}Pool{dims}d({text})"
    if kind == "general":
        layer = f"eqx.nn.AdaptivePool({text}, {dims}, jnp.{reduce})"
    divides = any(n % count == 0 for n, count in zip(sizes, target, strict=True))
    features = ("pool:divides",) if divides and reduce in ("var", "ptp") else ()
    wanted = f"plain_adaptive(inputs[0], {target}, np.{reduce})"
    inputs, shape = [numbered((2, *sizes))], (2, *target)
    return Layer(("layer:adaptive-pool", *features), layer, inputs, shape, wanted, (_ADAPTIVE,))


def _same_pads(n: int, span: int, stride: int, lower: bool) -> tuple[int, int]:
    total = max((math.ceil(n / stride) - 1) * stride + span - n, 0)
    low = (total + lower) // 2
    return low, total - low


_MODES = {"ZEROS": "constant", "REFLECT": "reflect", "REPLICATE": "edge", "CIRCULAR": "wrap"}


def convolution(draw: st.DrawFn, most: int = 3) -> Layer:
    """Draw a convolution over at most so many dimensions."""
    dims = draw(st.integers(1, most))
    kernel, kernel_text = _each(draw, dims, 2, 3, 1)
    stride, stride_text = _each(draw, dims, 1, 2)
    gaps, gaps_text = _each(draw, dims, 1, 2)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, gaps, strict=True)]
    sizes = tuple(max(span, 4) + draw(st.integers(0, 1)) for span in spans)
    groups, inner, outer = pick(draw, (1, 2, 3), (2, 4, 2), (1, 1, 1))
    name = pick(draw, "numbers", "SAME", "same_lower", "VALID")
    if name == "numbers":
        pads, text = _pads(draw, [2] * dims)
    else:
        text = repr(name)
        pads = tuple(
            (0, 0) if name == "VALID" else _same_pads(n, span, s, name != "SAME")
            for n, span, s in zip(sizes, spans, stride, strict=True)
        )
    mode = pick(draw, *_MODES)
    options = (
        f"{inner}, {outer}, {kernel_text}, {stride_text}, {text}, {gaps_text}, {groups}, "
        f"use_bias={draw(st.booleans())}, padding_mode={mode!r}{{dtype}}, {_KEY}"
    )
    layer = pick(draw, f"eqx.nn.Conv({dims}, {options})", f"eqx.nn.Conv{dims}d({options})")
    shape = (
        (n + sum(pad) - span) // s + 1
        for n, pad, span, s in zip(sizes, pads, spans, stride, strict=True)
    )
    wanted = f"plain_convolution(layer, inputs[0], {pads}, {_MODES[mode]!r})"
    inputs = [numbered((inner, *sizes))]
    return Layer(("layer:conv",), layer, inputs, (outer, *shape), wanted, (_CONVOLUTION,))


def transposed_convolution(draw: st.DrawFn, most: int = 3, *, plain: bool = False) -> Layer:
    """Draw a transposed convolution; what is wanted is the text of the convolution it transposes.

    Args:
        draw: as Hypothesis gives it.
        most: at most so many dimensions.
        plain: without a bias and groups; default `False`.
    """
    dims = draw(st.integers(1, most))
    kernel, kernel_text = _each(draw, dims, 2, 3, 1)
    stride, stride_text = _each(draw, dims, 1, 2)
    gaps, gaps_text = _each(draw, dims, 1, 2)
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, gaps, strict=True)]
    name = pick(draw, "numbers", "SAME", "same_lower", "VALID")
    circular = name in ("SAME", "same_lower") and draw(st.booleans())
    extra = tuple(0 if circular else draw(st.integers(0, s - 1)) for s in stride)
    sizes = tuple(3 + draw(st.integers(0, 1)) for _ in range(dims))
    pads, text = (tuple((0, 0) for _ in kernel), repr(name))
    if name == "numbers":
        pads, text = _pads(draw, [min(span - 1, 2) for span in spans])
    if name in ("numbers", "VALID"):
        shape = tuple(
            (n - 1) * s - sum(pad) + span + more
            for n, s, pad, span, more in zip(sizes, stride, pads, spans, extra, strict=True)
        )
    else:
        shape = tuple(n * s - more for n, s, more in zip(sizes, stride, extra, strict=True))
    groups, inner, outer = pick(draw, (1, 2, 3), (1, 1, 2), *([] if plain else [(2, 4, 2)]))
    bias = not plain and draw(st.booleans())
    mode = "CIRCULAR" if circular else "ZEROS"
    shared = f"dilation={gaps_text}, groups={groups}, padding={text}, padding_mode={mode!r}"
    layer = (
        f"eqx.nn.ConvTranspose({dims}, {inner}, {outer}, {kernel_text}, {stride_text}, {shared}, "
        f"output_padding={pick(draw, *_written(extra))}, use_bias={bias}{{dtype}}, {_KEY})"
    )
    features = ["layer:conv-transpose"]
    if draw(st.booleans()):
        layer = layer.replace(f"ConvTranspose({dims}, ", f"ConvTranspose{dims}d(")
        features.append(f"layer:conv-transpose-{dims}d")
    forward = (
        f"eqx.nn.Conv({dims}, {outer}, {inner}, {kernel_text}, {stride_text}, {shared}, "
        f"use_bias=False, {_KEY})"
    )
    inputs = [numbered((inner, *sizes))]
    return Layer(tuple(features), layer, inputs, (outer, *shape), forward)
