"""The options of the timed tests; pytest loads this early, so it imports no library."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from .names import BACKENDS, parts


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("timing", "timing of operations on trees (perf/)")
    group.addoption(
        "--benchmark",
        action="store_true",
        dest="timed",
        help="time the operations in perf/, up to 10,000 leaves; without it each runs once, "
        "untimed, up to 100 leaves",
    )
    group.addoption(
        "--quick",
        action="store_true",
        help="with --benchmark: at most 1000 leaves, 100 where each call compiles, neither dicts "
        "nor mixed modules, and a seventh of the time for each operation",
    )
    group.addoption(
        "--backend",
        action="append",
        default=[],
        metavar="NAME",
        help=f"where inputs are placed: {', '.join(BACKENDS)}, with a number of devices behind a "
        "colon if there are to be several, as in cpu:8; repeatable; default: JAX's own",
    )
    group.addoption(
        "--compare",
        default="",
        metavar="FILE",
        help="with --benchmark: compare with a saved run, the timing.json of a report or a file of "
        "--benchmark-json; what is slower fails the run",
    )
    group.addoption(
        "--against",
        default="",
        metavar="PINS",
        help="instead of timing what is installed by itself, time it in turn with other releases "
        "in an environment of their own, such as 'equinox==0.13.2' or "
        "'jax==0.8.0,equinox==0.13.2'; what is slower fails",
    )
    group.addoption(
        "--record-figures",
        action="store_true",
        help="write the exact figures of this run to perf/recorded/, to be compared with later",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Run each of several backends in a process of its own, where one has several devices."""
    names = config.option.backend
    if len(names) < 2 or not any(parts(name)[1] > 1 for name in names):
        return None
    others = _without_backends(config.invocation_params.args)
    codes: list[int] = []
    for name in names:
        print(f"backend {name}", flush=True)
        folder = config.getoption("--report", default="")
        own = ["--report", f"{folder}/{name.replace(':', '-')}"] if folder else []
        command = [sys.executable, "-m", "pytest", *others, "--backend", name, *own]
        codes.append(subprocess.run(command, check=False).returncode)
    return max(codes)


def _without_backends(arguments: Sequence[str]) -> list[str]:
    kept: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--backend":
            next(words, None)
        elif not word.startswith("--backend="):
            kept.append(word)
    return kept


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    option = config.option
    try:
        found = [parts(backend) for backend in option.backend]
    except ValueError as raised:
        raise pytest.UsageError(f"--backend: {raised}") from raised
    if [platform for platform, count in found if count > 1] == ["cpu"] and len(found) == 1:
        # JAX reads it when it starts.
        flag = f"--xla_force_host_platform_device_count={found[0][1]}"
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()
    # Not by its name, which depends on how it was loaded.
    there = hasattr(option, "benchmark_disable")
    if option.timed and not there:
        raise pytest.UsageError("--benchmark: needs pytest-benchmark; pip install pytest-benchmark")
    if option.timed and getattr(option, "dist", "no") != "no":
        raise pytest.UsageError("--benchmark: workers would disturb each other; drop -n")
    if option.against and option.timed:
        raise pytest.UsageError("--against: times by itself; drop --benchmark")
    if option.against and getattr(option, "dist", "no") != "no":
        raise pytest.UsageError("--against: workers would disturb each other; drop -n")
    for flag in ("quick", "compare"):
        if getattr(option, flag) and not option.timed:
            raise pytest.UsageError(f"--{flag}: changes what --benchmark does; add --benchmark")
    if not there:
        config.addinivalue_line("markers", "benchmark(...): options of pytest-benchmark")
    if there and not option.timed:
        option.timed = option.benchmark_only or option.benchmark_enable
        # In an untimed run nothing else is to be timed by default either.
        option.benchmark_disable = not option.timed
