"""Faults around a run: each has its line, keeps the results so far, and fails the run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from treelaws.pytest_plugin.last_inputs import LastInputs
from treelaws.pytest_plugin.losses import Losses
from treelaws.reporting.report import read
from treelaws.reporting.stream import replayed

from .faulty_runs import ALL_HELD, error_lines, faulty, verdicts
from .pytest_runs import USAGE_ERROR, errors, ran
from .python_runs import run_python

_INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"
_AGAIN = f"""
import os
import signal
from treelaws.reporting import collecting

write_all = collecting.write_all


def interrupted(*arguments):
    {_INTERRUPT}
    write_all(*arguments)


collecting.write_all = interrupted
"""
_AT_ONCE = f"""
import os
import signal


def pytest_keyboard_interrupt():
    {_INTERRUPT}
"""
_LATER = f"""
import os
import pytest
import signal


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    {_INTERRUPT}
"""
# Root may write to any folder, unless the process gives this power up before it starts Python.
_PLAIN = """
import ctypes, os, sys
[ctypes.CDLL(None).prctl(24, power) for power in (1, 2)]
os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]])
"""
_LIMIT = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))
"""


def _stopped(house: Path) -> str:
    """Stop a run by Ctrl-C in its second law, and return its output."""
    run = ran(house, "--report=kept", FAULT=_INTERRUPT)
    report = read(house / "kept")
    wanted = {"first_holds": "held", "fault_comes": "not run", "last_holds": "not run"}
    assert run.returncode == pytest.ExitCode.INTERRUPTED, run.stdout + run.stderr
    assert verdicts(report) == verdicts(replayed(house / "kept")) == wanted
    assert not report.complete
    assert (house / "kept" / "report.html").exists()
    assert not list((house / "kept").glob("*.unfinished"))
    assert "Traceback" not in run.stdout + run.stderr
    return run.stdout + run.stderr


@pytest.mark.parametrize("conftest", ["", _AT_ONCE, _AGAIN], ids=["once", "at once", "writing"])
def test_ctrl_c_keeps_the_results_so_far(tmp_path: Path, conftest: str) -> None:
    """The second Ctrl-C comes at once after the first one, or while the reports are written."""
    told = _stopped(faulty(tmp_path, conftest))
    assert "INCOMPLETE: the run stopped before all tests finished: 2 of 3 did not run" in told


def test_a_second_ctrl_c_ends_the_run_at_once(tmp_path: Path) -> None:
    house = faulty(tmp_path, _LATER)
    told = f"Exit: stopped by a second Ctrl-C; the reports are in {house / 'kept'}"
    assert told in _stopped(house).splitlines()


def test_ctrl_c_at_the_end_waits_for_the_reports(tmp_path: Path) -> None:
    house = faulty(tmp_path, _AGAIN)
    run = ran(house, "--report=kept")
    report = read(house / "kept")
    assert run.returncode == pytest.ExitCode.INTERRUPTED, run.stdout + run.stderr
    told = "error: Ctrl-C came after the last test; the reports are complete"
    assert error_lines(run) == [told]
    assert verdicts(report) == ALL_HELD
    assert report.complete


def test_a_second_run_in_one_folder_is_refused(tmp_path: Path) -> None:
    house = faulty(tmp_path)
    second = [sys.executable, "-m", "pytest", "-p", "treelaws.plugin", "--report=kept"]
    fault = f"""
if not Path("second").exists():
    run = subprocess.run({second}, capture_output=True, text=True)
    Path("second").write_text(f"{{run.returncode}} {{run.stderr}}")
"""
    run = ran(house, "--report=kept", FAULT=fault)
    told = "ERROR: --report: kept belongs to a run that has not ended; wait for it, or give another"
    assert (house / "second").read_text().startswith(f"{USAGE_ERROR} {told}")
    assert run.returncode == 0, run.stdout
    assert verdicts(read(house / "kept")) == verdicts(replayed(house / "kept")) == ALL_HELD
    again = ran(house, "--report=kept")
    assert again.returncode == 0, again.stdout + again.stderr


