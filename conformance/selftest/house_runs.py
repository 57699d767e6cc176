"""Runs of pytest, and of the command line, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def ran(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder with the plugin and few examples.

    Args:
        folder: where it starts.
        arguments: of pytest.
        more: further variables of the environment.
    """
    plugins = ["-p", "no:cacheprovider", "-p", "treelaws.plugin", "--laws-profile", "quick"]
    return _python(folder, ["-m", "pytest", *plugins, *arguments], more)


def told(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m treelaws` in a folder."""
    return _python(folder, ["-m", "treelaws", *arguments], {})


def _python(
    folder: Path, arguments: list[str], more: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance")])
    # Beside the run that tests, a summary of a job would be its own.
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **more}
    environment.pop("GITHUB_STEP_SUMMARY", None)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
