"""Runs checks in child processes, so that a crash or a hang becomes a result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from .results import Result, problem, reason

_BEGIN, _END = "begin", "end"
Check = Callable[[], Iterable[Result]]


class Child:
    """A process that runs checks.

    Args:
        about: name of the checks, for a crash before the first one.
        module: module to run with `python -m`.
        arguments: its arguments.
    """

    def __init__(self, about: str, module: str, arguments: Sequence[str] = ()) -> None:
        self._about = about
        # A file, because a full pipe would block the child; deleted with this object.
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            errors="replace",
        )

    def results(self, seconds: float) -> Iterator[Result]:
        """Yield its results, and a problem if it crashed or timed out.

        Args:
            seconds: how long to wait for it.
        """
        try:
            told, _ = self._process.communicate(timeout=seconds)
            end = ""
        except subprocess.TimeoutExpired:
            self._process.kill()
            told, _ = self._process.communicate()
            end = f"took longer than {seconds:g} s"
        step = self._about
        for line in told.splitlines():
            try:
                name, *content = json.loads(line)
            except ValueError:
                continue
            if name == _BEGIN:
                step = content[0]
            elif name == _END:
                return
            else:
                yield Result(name, *content)
        yield problem(step, end or self._died())

    def _died(self) -> str:
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors if line.strip()]
        code = self._process.returncode
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"Python ended with {how}: {lines[-1]}" if lines else f"Python ended with {how}"


def make(checks: Mapping[str, Check]) -> None:
    """In the child: run checks and send their results.

    Args:
        checks: functions by name.
    """
    # Libraries print to stdout, so results go to a copy of it that only this function has.
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        for name, check in checks.items():
            print(json.dumps([_BEGIN, name]), file=out, flush=True)
            try:
                for found in check():
                    line = json.dumps([found.level, found.about, found.message])
                    print(line, file=out, flush=True)
            except Exception as raised:
                found = problem(name, reason(raised))
                print(json.dumps([found.level, name, found.message]), file=out, flush=True)
        print(json.dumps([_END]), file=out, flush=True)
