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


def run_pytest(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    environment = {**os.environ, "PYTEST_ADDOPTS": "", **more}
    # A worker that runs this test would pass for the one that runs the others.
    environment.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--backend", "cup"], "--backend: unknown 'cup'; choose from cpu, gpu, tpu"),
        (["--backend", "cpu:1"], "--backend: 'cpu:1': the number of devices is 2 to 64"),
        (["--backend", "cpu:many"], "--backend: 'cpu:many': the number of devices is 2 to 64"),
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
        (["--subject", "a:b", "--subject", "c:d"], "--subject: times one model at a time"),
        (["--subject", "a:b", "--record-figures"], "--record-figures: is about the trees of perf/"),
        (["--subject", "no_such:make"], "--subject: no_such:make: No module named 'no_such'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_gives_one_line(words: list[str], line: str) -> None:
    run = run_pytest("perf/", "-k", _CASE, *words)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    said = [text for text in (run.stdout + run.stderr).splitlines() if line in text]
    assert len(said) == 1
    assert "Traceback" not in run.stdout + run.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("words", [["perf/", "--benchmark"], ["--benchmark", "perf/"]])
def test_both_orders_time_the_operations(words: list[str], tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    run = run_pytest(*words, "--quick", "-k", _CASE, f"--benchmark-json={kept}")
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


@pytest.mark.sweep
def test_without_pytest_benchmark_figures_are_counted() -> None:
    run = run_pytest("perf/", "-k", _CASE, "-p", "no:benchmark")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout


@pytest.mark.sweep
def test_a_backend_that_is_not_there_is_a_skip_with_the_reason() -> None:
    run = run_pytest("perf/", "-k", _CASE.replace("cpu", "tpu"), "--backend", "tpu", "-rs")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 skipped" in run.stdout
    assert "no backend tpu: " in run.stdout


@pytest.mark.sweep
def test_a_backend_of_several_devices_has_operations_of_its_own() -> None:
    run = run_pytest("perf/", "-k", "sharded and 10-", "--backend", "cpu:8")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "skipped" not in run.stdout
    run = run_pytest("perf/", "-k", "sharded", "--backend", "cpu")
    assert run.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, run.stdout + run.stderr


@pytest.mark.sweep
def test_several_backends_run_each_in_a_process(tmp_path: Path) -> None:
    run = run_pytest(
        "perf/", "-k", "tree.flatten-tuple-10-", "--benchmark", "--quick",
        "--report", str(tmp_path), "--backend", "cpu:2", "--backend=cpu",
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("1 passed") == 2
    for folder, name in (("cpu-2", "cpu:2"), ("cpu", "cpu")):
        rows = json.loads((tmp_path / folder / "timing.json").read_text())["timed"]
        assert [row["backend"] for row in rows] == [name]


@pytest.mark.sweep
def test_too_few_devices_are_a_skip_with_the_reason() -> None:
    run = run_pytest(
        "perf/", "-k", "tree.flatten-tuple-10-", "--backend", "cpu:4", "-rs",
        XLA_FLAGS="--xla_force_host_platform_device_count=8", JAX_PLATFORMS="cpu",
        JAX_NUM_CPU_DEVICES="2",
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "no backend cpu:4: 2 of 4 devices" in run.stdout
