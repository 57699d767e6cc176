"""Each operation on each kind of node: what it does, counted, and with `--benchmark` its time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import pytest

from pytree_timing import backends, trees
from pytree_timing.figures import Figures, figures
from pytree_timing.operation import Case
from pytree_timing.recorded import differences
from pytree_timing.timing import BUDGET, QUICK_BUDGET, Timed, timed


def test_operation(
    case: Case,
    counted: dict[str, Figures],
    results: list[Timed],
    figures_before: Mapping[str, Figures],
    request: pytest.FixtureRequest,
) -> None:
    option = request.config.option
    if why := backends.why_missing(case.platform):
        pytest.skip(f"no backend {case.platform}: {why}")
    if case.missing:
        pytest.skip(f"the installed release has no {case.missing}")
    with jax.default_device(backends.devices(case.platform)[0]):
        call = case.prepare()
        call()
        # A quick run has time to count small trees only; an untimed one counts the others too.
        most = 100 if option.quick or not case.operation.steady else 1_000
        counts = case.size <= most and case.kind != trees.MODEL
        found = _counted(case, call, counted, figures_before) if counts else None
        if option.timed:
            benchmark = request.getfixturevalue("benchmark")
            one = timed(benchmark, case, call, QUICK_BUDGET if option.quick else BUDGET)
            benchmark.extra_info |= one.facts() | ({"figures": vars(found)} if found else {})
            results.append(one)


def _counted(
    case: Case, call: Any, counted: dict[str, Figures], before: Mapping[str, Figures]
) -> Figures:
    found = counted[str(case)] = figures(call, steady=case.operation.steady)
    if case.operation.steady:
        stages = (found.traces, found.lowerings, found.compilations)
        assert stages == (0, 0, 0), f"a repeated call traces, lowers, compiles: {stages}"
        assert not found.blocks, f"each call keeps {found.blocks} blocks of memory"
    if case.kind == trees.REFERENCE and case.operation.id in _ONCE:
        assert found.flattens == trees.inner_nodes(case.size), "each node is flattened once"
    if str(case) in before:
        assert not differences(case, found, before[str(case)]), "recorded figure, figure now"
    return found


# What takes a tree apart no more than it has to.
_ONCE = {"tree.flatten", "tree.map", "dispatch.jax_jit"}
