"""Bad input gives one line, and good input does what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_CASE = "tree.flatten-tuple-10-cpu"


def _pytest(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    environment = {**os.environ, "PYTEST_ADDOPTS": "", **more}
    # A worker that runs this test would pass for the one that runs the others.
    environment.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--backend", "cup"], "--backend: unknown 'cup'; choose from cpu, gpu, tpu"),
        (["--benchmark", "-n", "2"], "--benchmark: workers would disturb each other; drop -n"),
        (["--quick"], "--quick: changes what --benchmark does; add --benchmark"),
        (["--compare", "run.json"], "--compare: changes what --benchmark does; add --benchmark"),
        (
            ["--benchmark", "--compare", "none.json"],
            "--compare: none.json: cannot be read: No such",
        ),
        (["--benchmark", "--compare", "pyproject.toml"], "--compare: pyproject.toml: no saved run"),
        (["--benchmark", "--against", "jax==0.8.0"], "--against: times by itself"),
        (["--against", "jax>=0.8"], "--against: 'jax>=0.8' names no release"),
        (["--benchmark", "-p", "no:benchmark"], "--benchmark: needs pytest-benchmark"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_gives_one_line(words: list[str], line: str) -> None:
    run = _pytest("perf/", "-k", _CASE, *words)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    said = [text for text in (run.stdout + run.stderr).splitlines() if line in text]
    assert len(said) == 1
    assert "Traceback" not in run.stdout + run.stderr


@pytest.mark.parametrize("words", [["perf/", "--benchmark"], ["--benchmark", "perf/"]])
def test_both_orders_time_the_operations(words: list[str], tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    run = _pytest(*words, "--quick", "-k", _CASE, f"--benchmark-json={kept}")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "tree.flatten" in run.stdout
    content = json.loads(kept.read_text())
    (one,) = content["benchmarks"]
    told = one["extra_info"]
    assert told["us"] == pytest.approx(one["stats"]["min"] * 1e6)
    assert told["us_per_leaf"] == pytest.approx(told["us"] / 10)
    assert (told["kind"], told["leaves"], told["backend"]) == ("tuple", 10, "cpu")
    assert told["times_the_reference"] < 1
    assert content["machine_info"]["devices"]["cpu"]["platform"] == "cpu"
    assert content["machine_info"]["libraries"]["jax"]


def test_without_pytest_benchmark_figures_are_counted() -> None:
    run = _pytest("perf/", "-k", _CASE, "-p", "no:benchmark")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout


def test_a_backend_that_is_not_there_is_a_skip_with_the_reason() -> None:
    run = _pytest("perf/", "-k", _CASE.replace("cpu", "tpu"), "--backend", "tpu", "-rs")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 skipped" in run.stdout
    assert "no backend tpu: " in run.stdout
