"""Flax NNX: compiled steps keep the types of metrics."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.nnx.metrics import metric_batches, several_metrics, welford_batches

from ._steps import same_types
from .metrics import a_metric_travels, law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html#graph-updates-propagation"


@law(
    "a compiled step keeps dtypes and weak types of a metric, so it is compiled once for each "
    "shape of a batch",
    source=_GUIDE,
    level="observed",
    needs={"metrics.Average", "jit"},
    case=metric_batches() | welford_batches(),
    parents=[a_metric_travels],
)
def compiled_steps_keep_the_types(lib, case):
    for batch in case.batches:
        for dtype in ("float32", "bfloat16"):
            given = _in_dtype(batch, dtype)
            same_types(lib, lambda metric, given=given: metric.update(**given), case.metric)


@law(
    "a compiled step keeps dtypes and weak types of a MultiMetric",
    source=_GUIDE,
    level="observed",
    needs={"MultiMetric", "jit"},
    case=several_metrics(),
    parents=[compiled_steps_keep_the_types],
)
def compiled_steps_keep_the_types_of_several(lib, case):
    together = lib.MultiMetric(**case.metrics)
    for batch in case.batches:
        same_types(lib, lambda metric, batch=batch: metric.update(**batch), together)


def _in_dtype(batch, dtype):
    """Return a batch with arrays of floats in another dtype; numbers and labels stay."""
    change = lambda leaf: (
        leaf.astype(dtype) if str(getattr(leaf, "dtype", "")) == "float32" else leaf
    )
    return jtu.tree_map(change, batch)
