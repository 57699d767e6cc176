"""Every broken law becomes a script that fails with the fault and passes without it."""

from __future__ import annotations

import statistics
from typing import Any

import jax.tree_util as jtu
import pytest

import treelaws
from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.search import run
from treelaws.laws import law_named
from treelaws.reproduce.finding_script import first_of, script_for_report
from treelaws.reproduce.script import offer, scripts, verify
from treelaws.subjects.registry import subject as subject_named

from .script_runs import OUR_FAULT, Server, showing

_DEPARTURES = {
    found.name: found
    for found in known.departures()
    if found.applies and not subject_named(found.subject).absent
}
_FINDINGS = {
    found.id: found
    for found in known.findings()
    if found.applies and not subject_named(first_of(found).subject).absent
}
_MOST_LINES = 40
# What shows in one run of two is missed by so many in one of a million.
_RUNS_OF_A_RACE = 20
# Of departures whose script this process has made.
_lines_of_scripts: dict[str, int] = {}


def _breach(departure: known.Departure) -> Breach:
    runs = (_broken(departure) for _ in range(_RUNS_OF_A_RACE if departure.race else 1))
    if breach := next(filter(None, runs), None):
        return breach
    if departure.race:
        pytest.skip(f"it shows only where {departure.race}")
    pytest.fail(f"{departure.law} holds on the witness")


def _broken(departure: known.Departure) -> Breach | None:
    try:
        run(law_named(departure.law), subject_named(departure.subject), departure.recipe)
    except Breach as breach:
        return breach
    return None


@pytest.mark.sweep
@pytest.mark.parametrize("departure", _DEPARTURES)
def test_a_known_departure_gives_a_script(departure: str, server: Server) -> None:
    breach = _breach(_DEPARTURES[departure])
    _lines_of_scripts[departure] = _lines(breach)
    showing(server, breach, runs=_RUNS_OF_A_RACE if _DEPARTURES[departure].race else 1)


@pytest.mark.sweep
@pytest.mark.parametrize("id", _FINDINGS)
def test_the_script_of_a_finding_shows_it(id: str, server: Server) -> None:
    departure = first_of(_FINDINGS[id])
    text = script_for_report(departure, _breach(departure))
    code, output = server.run(text)
    for _ in range(_RUNS_OF_A_RACE if departure.race and not code else 0):
        code, output = (code, output) if code else server.run(text)
    if departure.race and not code:
        pytest.skip(f"it shows only where {departure.race}")
    assert code, output
    assert not any(name in output for name in OUR_FAULT), output


def test_scripts_written_by_hand_are_short() -> None:
    long = {id: found.script for id, found in _FINDINGS.items() if found.script.count("\n") > 26}
    assert long == {}


@pytest.mark.sweep
def test_scripts_are_short() -> None:
    certain = [name for name, found in _DEPARTURES.items() if not found.race]
    # Making all of them takes a minute: those that this process has made, and some more.
    for name in certain[::8]:
        if name not in _lines_of_scripts:
            _lines_of_scripts[name] = _lines(_breach(_DEPARTURES[name]))
    lines = [_lines_of_scripts[name] for name in certain if name in _lines_of_scripts]
    assert statistics.median(lines) <= _MOST_LINES


def _lines(breach: Breach) -> int:
    """Return how many lines the first script has below its docstring."""
    return len(next(scripts(breach)).split('"""', 2)[2].strip().splitlines())


@jtu.register_pytree_node_class
class ManyPlaces:
    """Its aux data prints long, and a part of it is compared by identity."""

    def __init__(self) -> None:
        self.aux = (*range(200), ObjectByIdentity())

    def tree_flatten(self) -> Any:
        return (), self.aux

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.aux = aux
        return made


class ObjectByIdentity:
    """An object without `__eq__`."""


def make_many_places() -> ManyPlaces:
    return ManyPlaces()


def test_treedefs_that_print_long_have_a_short_script() -> None:
    law = "node.aux.equal_builds_have_equal_treedefs"
    (record,) = treelaws.check(make_many_places, laws=law, mixed=False, on_broken="return")
    assert record.verdict == "broken"
    assert len(record.script.splitlines()) <= 2 * _MOST_LINES
    found = verify(record.script)
    assert found.answer == "reproduces"
    assert "expected PyTreeDef" in found.output
    assert "Traceback" not in found.output


@pytest.mark.usefixtures("fresh_interpreters")
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


@pytest.mark.usefixtures("fresh_interpreters")
def test_a_script_that_does_not_end_is_stopped() -> None:
    assert verify("import time; time.sleep(9)", seconds=0.5).answer == "did not end within 0.5 s"


def test_in_a_fork_a_script_has_the_answers_of_a_fresh_interpreter() -> None:
    assert verify("raise SystemExit(1)").answer == "reproduces"
    assert "must not import" in verify("import treelaws").output
    assert verify("import os; os.abort()").answer == "does not reproduce"
    assert verify("import time; time.sleep(9)", seconds=0.5).answer == "did not end within 0.5 s"
