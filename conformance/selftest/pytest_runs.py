"""pytest as users run it: in a process of its own, in a folder of theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USAGE_ERROR = 4


def run_pytest(*arguments: str, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the suite and the folder on its path.

    Args:
        arguments: words of the command line.
        cwd: where it runs; default the clone.
        more: variables of the environment.
    """
    path = os.pathsep.join(map(str, (ROOT / "strategies", ROOT / "conformance", cwd)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **more}
    start = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "treelaws.plugin"]
    command = [*start, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def errors(run: subprocess.CompletedProcess[str]) -> list[str]:
    """Give the lines of its standard error that say something."""
    return [line for line in run.stderr.splitlines() if line.strip()]
