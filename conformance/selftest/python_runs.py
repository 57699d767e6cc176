"""`python -m` in a process and a folder of its own, started where libraries are imported."""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .forked_scripts import run_in_a_fork

_SERVER = Path(__file__).with_name("python_server.py")
_ROOT = Path(__file__).resolve().parents[2]
_SUITE = os.pathsep.join(str(_ROOT / name) for name in ("strategies", "conformance"))
# Python and the libraries read these when they start, which the server has done.
_READ_AT_START = ("PYTHON", "JAX_", "XLA_", "EQX_", "FLAX_", "JAXTYPING_")


def run_python(
    arguments: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    fresh: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder and return what it printed.

    Args:
        arguments: words after `python`.
        cwd: the folder.
        environment: all its variables; default those of this process.
        fresh: whether it imports the libraries itself, which takes seconds; default `False`.
            Always so for other words than `-m MODULE` and other variables that a start reads.
    """
    environment = dict(os.environ if environment is None else environment)
    if fresh or arguments[0] != "-m" or _start_of(environment) != _start_of(os.environ):
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    with tempfile.TemporaryDirectory() as folder:
        out, err = (Path(folder, name) for name in ("out", "err"))
        job = {
            "module": arguments[1],
            "arguments": list(arguments[2:]),
            "cwd": str(Path(cwd).resolve()),
            "environment": environment,
            "stdout": str(out),
            "stderr": str(err),
        }
        code = _answer(job)
        command = [sys.executable, *arguments]
        return subprocess.CompletedProcess(command, code, out.read_text(), err.read_text())


def _start_of(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_READ_AT_START) and name != "PYTHONPATH"
    }


def run_script_command(
    command: Sequence[str], *, cwd: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run a script of a broken law where the libraries are imported, as `verifying.run_command`."""
    return run_in_a_fork(_server().scripts, command, cwd=cwd, timeout=timeout)


class _Server(NamedTuple):
    process: subprocess.Popen[str]
    scripts: Path


def _answer(job: Mapping[str, object]) -> int:
    process = _server().process
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps(job), file=process.stdin, flush=True)
    return json.loads(process.stdout.readline())


@functools.cache
def _server() -> _Server:
    variables = {**os.environ, "PYTHONPATH": _SUITE}
    folder = tempfile.mkdtemp()
    process = subprocess.Popen(
        [sys.executable, str(_SERVER), folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=variables,
    )
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(process.kill)
    assert process.stdout is not None
    ready = process.stdout.readline()
    assert ready, f"{_SERVER.name} does not start; its error is above"
    return _Server(process, Path(json.loads(ready)))
