"""Runs programs with a time limit."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Ended:
    """The result of a run.

    Args:
        code: exit code; `None` if it was stopped after its time, or could not start.
        out: its standard output.
        err: its standard error.
        seconds: its duration.
    """

    code: int | None
    out: str
    err: str
    seconds: float = 0.0

    @property
    def reason(self) -> str:
        """The last line of its output, for failed runs."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1].strip() if lines else f"ended with code {self.code} and said nothing"


def run(
    command: Sequence[str], timeout: float, variables: Mapping[str, str], folder: Path
) -> Ended:
    """Run a program, and stop it with its child processes when its time is over.

    Args:
        command: the program and its arguments.
        timeout: time limit in seconds.
        variables: its environment variables.
        folder: working directory.
    """
    began = time.monotonic()
    pipe = subprocess.PIPE
    try:
        # In its own session, so that its child processes end with it.
        process = subprocess.Popen(
            command,
            stdout=pipe,
            stderr=pipe,
            encoding="utf-8",
            errors="replace",
            env=variables,
            cwd=folder,
            start_new_session=True,
        )
    except OSError as raised:
        return Ended(None, "", f"{command[0]} cannot be started: {raised.strerror}")
    with process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _stop(process)
            out, _ = process.communicate()
            late = f"stopped after {timeout:g} seconds"
            return Ended(None, out, late, time.monotonic() - began)
        except BaseException:
            _stop(process)
            raise
    return Ended(process.returncode, out, err, time.monotonic() - began)


def _stop(process: subprocess.Popen[str]) -> None:
    if not hasattr(os, "killpg"):
        process.kill()
        return
    # It may have ended meanwhile.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
