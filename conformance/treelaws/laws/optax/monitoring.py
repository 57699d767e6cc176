"""Optax: transformations that measure updates and keep the measurements in their state."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.measures import averaged_measures, measures
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._formulas import arrays_of, ema
from ._inputs import CODE, DOCS, types

law = Topic("optax.monitoring", "Optax: measurements of updates", family="optax")
_PAGE = f"{DOCS}transformations.html"
# The pages of 0.2.8 name `monitor` alone.
_MONITOR = f"{CODE}transforms/_monitoring.py#L90"
_EMA = f"{CODE}transforms/_monitoring.py#L171"


@law(
    "`snapshot` returns the updates unchanged, and its state has what the function gives for them "
    "under the name, and for the parameters at first",
    source=f"{_PAGE}#optax.snapshot",
    level="should",
    needs={"snapshot", "tree"},
    case=measures(),
)
def a_snapshot_is_of_the_last_updates(lib, case):
    for name, measure in case.held.items():
        tx = lib.chain(lib.scale(2.0), lib.snapshot(name, measure), lib.scale(0.5))
        state = tx.init(case.params)
        same(state[1].measurement, {name: measure(case.params)})
        for grads in case.grads:
            updates, state = tx.update(grads, state)
            same(updates, grads)
            wanted = measure(jtu.tree_map(lambda leaf: leaf * 2, grads))
            same(lib.tree.get(state, name), wanted)


@law(
    "`monitor` returns the updates unchanged, and its state has each measurement of them under its "
    "name: what a function gives, or the moving average of it by `measure_with_ema`",
    source=_MONITOR,
    needs={"monitor", "measure_with_ema"},
    case=measures(),
)
def measurements_are_those_of_each_step(lib, case):
    tx = lib.monitor({name: _measure(lib, case, name) for name in case.held})
    state = tx.init(case.params)
    for step, grads in enumerate(case.grads, 1):
        updates, state = tx.update(grads, state, case.params)
        same(updates, grads)
        equal(set(state.measurements), set(case.held))
        for name, found in state.measurements.items():
            _near(found, _wanted(case, name, step))


@law(
    "`monitor` hands the extra arguments and the parameters to a measurement that is a "
    "transformation, and keeps the state of each",
    source=_MONITOR,
    level="should",
    needs={"monitor", "GradientTransformationExtraArgs"},
    case=measures(),
)
def measurements_get_all_arguments(lib, case):
    size = len(case.held)
    tx = lib.monitor({**dict.fromkeys(case.held, _noting(lib, size)), "plain": lambda tree: 1})
    state = tx.init(case.params)
    for step, grads in enumerate(case.grads, 1):
        _, state = tx.update(grads, state, case.params, loss=step)
        wanted = dict.fromkeys(case.held, (case.params, step)) | {"plain": 1}
        same(state.measurements, wanted)
        equal(state.measure_states.count(size + step), size)


@law(
    "the state of `measure_with_ema` keeps its types at an update, whatever dtype the measurement "
    "has: a condition, a count or a number",
    # Its example averages a condition; states that change their types cannot be scanned.
    source=_EMA,
    level="should",
    needs={"measure_with_ema"},
    case=averaged_measures(),
)
def an_averaged_measurement_keeps_its_types(lib, case):
    tx = lib.measure_with_ema(case.measure, **case.options)
    state = tx.init(case.params)
    _, after = tx.update(case.grads[0], state, case.params)
    same(types(after), types(state))


def _noting(lib, start):
    """Return a transformation that gives its arguments for updates, and counts the steps."""

    def update(updates, state, params=None, **extra):
        return (params, extra["loss"]), state + 1

    return lib.GradientTransformationExtraArgs(lambda params: start, update)


def _measure(lib, case, name):
    """Return a function, or the transformation that averages it."""
    options = case.averaged.get(name)
    return case.held[name] if options is None else lib.measure_with_ema(case.held[name], **options)


def _wanted(case, name, step):
    """Return the numbers of a measurement after so many steps."""
    seen = [arrays_of(case.held[name](grads)) for grads in case.grads[:step]]
    options = case.averaged.get(name)
    return seen[-1] if options is None else list(ema(seen, **options))[-1]


def _near(found, wanted):
    """Demand these numbers apart from rounding."""
    agree = [
        np.allclose(got, one, 1e-4, 1e-5) for got, one in zip(arrays_of(found), wanted, strict=True)
    ]
    equal(agree, [True] * len(wanted))
