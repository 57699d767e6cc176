"""Jobs of GitHub workflows, run here: their shell steps, with expressions filled in."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "ci"
DOWNSTREAM, NIGHTLY = DOCS / "downstream.yml", DOCS / "nightly.yml"
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclasses.dataclass(frozen=True)
class Job:
    """A job of a workflow.

    Args:
        path: the workflow.
        name: key of the job.
        values: what expressions mean, by their text, such as `{"matrix.shard": "1"}`.
        environment: variables that are to differ from those of the workflow.
    """

    path: Path
    name: str
    values: Mapping[str, str]
    environment: Mapping[str, str]

    def uploads(self) -> dict[str, str]:
        """Return the path of each artifact that the job keeps, by its name."""
        found = [
            step["with"] for step in self._steps() if "upload-artifact" in step.get("uses", "")
        ]
        return {self._filled(one["name"]): self._filled(one["path"]) for one in found}

    def run(
        self, folder: Path, part: slice = slice(None)
    ) -> list[subprocess.CompletedProcess[str]]:
        """Run the shell steps but those that install, whether one before has failed or not.

        Args:
            folder: the workspace; the summary goes to `summary.md` in it.
            part: which of them; default all.
        """
        steps = [step for step in self._steps() if _is_run_here(step)]
        return [self._run(step, folder) for step in steps[part]]

    def _steps(self) -> list[dict[str, Any]]:
        return workflow(self.path)["jobs"][self.name]["steps"]

    def _run(self, step: Mapping[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
        told = workflow(self.path).get("env", {}) | dict(self.environment)
        # The names that GitHub sets are not the workflow's to change.
        set_here = {
            "GITHUB_WORKSPACE": str(folder),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join(
                map(str, (ROOT / "strategies", ROOT / "conformance", folder))
            ),
        }
        filled = {name: self._filled(value) for name, value in told.items()}
        # The run that tests may have workers and options, which are not those of the job.
        inherited = {name: at for name, at in os.environ.items() if not name.startswith("PYTEST_")}
        return subprocess.run(
            # How GitHub starts `shell: bash`.
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self._filled(step["run"])],
            cwd=folder / step.get("working-directory", "."),
            env={**inherited, **filled, **set_here},
            capture_output=True,
            text=True,
        )

    def _filled(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self.values[found[1]], text)


def _is_run_here(step: Mapping[str, Any]) -> bool:
    return "run" in step and "pip install" not in step["run"]


def workflow(path: Path) -> dict[str, Any]:
    """Read a workflow."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def environments() -> list[dict[str, str]]:
    """Return the environments in which the recipe for a library runs, the oldest first."""
    return workflow(DOWNSTREAM)["jobs"]["laws"]["strategy"]["matrix"]["include"]


def used_actions(path: Path) -> Iterator[str]:
    """Give each action that a workflow uses, with its version."""
    for job in workflow(path)["jobs"].values():
        yield from (step["uses"] for step in job["steps"] if "uses" in step)


def commands(path: Path) -> Iterator[list[str]]:
    """Return the words of each command of the shell steps of a workflow."""
    for job in workflow(path)["jobs"].values():
        for step in job["steps"]:
            # The words of an expression are one word to the shell.
            text = _EXPRESSION.sub("1", step.get("run", ""))
            for line in text.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                yield [word for word in words if word]
