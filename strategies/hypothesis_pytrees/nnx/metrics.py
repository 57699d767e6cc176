"""Metrics of Flax NNX with batches, and exponential moving averages of modules, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import ACCURACY_THRESHOLD
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool

from .modules import NNX_CONTAINERS, NNX_MODULES, nnx_modules
from .variables import variables

_CORRECT = """\
def nnx_correct(logits, labels, **_):
    return np.argmax(np.asarray(logits), -1) == np.asarray(labels)
"""
_DETECTED = """\
def nnx_detected(logits, labels, **_):
    return (np.asarray(logits) >= 0.5) == (np.asarray(labels) > 0)
"""
# Each a metric and the function that gives the numbers of a batch whose average it is.
AVERAGES: Sequence[Kind] = (
    Kind("metric", "(nnx.metrics.Average(), lambda values, **_: values)", (), ("metric:average",)),
    Kind(
        "metric",
        "(nnx.metrics.Average('loss'), lambda loss, **_: loss)",
        (),
        ("metric:average", "metric:named"),
    ),
    Kind("metric", "(nnx.metrics.Accuracy(), nnx_correct)", (_CORRECT,), ("metric:accuracy",)),
)
BINARY = Kind(
    "metric",
    "(nnx.metrics.Accuracy(threshold=0.5), nnx_detected)",
    (_DETECTED,),
    ("metric:accuracy", "metric:binary"),
    needs=(ACCURACY_THRESHOLD,),
)
_WELFORDS: Sequence[Kind] = (
    Kind("metric", "(nnx.metrics.Welford(), lambda values, **_: values)", (), ("metric:welford",)),
    Kind(
        "metric",
        "(nnx.metrics.Welford('loss'), lambda loss, **_: loss)",
        (),
        ("metric:welford", "metric:named"),
    ),
)
_NUMBERS = st.sampled_from((0.0, 1.0, -2.0, 0.5, 3.25, 8.0))
_SIZES = ((1,), (3,), (2, 2), ())


@st.composite
def metric_batches(
    draw: st.DrawFn, *, metrics: Sequence[Kind] = (*AVERAGES, BINARY), masks: bool = False
) -> Recipe:
    """Draw a `metric`, `measured`, the numbers of a batch that it averages, and some `batches`.

    A batch is a dict of the arguments of `update`.

    Args:
        metrics: what the metric is drawn from; default all averages.
        masks: give each batch a mask; default `False`.
    """
    scope = Scope()
    kind = draw(st.sampled_from(available(metrics)))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    scope.bind("metric", f"{kind.template}[0]")
    scope.bind("measured", f"{kind.template}[1]")
    classes = "metric:binary" not in kind.features
    count = draw(st.integers(1, 4))
    texts = [draw(_batches(scope, classes=classes, masks=masks)) for _ in range(count)]
    scope.bind("batches", f"[{', '.join(texts)}]")
    return scope.recipe()


def welford_batches() -> st.SearchStrategy[Recipe]:
    """Draw a `metric` that gives mean and deviation, otherwise as `metric_batches`."""
    return metric_batches(metrics=_WELFORDS)


@st.composite
def several_metrics(draw: st.DrawFn) -> Recipe:
    """Draw `metrics`, a dict of metrics by name, `measured`, and `batches` as `metric_batches`."""
    scope = Scope()
    names = draw(st.lists(st.sampled_from(("b", "a", "loss")), min_size=1, unique=True))
    kinds = [draw(st.sampled_from(tuple(AVERAGES))) for _ in names]
    for kind in kinds:
        scope.define(*kind.definitions)
        scope.note(*kind.features)
    for index, bound in enumerate(("metrics", "measured")):
        held = (
            f"{name!r}: {kind.template}[{index}]" for name, kind in zip(names, kinds, strict=True)
        )
        scope.bind(bound, f"{{{', '.join(held)}}}")
    count = draw(st.integers(0, 3))
    texts = [draw(_batches(scope, classes=True, masks=False)) for _ in range(count)]
    scope.bind("batches", f"[{', '.join(texts)}]")
    return scope.recipe()


@st.composite
def _batches(draw: st.DrawFn, scope: Scope, *, classes: bool, masks: bool) -> str:
    """Draw the text of a batch: labels for two classes, or for one that a threshold detects."""
    size = draw(st.sampled_from(_SIZES[:3] if masks else _SIZES))
    parts = {name: _array(draw, "float32", size) for name in ("values", "loss")}
    if not size and draw(st.booleans()):
        scope.note("batch:number")
        parts |= {name: repr(draw(st.sampled_from((1, 2.5, -3)))) for name in parts}
    parts["logits"] = _array(draw, "float32", (*size, 2) if classes else size)
    parts["labels"] = _array(draw, "int32", size, st.integers(0, 1))
    if masks:
        shape = draw(st.sampled_from((size, (*size[:-1], 1))))
        scope.note("mask:broadcast" if shape != size else "mask:full")
        parts["mask"] = f"{_array(draw, 'bool_', shape, st.booleans())}.at[0].set(True)"
    return f"{{{', '.join(f'{name!r}: {text}' for name, text in parts.items())}}}"


def _array(
    draw: st.DrawFn, dtype: str, shape: tuple[int, ...], numbers: st.SearchStrategy = _NUMBERS
) -> str:
    if not shape:
        return f"jax.device_put(np.{dtype}({draw(numbers)!r}))"
    size = 1
    for length in shape:
        size *= length
    drawn = draw(st.lists(numbers, min_size=size, max_size=size))
    reshaped = f".reshape({shape!r})" if len(shape) > 1 else ""
    return f"jax.device_put(np.array({drawn!r}, dtype='{dtype.rstrip('_')}'){reshaped})"


_ODD = {"nnx:number", "nnx:plain-list", "nnx:plain-dict", "nnx:rngs", "nnx:data", "nnx:object"}
# Modules that share a Variable cannot be taken as trees.
_TIED = {"nnx:tied"}
# An average by halves or quarters of binary fractions is not rounded.
_DECAYS = ("0.5", "0.25", "0.75", "0.0", "1.0")
_PLAIN = tuple(kind for kind in REAL_ARRAYS if "leaf:weak" not in kind.features)


@st.composite
def moving_averages(draw: st.DrawFn) -> Recipe:
    """Draw a `model` of real arrays, a `decay`, the filter `only`, `options`, and `factors`.

    The options say to take the model as a graph or a tree. Over time, the values of the model are
    multiplied by each of the factors.
    """
    as_graph = draw(st.booleans())
    left_out = _ODD if as_graph else _ODD | _TIED
    roots, inner = (
        tuple(kind for kind in table if not left_out & {*kind.features})
        for table in (NNX_MODULES, (*NNX_MODULES, *NNX_CONTAINERS))
    )
    scope = Scope()
    leaves = variables(pool(_PLAIN))
    modules = nnx_modules(
        leaves, roots=roots, kinds=inner, layers=False, alias=as_graph, max_leaves=4
    )
    scope.bind("model", draw(modules))
    scope.note("average:graph" if as_graph else "average:tree")
    scope.bind("options", "{}" if as_graph else "{'graph': False}")
    scope.bind("decay", draw(st.sampled_from(_DECAYS)))
    only = draw(st.sampled_from(("...", "nnx.Param", "nnx.Not(nnx.Param)")))
    scope.note(f"only:{only}")
    scope.bind("only", only)
    factors = draw(st.lists(st.sampled_from((2.0, -1.0, 0.5, 0.0)), max_size=3))
    scope.bind("factors", repr(factors))
    return scope.recipe()
