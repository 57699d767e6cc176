"""Every broken law becomes a script that fails with the fault and passes without it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from treelaws.core.departures import known
from treelaws.core.failure import Breach, UnexpectedError
from treelaws.core.search import run, search
from treelaws.laws import law_named
from treelaws.reproduce.script import minimal, offer, scripts, verify
from treelaws.reproduce.witness import witness_of
from treelaws.subjects.registry import subject as subject_named

from .mutant import load, obstacle

_SERVER = f"{__package__}.script_server"
_MUTANTS = load()
_PAIRS = [
    pytest.param(name, law, id=f"{name}-{law}")
    for name, mutant in _MUTANTS.items()
    for law in mutant.kills
]
_DEPARTURES = {
    found.name: found
    for found in known.departures()
    if found.applies and not subject_named(found.subject).absent
}
# A script that needs a name which it does not bind fails with and without the bug.
_OUR_FAULT = ("NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError")
_MOST_LINES = 40


class _Server:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def run(self, text: str, mutant: str = "") -> tuple[int, str]:
        """Run a script, with a mutant in the place of its library."""
        path = self.folder / "script.py"
        path.write_text(text)
        if self.process is None:
            path_of_modules = os.pathsep.join(filter(None, sys.path))
            self.process = subprocess.Popen(
                [sys.executable, "-m", _SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "PYTHONPATH": path_of_modules},
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(path), mutant]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if answer:
            code, output = json.loads(answer)
            return code, output
        # A bug may take the interpreter down, which is no pass.
        code = self.process.wait()
        self.process = None
        return code, ""

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Server]:
    """Give what runs scripts without this project."""
    found = _Server(tmp_path_factory.mktemp("scripts"))
    yield found
    found.close()


def _breach(departure: known.Departure) -> Breach:
    with pytest.raises(Breach) as caught:
        run(law_named(departure.law), subject_named(departure.subject), departure.recipe)
    return caught.value


def _showing(server: _Server, breach: Breach, mutant: str = "") -> str:
    """Give the first script that shows the bug; fail where none does."""
    output = ""
    for text in scripts(breach):
        code, output = server.run(text, mutant)
        ours = any(name in output for name in _OUR_FAULT if name not in breach.difference)
        if code and not ours and _expected_error(breach) in output:
            return text
    pytest.fail(f"no script shows {breach}\n\n{output}", pytrace=False)


def _expected_error(breach: Breach) -> str:
    return type(breach.cause).__name__ if isinstance(breach, UnexpectedError) else ""


@pytest.mark.parametrize("departure", _DEPARTURES)
def test_a_known_departure_gives_a_script(departure: str, server: _Server) -> None:
    _showing(server, _breach(_DEPARTURES[departure]))


@pytest.mark.parametrize(("mutant", "law"), _PAIRS)
def test_a_mutant_gives_a_script_that_the_real_library_passes(
    mutant: str, law: str, server: _Server
) -> None:
    found, subject = law_named(law), _MUTANTS[mutant].subject
    if reason := obstacle(_MUTANTS[mutant], found):
        pytest.skip(reason)
    breach = search(found, subject)
    assert breach is not None
    smallest = minimal(breach)
    assert witness_of(smallest).key == witness_of(breach).key
    text = _showing(server, smallest, mutant)
    # The real library may break a law that only observes; a node mutant is in the script itself.
    if subject.libraries and found.level != "observed":
        code, output = server.run(text)
        assert code == 0, f"{output}\n\n{text}"


def test_scripts_are_short() -> None:
    texts = [next(scripts(_breach(departure))) for departure in _DEPARTURES.values()]
    bodies = [text.split('"""', 2)[2].strip() for text in texts]
    assert statistics.median(len(body.splitlines()) for body in bodies) <= _MOST_LINES


def test_a_script_is_run_in_a_fresh_interpreter_before_it_is_offered() -> None:
    breach = _breach(_DEPARTURES["partial_takes_func_and_klass_for_itself"])
    found = offer(breach)
    assert found.answer == "reproduces"
    assert offer(breach, run_script=False).answer == "not run"
    assert verify(found.script).answer == "reproduces"
    assert verify("print('fine')").answer == "does not reproduce"
    assert "must not import" in verify("import treelaws").output


def test_a_script_that_shows_the_bug_now_and_then_is_called_flaky() -> None:
    text = "import os, sys\npath = 'seen'\nif os.path.exists(path): sys.exit(1)\nopen(path, 'w')"
    assert verify(text, runs=3).answer == "flaky (2 of 3)"


def test_a_script_that_does_not_end_is_stopped() -> None:
    assert verify("import time; time.sleep(9)", seconds=0.5).answer == "did not end within 0.5 s"
