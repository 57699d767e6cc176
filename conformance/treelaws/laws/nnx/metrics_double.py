"""Flax NNX: metrics when JAX has 64-bit types."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.nnx.metrics import metric_batches, welford_batches
from treelaws.compat.jax import double_precision
from treelaws.equality import true

from ._steps import same_types
from .metrics import an_average_is_that_of_all_batches, law
from .metrics_steps import compiled_steps_keep_the_types

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html#graph-updates-propagation"
_AVERAGE = (
    "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/metrics.html"
    "#flax.nnx.metrics.Average"
)


@law(
    "with 64-bit types on, a compiled step keeps dtypes and weak types of a metric too, also for "
    "float64 values",
    source=_GUIDE,
    level="should",
    needs={"metrics.Average", "jit"},
    case=metric_batches() | welford_batches(),
    parents=[compiled_steps_keep_the_types],
)
def compiled_steps_keep_the_types_in_double_precision(lib, case):
    with double_precision():
        case = case.rebuild()
        for batch in case.batches:
            for given in (batch, _doubled(batch)):
                same_types(lib, lambda metric, given=given: metric.update(**given), case.metric)


@law(
    "with 64-bit types on, the average of float64 values is rounded as a float64 is",
    source=_AVERAGE,
    level="observed",
    needs={"metrics.Average"},
    case=metric_batches(),
    parents=[an_average_is_that_of_all_batches],
)
def averages_are_double(lib, case):
    """Metrics hold float32, and JAX warns that it will refuse to set one to a float64."""
    with double_precision():
        case = case.rebuild()
        batches = [_doubled(batch) for batch in case.batches]
        for batch in batches:
            case.metric.update(**batch)
        wanted = np.concatenate([np.ravel(case.measured(**batch)) for batch in batches]).mean()
        got = case.metric.compute()
        true(bool(np.allclose(got, wanted, rtol=1e-12, atol=0)), got, f"about {wanted}")


def _doubled(batch):
    """Return a batch with thirds of the floats as float64; numbers and labels stay."""
    change = lambda leaf: (
        leaf.astype("float64") / 3 if str(getattr(leaf, "dtype", "")) == "float32" else leaf
    )
    return jtu.tree_map(change, batch)
