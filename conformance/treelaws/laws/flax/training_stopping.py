"""Flax: early stopping."""

from __future__ import annotations

import itertools

import jax.tree_util as jtu

from hypothesis_pytrees.flax.training import watched_metrics
from treelaws.equality import equal

from .training import law

_STOPPING = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.training.html"
    "#flax.training.early_stopping.EarlyStopping"
)
_NEEDS = {"training.early_stopping.EarlyStopping"}


@law(
    "`EarlyStopping.update` says `has_improved` if the metric is lower than the best one by more "
    "than `min_delta`, and then holds it as the best",
    source=f"{_STOPPING}.update",
    level="should",
    needs=_NEEDS,
    case=watched_metrics(),
)
def improvements_are_noticed(lib, case):
    for before, metric, after in _updates(lib, case):
        better = float(before.best_metric) - float(metric) > case.options["min_delta"]
        equal(bool(after.has_improved), better)
        equal(float(after.best_metric), float(metric if better else before.best_metric))


@law(
    "`patience_count` counts the steps since the last one that improved; `should_stop` is set by "
    "the first step of no improvement after `patience` of them",
    source=_STOPPING,
    level="should",
    needs=_NEEDS,
    case=watched_metrics(),
    parents=[improvements_are_noticed],
)
def training_stops_without_improvements(lib, case):
    count = 0
    for before, metric, after in _updates(lib, case):
        better = float(before.best_metric) - float(metric) > case.options["min_delta"]
        stops = not better and count == case.options["patience"]
        count = 0 if better else count + 1
        equal((after.patience_count, bool(after.should_stop)), (count, stops))
        if stops:
            break


@law(
    "`EarlyStopping.reset` forgets the metrics and keeps the options",
    source=_STOPPING,
    level="observed",
    needs=_NEEDS,
    case=watched_metrics(),
)
def reset_forgets_the_metrics(lib, case):
    fresh = lib.training.early_stopping.EarlyStopping(**case.options)
    for _, _, after in _updates(lib, case):
        equal(jtu.tree_leaves(after.reset()), jtu.tree_leaves(fresh))


def _updates(lib, case):
    """Yield the state before each metric, the metric and the state after it."""
    start = lib.training.early_stopping.EarlyStopping(**case.options)
    states = list(itertools.accumulate(case.metrics, lambda one, it: one.update(it), initial=start))
    return zip(states, case.metrics, states[1:], strict=False)