def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    house = faulty(tmp_path)
    (house / "kept").mkdir(mode=0o555)
    options = ["-p", "no:cacheprovider", "-p", "treelaws.plugin", "--report=kept"]
    path = os.pathsep.join(sys.path)
    run = run_python(
        ["-c", _PLAIN, *options], cwd=house, environment={**os.environ, "PYTHONPATH": path}
    )
    assert run.returncode == USAGE_ERROR, run.stdout + run.stderr
    assert errors(run) == [
        "ERROR: --report: kept cannot be written: Permission denied; give a folder"
    ]
    assert not list((house / "kept").iterdir())


def test_a_file_in_place_of_the_folder_fails_the_run(tmp_path: Path) -> None:
    """The folder is replaced during the run, after which root cannot write to it either."""
    house = faulty(tmp_path)
    fault = "Path('kept').is_dir() and (shutil.rmtree('kept'), Path('kept').write_text(''))"
    run = ran(house, "--report=kept", FAULT=fault)
    cure = "no verdict depends on it; make room there, or give another folder with --report"
    assert run.returncode == 1, run.stdout + run.stderr
    assert "3 passed" in run.stdout
    assert error_lines(run) == [f"error: {house / 'kept'}: cannot be written: File exists; {cure}"]
    assert "report.html" not in run.stdout


def test_a_folder_that_is_removed_is_written_again(tmp_path: Path) -> None:
    house = faulty(tmp_path)
    run = ran(house, "--report=kept", FAULT="shutil.rmtree('kept', ignore_errors=True)")
    assert run.returncode == 0, run.stdout
    assert verdicts(read(house / "kept")) == verdicts(replayed(house / "kept")) == ALL_HELD


@pytest.fixture(params=["file system", "limit"])
def full(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Path, str]]:
    """Return a folder in which a run may write 8 KiB, and the reason why it cannot write more.

    A file system of this size needs root. Without root, a limit on the size of files stands for it.
    """
    if request.param == "limit":
        yield faulty(tmp_path, _LIMIT), "File too large"
        return
    house = faulty(tmp_path)
    (house / "kept").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(house / "kept")]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a file system can be mounted by root on Linux alone")
    yield house, "No space left on device"
    subprocess.run(["umount", str(house / "kept")], check=True)


def test_a_full_disk_fails_a_run_whose_laws_hold(full: tuple[Path, str]) -> None:
    house, reason = full
    # The limit also holds for the file to which the run prints.
    run = ran(house, "--report=kept", "--disable-warnings")
    assert run.returncode == 1, run.stdout + run.stderr
    assert "3 passed" in run.stdout
    assert len(error_lines(run)) == 1
    assert (
        f"kept: cannot be written: {reason}; no verdict depends on it; make" in error_lines(run)[0]
    )
    found = verdicts(replayed(house / "kept"))
    assert found["first_holds"] == "held"
    assert not list((house / "kept").rglob("*.unfinished"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_disk_that_was_full_for_a_while_costs_nothing(tmp_path: Path) -> None:
    house = faulty(tmp_path)
    events = "Path('kept/events.jsonl')"
    fault = f"{events}.is_symlink() or ({events}.unlink(), {events}.symlink_to('/dev/full'))"
    run = ran(house, "--report=kept", FAULT=fault)
    assert run.returncode == 0, run.stdout
    assert verdicts(read(house / "kept")) == verdicts(replayed(house / "kept")) == ALL_HELD


def _worker(name: str) -> Any:
    return SimpleNamespace(gateway=SimpleNamespace(id=name))


class _Planned:
    """Stands for a collector that knows the test `known`."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []

    def lost(self, node: str, worker: str, last: Any) -> bool:
        if node == "known":
            self.rows.append((node, worker))
        return node == "known"


def test_a_worker_that_dies_is_told_once() -> None:
    """In the row of its law; without one, in a line of its own."""
    losses, collector = Losses(LastInputs()), _Planned()
    for worker, test in (("gw0", "known"), ("gw1", "other"), ("gw2", "")):
        losses.died(worker)
        if test:
            losses.lost(SimpleNamespace(node=_worker(worker), nodeid=test))
    losses.record(collector)  # pyright: ignore[reportArgumentType]
    assert collector.rows == [("known", "gw0")]
    assert list(losses.told()) == [
        "worker gw1 died in other; rerun with -n 0, which shows the crash",
        "worker gw2 died between two tests; rerun with -n 0, which shows the crash",
    ]
