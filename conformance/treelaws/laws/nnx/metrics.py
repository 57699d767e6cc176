"""Flax NNX: metrics, whose value is that of all data, however they are batched."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.nnx.metrics import metric_batches, several_metrics, welford_batches
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._model import same_graph

law = Topic("nnx.metrics", "Flax NNX: metrics", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/metrics.html"
_AVERAGE = f"{_API}#flax.nnx.metrics.Average"
_METRIC = f"{_API}#flax.nnx.metrics.Metric"
_MULTI = f"{_API}#flax.nnx.metrics.MultiMetric"
_CASES = metric_batches()
_METRICS = {"metrics.Average"}


@law(
    "`compute` of an Average gives the mean of all values, and of an Accuracy the part of all "
    "predictions that are correct, in however many batches they come",
    source=_AVERAGE,
    needs=_METRICS,
    case=_CASES,
)
def an_average_is_that_of_all_batches(lib, case):
    for count, batch in enumerate(case.batches, start=1):
        case.metric.update(**batch)
        _about(case.metric.compute(), _mean(case.measured, case.batches[:count]))


@law(
    "only values where the mask is true count for an Average or an Accuracy; the mask is broadcast "
    "to the shape of the values",
    source=f"{_AVERAGE}.update",
    needs={"metrics_take_masks"},
    case=metric_batches(masks=True),
    parents=[an_average_is_that_of_all_batches],
)
def a_mask_leaves_values_out(lib, case):
    for batch in case.batches:
        case.metric.update(**batch)
    masked = [np.asarray(case.measured(**batch))[_mask(case, batch)] for batch in case.batches]
    _about(case.metric.compute(), _mean(lambda values: values, [{"values": one} for one in masked]))


@law(
    "`reset` makes a metric what it was before its first update",
    source=f"{_METRIC}.reset",
    needs=_METRICS,
    case=_CASES | welford_batches(),
)
def reset_begins_anew(lib, case):
    for batch in case.batches:
        case.metric.update(**batch)
    case.metric.reset()
    same_graph(case.metric, case.rebuild().metric)


@law(
    "a metric that is split and merged, cloned or updated under `jit` goes on as if it were not",
    source="https://flax.readthedocs.io/en/latest/guides/transforms.html#state-propagation",
    needs={"metrics.Average", "jit", "clone", "merge"},
    case=_CASES,
    parents=[an_average_is_that_of_all_batches],
)
def a_metric_travels(lib, case):
    metric, step = case.metric, lib.jit(lambda metric, batch: metric.update(**batch))
    for batch in case.batches:
        metric.update(**batch)
        metric = lib.merge(*metric.split())
        metric = lib.clone(lib.merge(*metric.split(lib.Variable, ...)))
        step(metric, _arrays(batch))
    _about(metric.compute(), _mean(case.measured, [*case.batches, *case.batches]))


@law(
    "`compute` does not change a metric",
    source=f"{_METRIC}.compute",
    level="should",
    needs=_METRICS,
    case=_CASES | welford_batches(),
)
def compute_changes_nothing(lib, case):
    other = case.rebuild()
    for mine, theirs in zip(case.batches, other.batches, strict=True):
        case.metric.update(**mine)
        other.metric.update(**theirs)
        case.metric.compute()
    same_graph(case.metric, other.metric)


@law(
    "`compute` of a Welford gives the mean, the standard deviation and the standard error of all "
    "values, in however many batches they come",
    source=f"{_API}#flax.nnx.metrics.Welford",
    needs={"metrics.Welford"},
    case=welford_batches(),
)
def welford_gives_the_statistics(lib, case):
    for batch in case.batches:
        case.metric.update(**batch)
    found = case.metric.compute()
    values = _numbers(case.measured, case.batches).astype(np.float64)
    got = (found.mean, found.standard_deviation, found.standard_error_of_mean)
    wanted = (values.mean(), values.std(), values.std() / values.size**0.5)
    true(bool(np.allclose(got, wanted, rtol=1e-4, atol=1e-4)), got, f"about {wanted}")


@law(
    "a MultiMetric gives each of its metrics all arguments of `update`, and a dict of what they "
    "compute",
    source=f"{_MULTI}.update",
    needs={"MultiMetric"},
    case=several_metrics(),
    parents=[an_average_is_that_of_all_batches],
)
def several_metrics_are_updated_together(lib, case):
    together, alone = lib.MultiMetric(**case.metrics), case.rebuild().metrics
    for batch in case.batches:
        together.update(**batch)
        for metric in alone.values():
            metric.update(**batch)
    same(together.compute(), {name: metric.compute() for name, metric in alone.items()})
    equal(
        {name: getattr(together, name) is case.metrics[name] for name in alone},
        dict.fromkeys(alone, True),
    )


@law(
    "`reset` of a MultiMetric resets each of its metrics",
    source=f"{_MULTI}.reset",
    needs={"MultiMetric"},
    case=several_metrics(),
)
def several_metrics_are_reset_together(lib, case):
    together = lib.MultiMetric(**case.metrics)
    for batch in case.batches:
        together.update(**batch)
    together.reset()
    same_graph(together, lib.MultiMetric(**case.rebuild().metrics))


@law(
    "`update` raises TypeError without the argument that an Average is named after",
    source=f"{_AVERAGE}.update",
    level="should",
    needs=_METRICS,
    case=_CASES,
)
def an_argument_is_required(lib, case):
    metric = lib.metrics.Average("absent")
    refuses(TypeError, lambda: metric.update(**case.batches[0]))
    same_graph(metric, lib.metrics.Average("absent"))


def _numbers(measured, batches):
    return np.concatenate([np.ravel(measured(**batch)) for batch in batches])


def _mean(measured, batches):
    numbers = _numbers(measured, batches)
    return jnp.asarray(np.float32(numbers.sum()) / np.float32(numbers.size))


def _about(got, wanted):
    """Compare means; a GPU rounds a division otherwise than a CPU."""
    same(jnp.zeros_like(got), jnp.zeros_like(wanted))
    near = bool(np.allclose(got, wanted, rtol=1e-6, atol=0, equal_nan=True))
    true(near, got, f"about {wanted}")


def _mask(case, batch):
    return np.broadcast_to(batch["mask"], np.shape(case.measured(**batch)))


def _arrays(batch):
    """Return the batch with arrays in place of numbers, which jit would give the metric."""
    return jtu.tree_map(jnp.asarray, batch)
