"""Batches of every dtype for metrics of Flax NNX, and what NumPy computes of them in float64."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.releases import ACCURACY_THRESHOLD

_FLOATS = (0.0, 1.0, -2.0, 0.5, 100.0, 256.0)
# By dtype: the numbers of a batch. Half of them are large, but each fits.
_NUMBERS = {
    "float32": _FLOATS,
    "float16": _FLOATS,
    "bfloat16": _FLOATS,
    "int8": (0, 1, -2, 100, -128),
    "uint8": (0, 1, 5, 255),
    "int16": (0, -3, 30000),
    "int32": (0, 1, -2, 2**30),
    "uint32": (0, 7, 2**31),
    "bool": (False, True),
}
_MASKS = ("bool", "int32", "uint8", "float32", "float16", "bfloat16")
_LABELS = ("int32", "int8", "uint8", "int16", "uint16", "uint32")
# A batch repeats its numbers: a sum of a thousand is beyond what a narrow dtype holds.
_REPEATS = (1, 2, 701)


@st.composite
def typed_batches(draw: st.DrawFn, *, metrics: tuple[str, ...], masks: bool = False) -> Recipe:
    """Draw a `metric` and `batches` of values of any dtype, alike in dtype.

    Args:
        metrics: names of classes in `nnx.metrics`.
        masks: give each batch a mask of any dtype; default `False`.
    """
    scope = Scope()
    metric = draw(st.sampled_from(metrics))
    dtype = draw(st.sampled_from(tuple(_NUMBERS)))
    masked_by = draw(st.sampled_from(_MASKS)) if masks else ""
    scope.note(f"metric:{metric.lower()}", f"values:{dtype}")
    argument = draw(st.sampled_from(("values", "loss")))
    scope.bind("argument", repr(argument))
    scope.bind("metric", f"nnx.metrics.{metric}({argument!r})")
    texts = []
    for _ in range(draw(st.integers(1, 3))):
        numbers = draw(st.lists(st.sampled_from(_NUMBERS[dtype]), min_size=1, max_size=4))
        repeat = draw(st.sampled_from(_REPEATS))
        parts = {argument: _tiled(numbers, dtype, repeat)}
        size = len(numbers)
        flags = draw(st.lists(st.booleans(), min_size=size, max_size=size)) if masks else []
        # A batch without any value has no average.
        flags = [True, *flags[1:]] if masks else [True] * size
        if masks:
            parts["mask"] = _tiled([int(flag) for flag in flags], masked_by, repeat)
        kept = [one for one, flag in zip(numbers, flags, strict=True) if flag]
        _note_sizes(scope, np.asarray(kept, np.float64), dtype, masked_by, repeat)
        texts.append("{" + ", ".join(f"{name!r}: {text}" for name, text in parts.items()) + "}")
    scope.bind("batches", f"[{', '.join(texts)}]")
    return scope.recipe()


def _note_sizes(scope: Scope, kept: np.ndarray, dtype: str, masked_by: str, repeat: int) -> None:
    """Note what of a batch its dtype does not hold: the sum, squares, or the number of values."""
    most = 1 if dtype == "bool" else _most(dtype)
    if dtype in ("float16", "int32", "uint32") and abs(kept.sum() * repeat) > most:
        scope.note("sum:beyond")
    if dtype == "float16" and kept.var() * kept.size * repeat > most:
        scope.note("squares:beyond")
    count = kept.size * repeat
    if "float" in masked_by and float(jnp.asarray(count, masked_by)) != count:
        scope.note("count:rounded")


def _most(dtype: str) -> float:
    info = jnp.finfo if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo
    return float(info(dtype).max)


def _tiled(numbers: list, dtype: str, repeat: int) -> str:
    text = f"jnp.array({numbers!r}, dtype='{dtype}')"
    return text if repeat == 1 else f"jnp.tile({text}, {repeat})"


@st.composite
def typed_labels(draw: st.DrawFn) -> Recipe:
    """Draw an Accuracy `metric`, a `batch` with labels of any dtype, and the `part` of hits."""
    scope = Scope()
    dtype = draw(st.sampled_from(_LABELS))
    binary = not ACCURACY_THRESHOLD.lacking() and draw(st.booleans())
    scope.note(f"labels:{dtype}", "metric:binary" if binary else "metric:classes")
    scope.bind("metric", f"nnx.metrics.Accuracy({'threshold=0.5' if binary else ''})")
    pairs = draw(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4))
    labels = [int(label) for label, _ in pairs]
    rows = [float(guess) if binary else [0.0, 1.0][:: 1 if guess else -1] for _, guess in pairs]
    logits = draw(st.sampled_from(("float32", "bfloat16")))
    scope.bind(
        "batch",
        f"{{'logits': jnp.array({rows!r}, dtype='{logits}'), "
        f"'labels': jnp.array({labels!r}, dtype='{dtype}')}}",
    )
    scope.bind("part", repr(sum(label == guess for label, guess in pairs) / len(pairs)))
    return scope.recipe()


@st.composite
def masked_metrics(draw: st.DrawFn) -> Recipe:
    """Draw `metrics` by name, a `batch` with a mask, and `kept`: by name, the numbers that count.

    The mask is one array for all metrics, or a dict of arrays for some of them.
    """
    scope = Scope()
    names: list[str] = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True))
    numbers = draw(st.lists(st.sampled_from(_FLOATS[:4]), min_size=1, max_size=4))
    hits = draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))
    classes = {name: draw(st.sampled_from(("Average", "Accuracy", "Welford"))) for name in names}
    scope.bind(
        "metrics", f"{{{', '.join(f'{n!r}: nnx.metrics.{c}()' for n, c in classes.items())}}}"
    )
    masks = {name: draw(_mask(len(numbers))) for name in names}
    if draw(st.booleans()):
        scope.note("mask:one")
        masks = dict.fromkeys(names, masks[names[0]])
        mask = _flags(masks[names[0]])
    else:
        scope.note("mask:dict")
        given_to = draw(st.lists(st.sampled_from(names), unique=True))
        mask = f"{{{', '.join(f'{name!r}: {_flags(masks[name])}' for name in given_to)}}}"
        masks |= dict.fromkeys({*names} - {*given_to}, [True] * len(numbers))
    for name, kind in classes.items():
        if kind == "Welford" and not all(masks[name]):
            scope.note("mask:welford")
    logits = [[0.0, 1.0] if hit else [1.0, 0.0] for hit in hits]
    scope.bind(
        "batch",
        f"{{'values': jnp.array({numbers!r}), 'logits': jnp.array({logits!r}), "
        f"'labels': jnp.ones({len(hits)}, 'int32'), 'mask': {mask}}}",
    )
    of = lambda name: [float(hit) for hit in hits] if classes[name] == "Accuracy" else numbers
    kept = {
        name: [one for one, flag in zip(of(name), masks[name], strict=True) if flag]
        for name in names
    }
    scope.bind("kept", repr(kept))
    return scope.recipe()


def _mask(size: int) -> st.SearchStrategy[list[bool]]:
    return st.lists(st.booleans(), min_size=size, max_size=size).map(lambda m: [True, *m[1:]])


def _flags(mask: list[bool]) -> str:
    return f"jnp.array({mask!r})"


def near(found: Any, numbers: np.ndarray, eps: float) -> bool:
    """Tell whether the result of an Average or a Welford is that of the numbers.

    Args:
        found: what `compute` gives.
        numbers: all values that count, as float64.
        eps: the distance of one from the next number of the dtype of the values.
    """
    alone = hasattr(found, "shape")
    mean, size = float(found if alone else found.mean), np.abs(numbers).max()
    close = bool(abs(mean - numbers.mean()) <= 4 * eps * size)
    if alone:
        return close
    deviation = float(found.standard_deviation)
    spread = abs(deviation**2 - numbers.var()) <= 16 * eps * size**2
    error = float(found.standard_error_of_mean)
    exact = abs(error - deviation / numbers.size**0.5) <= 1e-5 * size
    return bool(close and spread and exact)


def precision(values: Any) -> float:
    """Return the distance of one from the next number of the dtype, but at least of float32."""
    dtype = values.dtype
    narrow = jnp.issubdtype(dtype, jnp.floating)
    return float(jnp.finfo(dtype if narrow else "float32").eps)
