"""`--kill-matrix`: print which law notices which mutant, from the tests that just ran."""

from __future__ import annotations

import gc
import signal
from collections import defaultdict
from collections.abc import Iterator

import pytest

from treelaws.compat import devices
from treelaws.reproduce.script import verifying

from .python_runs import run_script_command
from .script_runs import Server

_PAIR = "test_law_notices["


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kill-matrix", action="store_true", help="print which law notices which mutant"
    )


def pytest_configure() -> None:
    devices.ask()
    # A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not terminalreporter.config.getoption("--kill-matrix"):
        return
    killed: dict[str, list[str]] = defaultdict(list)
    killers: dict[str, list[str]] = defaultdict(list)
    for report in terminalreporter.stats.get("passed", []):
        _, found, pair = report.nodeid.partition(_PAIR)
        if found:
            mutant, _, law = pair.rstrip("]").rpartition("-")
            killed[mutant].append(law)
            killers[law].append(mutant)
    terminalreporter.section("kill matrix")
    for title, table in (("mutant", killed), ("law", killers)):
        for name, others in sorted(table.items()):
            terminalreporter.line(f"{title} {name}: {', '.join(sorted(others))}")
    terminalreporter.line(f"{len(killers)} laws, {len(killed)} mutants, each noticed at least once")


def pytest_collection_finish() -> None:
    # Laws about what stays alive collect garbage; what the tests hold by now is none.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return what runs scripts without this project, one process for the whole run."""
    found = Server(tmp_path_factory.mktemp("scripts"))
    yield found
    found.close()


@pytest.fixture(autouse=True)
def _scripts_in_forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify scripts where the libraries are imported, but in tests of what a fresh run does."""
    if "fresh_interpreters" not in request.fixturenames:
        monkeypatch.setattr(verifying, "run_command", run_script_command)


@pytest.fixture
def fresh_interpreters() -> None:
    """Verify scripts in fresh interpreters, as for users."""
