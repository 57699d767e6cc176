"""Scripts of broken laws, run in processes that are forked where the libraries are imported.

`verify` starts an interpreter for each script, which imports JAX, Equinox and Flax for seconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from treelaws.compat import devices

# A fresh interpreter has not imported them.
_HIDDEN = (
    "treelaws",
    "hypothesis_pytrees",
    "hypothesis",
    "pytest",
    "_pytest",
    "forked_scripts",
    "forked_workers",
)
# Seconds between two looks at whether a script has ended.
_TICK = 0.005


def serve_in_a_fork(folder: Path, paths: Sequence[str]) -> Path:
    """Fork a process that runs scripts, and return the socket on which it takes them.

    Args:
        folder: where the socket is made.
        paths: `sys.path` of a fresh interpreter.
    """
    path = folder / "scripts"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()
    parent = os.getpid()
    if not _fork():
        _serve(listening, parent, paths)
    listening.close()
    return path


def _serve(listening: socket.socket, parent: int, paths: Sequence[str]) -> None:
    listening.settimeout(1)
    while os.getppid() == parent:
        with contextlib.suppress(TimeoutError):
            asked, _ = listening.accept()
            with asked, asked.makefile("r") as text:
                job = json.loads(text.readline())
                child = _fork()
                if not child:
                    _run(job, paths)
                asked.sendall(json.dumps(_ended(child, job["seconds"])).encode() + b"\n")
    os._exit(0)


def _ended(child: int, seconds: float) -> int | None:
    """Return the exit code of a child, which is killed after some seconds; then `None`."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_TICK)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run(job: Mapping[str, Any], paths: Sequence[str]) -> None:
    """Do what `python -c TEXT ARGUMENTS` does, in the place of this process."""
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["environment"])
    for number, file in enumerate((os.devnull, job["stdout"], job["stderr"])):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    for name in [one for one in sys.modules if one.partition(".")[0] in _HIDDEN]:
        del sys.modules[name]
    sys.path[:] = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), *paths]
    sys.argv = ["-c", *job["arguments"]]
    code = 0
    try:
        exec(compile(job["text"], "<string>", "exec", dont_inherit=True), {"__name__": "__main__"})
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run_in_a_fork(
    scripts: Path, command: Sequence[str], *, cwd: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `python -c TEXT ARGUMENTS` in a fork of the process that serves scripts.

    Args:
        scripts: its socket.
        command: the words of the command.
        cwd: the folder to run in.
        timeout: time limit in seconds.

    Raises:
        subprocess.TimeoutExpired: it takes longer.
    """
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        out, err = (Path(folder, name) for name in ("out", "err"))
        server.connect(str(scripts))
        job = {
            "text": command[2],
            "arguments": list(command[3:]),
            "cwd": cwd,
            "environment": devices.unasked(os.environ),
            "stdout": str(out),
            "stderr": str(err),
            "seconds": timeout,
        }
        server.sendall(json.dumps(job).encode() + b"\n")
        with server.makefile("r") as answer:
            code = json.loads(answer.readline())
        if code is None:
            raise subprocess.TimeoutExpired(list(command), timeout)
        return subprocess.CompletedProcess(command, code, out.read_text(), err.read_text())


def _fork() -> int:
    with warnings.catch_warnings():
        # JAX warns of threads, of which it has none before its first computation.
        warnings.simplefilter("ignore")
        return os.fork()
