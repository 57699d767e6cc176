"""Faults of the example database: each has its line and fails the run, and no verdict changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis.database import DirectoryBasedExampleDatabase

from treelaws.core import problems
from treelaws.core.databases.folder import FolderDatabase
from treelaws.reporting.report import read
from treelaws.reporting.stream import replayed

from .faulty_runs import ALL_HELD, error_lines, faulty, verdicts
from .pytest_runs import ran
from .redis_servers import redis_server

_DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "other bytes": (lambda path: path.write_bytes(b"\xff other bytes"), "is damaged"),
    "no bytes": (lambda path: path.write_bytes(b""), "is damaged"),
    # Root may read any file; nobody may read a folder as a file.
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "cannot be read: Is a directory"),
}
# Writes the id of the main process to a file.
_MAIN = """
import os
from pathlib import Path


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        Path("main").write_text(str(os.getpid()))
"""
_INTERRUPT_MAIN = """
events, row = Path("kept/events.jsonl"), 'first_holds", "subject": "jax", "verdict": "held"'
while not events.exists() or row not in events.read_text():
    time.sleep(0.05)
os.kill(int(Path("main").read_text()), signal.SIGINT)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with laws and with saved inputs that broke them."""
    house = faulty(tmp_path_factory.mktemp("house"), _MAIN)
    run = ran(house, BREAK="1")
    assert run.returncode == 1, run.stdout + run.stderr
    assert _inputs(house)
    return house


@pytest.fixture
def house(broken: Path, tmp_path: Path) -> Path:
    """Return a copy of this folder."""
    return shutil.copytree(broken, tmp_path / "house")


def _inputs(house: Path) -> list[Path]:
    """Return the files of the saved inputs."""
    return [path for path in (house / ".hypothesis" / "examples").glob("*/*") if path.is_file()]


@pytest.mark.parametrize("kind", _DAMAGE)
def test_a_saved_input_that_cannot_be_read_is_noted(tmp_path: Path, kind: str) -> None:
    damage, said = _DAMAGE[kind]
    database = FolderDatabase(DirectoryBasedExampleDatabase(tmp_path / "kept"))
    for value in (b"one", b"two"):
        database.save(b"key", value)
    assert set(database.fetch(b"key")) == {b"one", b"two"}
    assert problems.take() == {}
    one = next(path for path in (tmp_path / "kept").glob("*/*") if path.read_bytes() == b"one")
    damage(one)
    for _ in range(2):
        assert list(database.fetch(b"key")) == [b"two"]
    told = f"{one}: {said}; the run went on without this saved input; remove {tmp_path / 'kept'}"
    assert problems.take() == {str(tmp_path / "kept"): told}
    assert problems.take() == {}


def test_a_folder_that_becomes_a_file_is_noted(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    database = FolderDatabase(DirectoryBasedExampleDatabase(folder))
    database.save(b"key", b"one")
    shutil.rmtree(folder)
    assert list(database.fetch(b"key")) == []
    assert problems.take() == {}
    folder.write_text("")
    database.save(b"key", b"one")
    (told,) = problems.take().values()
    assert told.startswith(f"{folder}: cannot be written: Not a directory; inputs that broke laws")


def test_damaged_inputs_fail_a_run_whose_laws_hold(house: Path) -> None:
    for path in _inputs(house):
        path.write_bytes(b"\xff other bytes")
    run = ran(house, "--report=kept")
    assert run.returncode == 1, run.stdout + run.stderr
    assert "3 passed" in run.stdout
    (line,) = error_lines(run)
    assert line.startswith(f"error: {house / '.hypothesis' / 'examples'}")
    assert f"is damaged; the run went on without this saved input; remove {house}" in line
    assert verdicts(read(house / "kept")) == ALL_HELD
    shutil.rmtree(house / ".hypothesis" / "examples")
    again = ran(house, "--report=kept")
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.sweep
def test_workers_tell_of_damaged_inputs_also_in_a_run_that_is_stopped(house: Path) -> None:
    """Ctrl-C comes when the first law has held; the worker of the second one is waiting."""
    for path in _inputs(house):
        path.write_bytes(b"\xff other bytes")
    run = ran(house, "-n", "2", "--report=kept", FAULT=_INTERRUPT_MAIN)
    report = read(house / "kept")
    assert run.returncode == pytest.ExitCode.INTERRUPTED, run.stdout + run.stderr
    (line,) = error_lines(run)
    assert "is damaged; the run went on without this saved input" in line
    assert verdicts(report) == verdicts(replayed(house / "kept"))
    assert verdicts(report)["first_holds"] == "held"
    assert verdicts(report)["fault_comes"] == "not run"
    assert not report.complete
    assert "INCOMPLETE: the run stopped before all tests finished" in run.stdout


def test_a_file_in_place_of_the_default_folder_fails_the_run(tmp_path: Path) -> None:
    house = faulty(tmp_path)
    (house / ".hypothesis").mkdir()
    (house / ".hypothesis" / "examples").write_text("")
    run = ran(house, "--report=kept")
    cure = "make it a writable folder, or name another with --database"
    told = f"cannot be used: File exists; inputs that broke laws were not saved; {cure}"
    assert run.returncode == 1, run.stdout + run.stderr
    assert error_lines(run) == [f"error: {house / '.hypothesis' / 'examples'}: {told}"]
    assert verdicts(read(house / "kept")) == ALL_HELD
    again = ran(house, "--report=kept", "--database=none")
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Start a Redis server, and give its URL and the id of its process."""
    with redis_server(tmp_path) as found:
        yield found


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_server_that_stops_fails_the_run_and_no_law(
    tmp_path: Path, server: tuple[str, int], workers: str
) -> None:
    url, process = server
    house = faulty(tmp_path)
    # With workers, the last law may have run before; the second one then uses the server again.
    breaks = "; true(False, 1, 'a number')" if workers == "2" else ""
    fault = f"os.kill({process}, signal.SIGKILL){breaks}"
    options = (f"--database={url}", "--report=kept", "-n", workers)
    run = ran(house, *options, FAULT=fault)
    (line,) = error_lines(run)
    assert run.returncode == 1, run.stdout + run.stderr
    assert line.startswith(f"error: {url} no longer answers: ")
    assert line.endswith("; start it again, or leave --database out")
    wanted = {**ALL_HELD, "fault_comes": "broken"} if breaks else ALL_HELD
    assert verdicts(read(house / "kept")) == wanted
    assert "no longer answers" not in run.stdout.replace(line, "")
