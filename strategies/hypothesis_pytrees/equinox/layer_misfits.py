"""Layers of `eqx.nn` with an option that does not fit in one of several dimensions, as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_KEY = "key=jax.random.key(0)"


def _pick(draw: st.DrawFn, *values: Any) -> Any:
    return draw(st.sampled_from(values))


def _written(draw: st.DrawFn, numbers: Sequence[int]) -> str:
    return _pick(draw, repr(tuple(numbers)), repr(list(numbers)))


def _length(draw: st.DrawFn, dims: int) -> int:
    return _pick(draw, *(n for n in (dims + 1, dims - 1) if n))


def _convolution(draw: st.DrawFn, dims: int) -> str:
    """Draw a convolution with an option for another number of dimensions."""
    transposed = draw(st.booleans())
    option = _pick(draw, "kernel_size", "stride", "dilation", "padding")
    many = _written(draw, [1] * _length(draw, dims))
    given = {"kernel_size": "1", option: many}
    if transposed and draw(st.booleans()):
        given = {"kernel_size": "1", "stride": "2", "output_padding": many}
    name = f"Conv{'Transpose' if transposed else ''}"
    options = ", ".join(f"{key}={text}" for key, text in given.items())
    start = _pick(draw, f"{name}({dims}, ", f"{name}{dims}d(")
    return f"eqx.nn.{start}1, 1, {options}, {_KEY})"


def _output_padding(draw: st.DrawFn, dims: int) -> str:
    """Draw a transposed convolution with as much output padding as stride in one dimension."""
    strides = [_pick(draw, 1, 2, 3) for _ in range(dims)]
    extra = [draw(st.integers(0, stride - 1)) for stride in strides]
    place = draw(st.integers(0, dims - 1))
    extra[place] = strides[place] + draw(st.integers(0, 2))
    options = f"stride={_written(draw, strides)}, output_padding={_written(draw, extra)}"
    start = _pick(draw, f"({dims}, ", f"{dims}d(")
    return f"eqx.nn.ConvTranspose{start}1, 1, 3, {options}, {_KEY})"


def _target(draw: st.DrawFn, dims: int) -> str:
    """Draw an adaptive pooling to another number of dimensions."""
    target = _written(draw, [1] * _length(draw, dims))
    return f"eqx.nn.AdaptivePool({target}, {dims}, jnp.mean)"


def _padding(draw: st.DrawFn, dims: int) -> str:
    """Draw a pooling with a padding for another number of dimensions."""
    padding = _written(draw, [1] * _length(draw, dims))
    return f"eqx.nn.{_pick(draw, 'Avg', 'Max')}Pool{dims}d(2, padding={padding})"


# By name: the feature is `misfit:<name>`.
_MISFITS: dict[str, Callable[[st.DrawFn, int], str]] = {
    "length-of-convolution": _convolution,
    "output-padding": _output_padding,
    "length-of-target": _target,
    "length-of-padding": _padding,
}


@st.composite
def layer_misfits(draw: st.DrawFn) -> Recipe:
    """Bind `make`, which makes a layer whose option does not fit in one dimension."""
    scope = Scope()
    name = draw(st.sampled_from(tuple(_MISFITS)))
    dims = draw(st.integers(1, 3))
    scope.note(f"misfit:{name}", *(["dims:several"] if dims > 1 else []))
    scope.bind("make", f"lambda: {_MISFITS[name](draw, dims)}")
    return scope.recipe()
