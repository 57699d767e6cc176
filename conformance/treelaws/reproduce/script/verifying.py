"""Runs a script in an interpreter without this project, and checks that it shows the bug."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from treelaws.compat import devices
from treelaws.core.failure import Breach, DidNotEnd

from .minimising import minimal
from .writing import scripts

# Import hook that blocks this project and its tools.
_GUARD = """\
import sys


class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("treelaws", "hypothesis_pytrees", "hypothesis", "pytest"):
            raise ImportError(f"a script must not import {name}")


sys.meta_path.insert(0, Guard())
sys.path[:] = [p for p in sys.path if p]
import runpy

runpy.run_path(sys.argv[1], run_name="__main__")
"""
_HIDDEN = "does not reproduce"
# Number of runs of a script that did not show the bug in the first one.
_RUNS = 3


@dataclasses.dataclass(frozen=True)
class ScriptRun:
    """The result of running a script.

    Args:
        answer: `"reproduces"`, `"does not reproduce"`, or `"flaky (1 of 3)"`.
        output: output of the last run.
    """

    answer: str
    output: str


@dataclasses.dataclass(frozen=True)
class Offer:
    """The script that shows a broken law.

    Args:
        breach: the broken law, with the input of the script.
        script: the script.
        answer: the answer of its `ScriptRun`, or why it was not run.
    """

    breach: Breach
    script: str
    answer: str


def offer(breach: Breach, *, run_script: bool = True, title: str = "") -> Offer:
    """Return the shortest script that shows a broken law, and the result of its run.

    Args:
        breach: the broken law with its input.
        run_script: shrink the input and run the script, which takes seconds; default `True`.
        title: the first line of the script, which then does not name the law.

    Returns:
        The script of the smallest input, or of the given input if only that shows the bug.
    """
    if isinstance(breach, DidNotEnd):
        return Offer(breach, next(scripts(breach, title)), "not run, since it does not end")
    if not run_script:
        return Offer(breach, next(scripts(breach, title)), "not run")
    smaller = minimal(breach)
    found = _offer(smaller, title)
    return _offer(breach, title) if found.answer == _HIDDEN and smaller is not breach else found


def _offer(breach: Breach, title: str) -> Offer:
    text, answer = "", ""
    for text in scripts(breach, title):
        if breach.subject.libraries:
            return Offer(breach, text, "not run, since the library under test is patched")
        answer = verify(text).answer
        if answer == "reproduces":
            return Offer(breach, text, answer)
    # A flaky bug is not a defect of the script.
    return Offer(breach, text, verify(text, runs=_RUNS).answer if answer == _HIDDEN else answer)


def verify(text: str, *, runs: int = 1, seconds: float = 120.0) -> ScriptRun:
    """Run a script in fresh interpreters in which this project cannot be imported.

    Args:
        text: the script.
        runs: number of runs, at least 1; default 1.
        seconds: time limit of a run; default 120.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "script.py")
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", _GUARD, str(path)]
        try:
            ended = [run_command(command, cwd=folder, timeout=seconds) for _ in range(runs)]
        except subprocess.TimeoutExpired:
            return ScriptRun(f"did not end within {seconds:g} s", "")
    shown = sum(run.returncode == 1 for run in ended)
    answers = {0: _HIDDEN, runs: "reproduces"}
    last = ended[-1]
    return ScriptRun(answers.get(shown, f"flaky ({shown} of {runs})"), last.stdout + last.stderr)


def run_command(
    command: Sequence[str], *, cwd: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, and return what it prints.

    Raises:
        subprocess.TimeoutExpired: it takes longer than the time limit, in seconds.
    """
    # A script that needs several devices asks for them itself.
    environment = devices.unasked(os.environ)
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, cwd=cwd, env=environment
    )
