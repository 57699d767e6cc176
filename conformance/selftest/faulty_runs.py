"""A folder with three laws that hold, and a fault of the run that comes in the second one."""

from __future__ import annotations

import subprocess
from pathlib import Path

from treelaws.reporting.report import Report

_LAWS = """
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from hypothesis import strategies as st
from hypothesis_pytrees import Recipe
from treelaws import Topic, law_tests
from treelaws.equality import true

law = Topic("house.example", "Example", family="jax")


def case(number):
    return Recipe(statements=(f"number = {number}",), expression="number")


_CASE = st.integers(0, 9).map(case)


@law("the first law holds", source="here", case=_CASE)
def first_holds(lib, case):
    true("BREAK" not in os.environ, case.number, "a number")


@law("the fault comes", source="here", case=_CASE)
def fault_comes(lib, case):
    exec(os.environ.get("FAULT", ""))


@law("the last law holds", source="here", case=_CASE)
def last_holds(lib, case):
    true("BREAK" not in os.environ, case.number, "a number")


TestExample = law_tests(sys.modules[__name__])
"""
ALL_HELD = dict.fromkeys(("fault_comes", "first_holds", "last_holds"), "held")


def faulty(folder: Path, conftest: str = "") -> Path:
    """Write the laws to a folder and return it.

    The environment of a run may hold the statement `FAULT`, which the second law executes in each
    case, and `BREAK`, which breaks the two others.

    Args:
        folder: the folder, which exists.
        conftest: text of its conftest.py.
    """
    (folder / "test_example.py").write_text(_LAWS)
    (folder / "conftest.py").write_text(conftest)
    return folder


def verdicts(report: Report) -> dict[str, str]:
    """Return the verdict of each law by the last part of its id."""
    return {row.law.rpartition(".")[2]: row.verdict for row in report.rows}


def error_lines(run: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the lines of the summary that say why a run fails."""
    return [line for line in run.stdout.splitlines() if line.startswith("error: ")]
