"""A user's own model is timed beside its flat arrays, with advice that the figures support."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest
from test_options import run_pytest

from pytree_timing import advice, models, table
from pytree_timing.operation import Case, operation
from pytree_timing.timing import Timed
from pytree_timing.trees import FLAT, KINDS, MODEL

_EXAMPLES = ("equinox_mlp", "equinox_transformer", "nnx_mlp", "nnx_transformer")


@pytest.fixture
def restored() -> Iterator[None]:
    """Forget the model after the test."""
    yield
    for name in (MODEL, FLAT):
        KINDS.pop(name, None)


@pytest.mark.sweep
def test_a_model_is_timed_and_the_report_has_a_picture(tmp_path: Path) -> None:
    run = run_pytest(
        "perf/", "--benchmark", "--quick", "--subject", "perf.example_models:equinox_mlp",
        "-k", "dispatch or filter", "--report", str(tmp_path),
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "for a model of 8 arrays" in run.stdout
    assert "dispatch.filter_jit: call eqx.partition once, before the loop" in run.stdout
    rows = json.loads((tmp_path / "timing.json").read_text())["timed"]
    assert {row["kind"] for row in rows} == {"model"}
    assert {row["operation"] for row in rows} >= {"dispatch.filter_jit", "filter.partition"}
    assert (tmp_path / "model-cpu.png").exists()


@pytest.mark.sweep
@pytest.mark.parametrize("name", _EXAMPLES)
@pytest.mark.usefixtures("restored")
def test_each_operation_takes_an_example(name: str) -> None:
    models.use(f"perf.example_models:{name}")
    found = models.cases(["cpu"])
    topics = {case.operation.topic for case in found}
    assert topics >= {"tree", "dispatch", "nnx" if name.startswith("nnx") else "filter"}
    for case in found:
        # Compiling all of them would take a minute.
        if case.operation.topic in ("tree", "filter", "nnx"):
            case.prepare()()
        assert case.floor.kind == FLAT


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("perf.example_models", "'perf.example_models' names no function"),
        ("no_such_package:make", "No module named 'no_such_package'"),
        ("perf.example_models:no_such", "has no attribute 'no_such'"),
        ("perf.example_models:_WIDTH", "is of type int; name a function"),
        ("math:sqrt", "math:sqrt() raises TypeError"),
        ("builtins:dict", "builtins:dict() returns a dict without arrays"),
    ],
)
@pytest.mark.usefixtures("restored")
def test_what_makes_no_model_is_told(name: str, line: str) -> None:
    with pytest.raises(models.BadModel) as raised:
        models.use(name)
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("dtype", "left_out"),
    [("float32", set()), ("int32", {"derivative", "optimiser", "training"})],
)
@pytest.mark.usefixtures("restored")
def test_operations_that_need_real_numbers_are_left_out(dtype: str, left_out: set[str]) -> None:
    KINDS[MODEL] = dataclasses.replace(
        KINDS["tuple"], name=MODEL, tree=lambda leaves: [jnp.ones(2, dtype)]
    )
    topics = {case.operation.topic for case in models.cases(["cpu"])}
    assert topics & {"derivative", "optimiser", "training"} == (
        {"derivative", "optimiser", "training"} - left_out
    )


def test_every_advice_names_two_operations() -> None:
    for name, (other, how) in advice.INSTEAD.items():
        assert operation(name) is not None
        assert operation(other) is not None
        assert how


@pytest.mark.parametrize(
    ("seconds", "reference", "count"),
    [(100e-6, 20e-6, 1), (100e-6, 95e-6, 0), (1e-6, 0.5e-6, 0), (100e-6, None, 0)],
    ids=["much", "little", "a moment", "nothing to do"],
)
def test_advice_needs_figures(seconds: float, reference: float | None, count: int) -> None:
    one = _timed(seconds=seconds, reference=reference)
    lines = list(advice.lines([one]))
    assert len(lines) == count
    assert all("saves 80.0 us of 100.0 us a call, 80%" in line for line in lines)


def test_the_table_shows_what_is_lost() -> None:
    *_, row = table.lines_of_a_model([_timed(seconds=100e-6, reference=20e-6)])
    assert row.split() == ["dispatch.filter_jit", "cpu", "100", "10", "90", "20"]


def _timed(**figures: Any) -> Timed:
    found = operation("dispatch.filter_jit")
    assert found is not None
    return Timed(case=Case(found, MODEL, 8, "cpu"), minima=[], floor=10e-6, **figures)
