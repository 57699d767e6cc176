"""pytest and the command line as users run them: in processes and folders of their own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .python_runs import run_python

ROOT = Path(__file__).resolve().parents[2]
USAGE_ERROR = 4


def run_pytest(
    *arguments: str, cwd: Path = ROOT, fresh: bool = False, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest with the suite and the folder on its path.

    Args:
        arguments: words of the command line.
        cwd: where it runs; default the clone.
        fresh: whether it imports the libraries itself; default `False`.
        more: variables of the environment.
    """
    plugins = ["-p", "no:cacheprovider", "-p", "treelaws.plugin"]
    return _python(cwd, ["-m", "pytest", *plugins, *arguments], more, fresh=fresh)


def ran(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder with few examples."""
    return run_pytest("--laws-profile", "quick", *arguments, cwd=folder, fresh=False, **more)


def told(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m treelaws` in a folder."""
    return _python(folder, ["-m", "treelaws", *arguments], {})


def errors(run: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the lines of its standard error that say something."""
    return [line for line in run.stderr.splitlines() if line.strip()]


def _python(
    folder: Path, arguments: list[str], more: dict[str, str], *, fresh: bool = False
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (ROOT / "strategies", ROOT / "conformance", folder)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **more}
    if "GITHUB_STEP_SUMMARY" not in more:
        # Beside the run that tests, a summary of a job would be its own.
        environment.pop("GITHUB_STEP_SUMMARY", None)
    return run_python(arguments, cwd=folder, environment=environment, fresh=fresh)
