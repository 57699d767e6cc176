"""Scripts of broken laws, run where this project cannot be imported."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from treelaws.core.failure import Breach, UnexpectedError
from treelaws.reproduce.script import scripts

_SERVER = Path(__file__).with_name("script_server.py")
# A script that needs a name which it does not bind fails with and without the bug.
OUR_FAULT = ("NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError")


class Server:
    """Runs scripts where this project cannot be imported, one process for all of them.

    Args:
        folder: where the scripts are written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def run(self, text: str, mutant: str = "") -> tuple[int, str]:
        """Run a script, with a mutant in the place of its library."""
        path = self.folder / "script.py"
        path.write_text(text)
        if self.process is None:
            self.process = _started()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(path), mutant]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if answer:
            code, output = json.loads(answer)
            return code, output
        # A bug may crash the interpreter, which shows it, too.
        code = self.process.wait()
        self.process = None
        return code, ""

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def _started() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, str(_SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    # A server that does not start would make every script fail, as if each showed its bug.
    assert process.stdout.readline(), f"{_SERVER.name} does not start; its error is above"
    return process


def showing(server: Server, breach: Breach, mutant: str = "", *, runs: int = 1) -> str:
    """Return the first script that shows the bug; fail where none does in so many runs."""
    output = ""
    for text in itertools.chain.from_iterable(scripts(breach) for _ in range(runs)):
        code, output = server.run(text, mutant)
        ours = any(name in output for name in OUR_FAULT if name not in breach.difference)
        if code and not ours and _expected_error(breach) in output:
            return text
    pytest.fail(f"no script shows {breach}\n\n{output}", pytrace=False)


def _expected_error(breach: Breach) -> str:
    # The name that a traceback shows: NumPy gives some errors another `__name__`.
    return type(breach.cause).__qualname__ if isinstance(breach, UnexpectedError) else ""
