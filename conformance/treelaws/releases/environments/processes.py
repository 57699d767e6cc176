"""Programs that are run for a limited time."""

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
    """How a run ended.

    Args:
        code: exit code; `None` where it was stopped after its time, or could not start.
        out: what it printed.
        err: what it printed to the error stream.
        seconds: how long it took.
    """

    code: int | None
    out: str
    err: str
    seconds: float = 0.0

    @property
    def reason(self) -> str:
        """The last line that it printed, for runs that went wrong."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1].strip() if lines else f"ended with code {self.code} and said nothing"


def run(
    command: Sequence[str], timeout: float, variables: Mapping[str, str], folder: Path
) -> Ended:
    """Run a program, and stop it with all that it started when its time is over.

    Args:
        command: the program and its arguments.
        timeout: seconds that it may take.
        variables: its environment variables.
        folder: where it runs.
    """
    began = time.monotonic()
    pipe = subprocess.PIPE
    try:
        # A session of its own, so that workers and scripts that it started end with it.
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
    # It may have ended by itself meanwhile.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
