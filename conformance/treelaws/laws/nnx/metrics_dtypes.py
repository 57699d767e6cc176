"""Flax NNX: metrics of values, masks and labels of every dtype."""

from __future__ import annotations

import numpy as np

from treelaws.equality import true

from ._metric_inputs import masked_metrics, near, precision, typed_batches, typed_labels
from .metrics import a_mask_leaves_values_out, an_average_is_that_of_all_batches, law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/metrics.html"
_METRICS = f"{_API}#flax.nnx.metrics"


@law(
    "an Average and a Welford of values of any dtype give what the numbers give in double "
    "precision, as exactly as the dtype allows",
    source=f"{_METRICS}.Average.update",
    level="should",
    needs={"metrics.Average", "metrics.Welford"},
    case=typed_batches(metrics=("Average", "Welford")),
    parents=[an_average_is_that_of_all_batches],
)
def values_of_any_dtype_are_measured(lib, case):
    for batch in case.batches:
        case.metric.update(**batch)
    arrays = [batch[case.argument] for batch in case.batches]
    numbers = np.concatenate([np.asarray(one, np.float64) for one in arrays])
    found = case.metric.compute()
    about = near(found, numbers, precision(arrays[0]))
    true(about, found, f"mean {numbers.mean()}, deviation {numbers.std()}")


@law(
    "a mask of zeros and ones of any dtype leaves the values at the zeros out of an Average",
    source=f"{_METRICS}.Average.update",
    level="should",
    needs={"metrics_take_masks"},
    case=typed_batches(metrics=("Average",), masks=True),
    parents=[a_mask_leaves_values_out],
)
def masks_of_any_dtype_leave_values_out(lib, case):
    kept = []
    for batch in case.batches:
        case.metric.update(**batch)
        values = np.asarray(batch[case.argument], np.float64)
        kept.append(values[np.asarray(batch["mask"]).astype(bool)])
    found, numbers = case.metric.compute(), np.concatenate(kept)
    about = near(found, numbers, precision(case.batches[0][case.argument]))
    true(about, found, f"about {numbers.mean()}")


@law(
    "labels of an Accuracy are integers of any dtype",
    source=f"{_METRICS}.Accuracy.update",
    level="should",
    needs={"metrics.Average"},
    case=typed_labels(),
    parents=[an_average_is_that_of_all_batches],
)
def labels_are_integers_of_any_dtype(lib, case):
    case.metric.update(**case.batch)
    found = float(case.metric.compute())
    true(abs(found - case.part) < 1e-6, found, f"{case.part}, the part that is correct")


@law(
    "the mask that a MultiMetric is given leaves values out of each of its metrics, and a mask in "
    "a dict out of the metric of that name",
    source=f"{_METRICS}.MultiMetric.update",
    level="should",
    needs={"metrics_take_masks", "MultiMetric"},
    case=masked_metrics(),
    parents=[a_mask_leaves_values_out],
)
def the_mask_of_several_metrics_reaches_each(lib, case):
    together = lib.MultiMetric(**case.metrics)
    together.update(**case.batch)
    found = together.compute()
    kept = {name: np.asarray(one, np.float64) for name, one in case.kept.items()}
    about = {name: near(found[name], one, 1e-6) for name, one in kept.items()}
    true(all(about.values()), found, f"statistics of {case.kept}")
