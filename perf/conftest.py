"""Cases for the timed tests, and what they have found at the end."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytree_timing import advice, backends, changes, models, recorded, saved, table
from pytree_timing.against import BadRequest, baseline, installed
from pytree_timing.figures import Figures
from pytree_timing.operation import CLOCKS, Case, cases
from pytree_timing.pairs import Measured, measure
from pytree_timing.timing import Timed
from pytree_timing.trees import FLOOR, REFERENCE, SIZES

# With more leaves than this a round is longer than a time slice.
_QUICK = 1_000
# Compiling for more leaves takes a second, and a quick run has three minutes for all.
_QUICK_COMPILED = 100
_QUICK_KINDS = (FLOOR, REFERENCE, "module", "nnx")
# Untimed, counting is what takes long.
_UNTIMED = 1_000
_AGAINST = "test_against.py"
_RUNS = Path(__file__).resolve().parents[1] / "reports" / "runs"
COUNTED = pytest.StashKey[dict[str, Figures]]()
TIMED = pytest.StashKey[list[Timed]]()
COMPARED = pytest.StashKey[dict[str, Measured]]()
BEFORE = pytest.StashKey[Mapping[str, Sequence[float]]]()
RECORDED = pytest.StashKey[Mapping[str, Figures]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COUNTED], config.stash[TIMED], config.stash[COMPARED] = {}, [], {}
    if len(_subjects(config)) > 1:
        raise pytest.UsageError("--subject: times one model at a time")
    for flag in ("against", "compare", "record-figures"):
        if _subjects(config) and config.getoption(f"--{flag}"):
            raise pytest.UsageError(f"--{flag}: is about the trees of perf/; drop --subject")
    try:
        config.stash[RECORDED] = {} if config.option.record_figures else recorded.read()
        if path := config.option.compare:
            config.stash[BEFORE] = saved.read(Path(path))
        for name in _subjects(config):
            models.use(name)
    except models.BadModel as raised:
        raise pytest.UsageError(f"--subject: {raised}") from raised
    except (recorded.BadRecord, saved.BadRun) as raised:
        raise pytest.UsageError(str(raised)) from raised


def _subjects(config: pytest.Config) -> Sequence[str]:
    """Return the function that makes the user's model, if the run has one."""
    return config.getoption("--subject", default=None) or ()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path.suffix != ".py" or collection_path.parent != Path(__file__).parent:
        return None
    # Timing by itself and timing beside another release are different runs.
    unwanted = (collection_path.name == _AGAINST) != bool(config.option.against)
    return True if unwanted and collection_path.name.startswith("test_") else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        option = metafunc.config.option
        chosen = option.backend or [backends.default()]
        most = max(SIZES) if option.timed else _UNTIMED
        most = _QUICK if option.quick or option.against else most
        if _subjects(metafunc.config):
            found = models.cases(chosen)
        else:
            found = [one for one in cases(chosen, most) if not option.quick or _is_quick(one)]
        metafunc.parametrize("case", [_parameter(case) for case in found])


def _is_quick(case: Case) -> bool:
    small = case.operation.steady or case.size <= _QUICK_COMPILED
    return small and case.kind in _QUICK_KINDS


def _parameter(case: Case) -> Any:
    # In an environment without pytest-benchmark nothing reads the mark.
    group = f"{case.operation.topic} {case.size} {case.platform}"
    mark = pytest.mark.benchmark(group=group, timer=CLOCKS[case.operation.clock])
    return pytest.param(case, id=str(case), marks=mark)


@pytest.fixture
def counted(pytestconfig: pytest.Config) -> dict[str, Figures]:
    """Return the exact figures of the run, by case."""
    return pytestconfig.stash[COUNTED]


@pytest.fixture
def results(pytestconfig: pytest.Config) -> list[Timed]:
    """Return what the run has timed."""
    return pytestconfig.stash[TIMED]


@pytest.fixture
def figures_before(pytestconfig: pytest.Config) -> Mapping[str, Figures]:
    """Return the figures that were recorded for the installed releases, by case."""
    return pytestconfig.stash[RECORDED]


@pytest.fixture(scope="session")
def compared(request: pytest.FixtureRequest) -> Mapping[str, Measured]:
    """Return what comes of timing the chosen cases beside another release."""
    config = request.config
    functions = [item for item in request.session.items if isinstance(item, pytest.Function)]
    chosen: list[Any] = [item.callspec.params["case"] for item in functions]
    try:
        other = baseline(config.option.against, chosen)
    except BadRequest as raised:
        pytest.exit(str(raised), returncode=pytest.ExitCode.USAGE_ERROR)
    reporter: Any = config.pluginmanager.getplugin("terminalreporter")
    tell = print if reporter is None else reporter.write_line
    found = measure(other, installed(), list(map(str, chosen)), tell=tell)
    config.stash[COMPARED].update(found)
    return found


def pytest_sessionfinish(session: pytest.Session) -> None:
    stash = session.config.stash
    if BEFORE in stash and session.exitstatus == pytest.ExitCode.OK:
        found = saved.compared(stash[TIMED], stash[BEFORE]).values()
        if any(one.verdict == "slower" for one in found):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_machine_info(config: pytest.Config, machine_info: Any) -> None:
    machine_info["libraries"] = recorded.versions()
    machine_info["devices"] = _devices(config)


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    timed, found = config.stash[TIMED], config.stash[COMPARED]
    if _subjects(config):
        told = [*table.lines_of_a_model(timed), *advice.lines(timed)]
    else:
        told = list(table.lines(timed, config.stash[COUNTED]))
    told += changes.lines(found, config.option.against)
    if BEFORE in config.stash:
        path = Path(config.option.compare)
        told += saved.lines(saved.compared(timed, config.stash[BEFORE]), path)
    for line in told:
        terminalreporter.write_line(line)
    if timed or found:
        terminalreporter.write_line(_written(config, timed, found, told))
    if config.option.record_figures and exitstatus == 0:
        terminalreporter.write_line(f"figures: {recorded.write(config.stash[COUNTED])}")


def _written(
    config: pytest.Config, timed: list[Timed], found: Mapping[str, Measured], told: list[str]
) -> str:
    """Write the report and say where it is; what was timed is told whatever becomes of it."""
    try:
        from pytree_timing.report import write
    except ImportError as raised:
        return f"report: needs {raised.name}; pip install 'treelaws[perf]'"
    started = time.strftime("%Y-%m-%dT%H-%M-%S")
    folder = Path(config.getoption("report") or _RUNS / f"{started}-timing")
    devices = {name: facts["kind"] for name, facts in _devices(config).items()}
    facts = {**recorded.versions(), **{f"device {name}": kind for name, kind in devices.items()}}
    try:
        path = write(folder, timed, found, baseline=config.option.against, facts=facts, text=told)
    except OSError as raised:
        return f"report: {folder}: cannot be written: {raised.strerror}"
    return f"report: {path}"


def _devices(config: pytest.Config) -> dict[str, dict[str, str]]:
    chosen = config.option.backend or [backends.default()]
    there = [backend for backend in chosen if not backends.why_missing(backend)]
    return {backend: backends.device_facts(backend) for backend in there}
