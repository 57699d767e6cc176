"""pytest and the command line as users run them: in processes and folders of their own."""

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
    plugins = ["-p", "no:cacheprovider", "-p", "treelaws.plugin"]
    return _python(cwd, ["-m", "pytest", *plugins, *arguments], more)


def ran(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder with few examples."""
    return run_pytest("--laws-profile", "quick", *arguments, cwd=folder, **more)


def told(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m treelaws` in a folder."""
    return _python(folder, ["-m", "treelaws", *arguments], {})


def errors(run: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the lines of its standard error that say something."""
    return [line for line in run.stderr.splitlines() if line.strip()]


def _python(
    folder: Path, arguments: list[str], more: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (ROOT / "strategies", ROOT / "conformance", folder)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **more}
    if "GITHUB_STEP_SUMMARY" not in more:
        # Beside the run that tests, a summary of a job would be its own.
        environment.pop("GITHUB_STEP_SUMMARY", None)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
