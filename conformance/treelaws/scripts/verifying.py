"""Runs a script where this project cannot be imported, and says whether the bug shows."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import tempfile
from pathlib import Path

from ..failure import Breach
from .writing import scripts

# Put in front of the search for modules, so that nothing of this project or of its tools is found.
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


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How runs of a script ended.

    Args:
        answer: `"reproduces"`, `"does not reproduce"`, or `"flaky (1 of 3)"`.
        output: what the last run printed.
    """

    answer: str
    output: str


def offered(breach: Breach, *, tried: bool = True) -> tuple[str, str]:
    """Write the shortest script that shows a broken law, and say what its run has shown.

    Args:
        breach: the broken law with its input.
        tried: run it, which takes seconds; default `True`.

    Returns:
        The script, and the answer of its `Verdict`.
    """
    text, answer = "", ""
    for text in scripts(breach):
        if not tried:
            return text, "not run"
        if breach.subject.libraries:
            return text, "not run, since the library under test is patched"
        answer = verify(text).answer
        if answer == "reproduces":
            break
    return text, answer


def verify(text: str, *, runs: int = 1, seconds: float = 120.0) -> Verdict:
    """Run a script in fresh interpreters in which this project cannot be imported.

    Args:
        text: the script.
        runs: how often, at least 1; default 1.
        seconds: how long a run may take, in seconds; default 120.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "script.py")
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", _GUARD, str(path)]
        ended = [
            subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=folder)
            for _ in range(runs)
        ]
    shown = sum(run.returncode == 1 for run in ended)
    answers = {0: "does not reproduce", runs: "reproduces"}
    last = ended[-1]
    return Verdict(answers.get(shown, f"flaky ({shown} of {runs})"), last.stdout + last.stderr)
