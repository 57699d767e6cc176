"""`--max-time`: what is not run says so, what is under way stops, what is left is used."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from treelaws.core.examples.profiles import BOUNDS
from treelaws.pytest_plugin.time import clock, needs
from treelaws.pytest_plugin.time.order import in_order
from treelaws.reporting.report import Report, read
from treelaws.reporting.rows import Row, worst

from .pytest_runs import run_pytest
from .report_examples import SCHEMA

_LAWS = """
import os
import sys
from hypothesis_pytrees import trees
from hypothesis_pytrees import cases
from treelaws import Topic, law_tests
from treelaws.pytest_plugin.time import clock
from treelaws.equality import true

law = Topic("house.example", "Example", family="jax")
_CASE = cases(tree=trees(max_leaves=4))
calls = []


def test_of_something_else():
    pass


@law("the first cases hold", source="here", case=_CASE)
def first_cases_hold(lib, case):
    calls.append(case)
    if "CLOCK" in os.environ and len(calls) == 5:
        clock.start(0.0, os.environ["CLOCK"])
    if "CRASH" in os.environ and len(calls) > 40:
        os._exit(3)
    true(len(calls) <= 40, len(calls), "at most 40")


@law("this is observed", source="here", case=_CASE, level="observed")
def another_is_observed(lib, case):
    true(True, 0, "")


TestExample = law_tests(sys.modules[__name__])


def test_of_something_else_behind_it():
    pass
"""
_ENOUGH = "600"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a folder with a law that breaks on its 41st case, and one that fails nothing."""
    (tmp_path / "test_example.py").write_text(_LAWS)
    return tmp_path


def _verdicts(report: Report) -> dict[str, str]:
    return {row.law.rpartition(".")[2]: row.verdict for row in report.rows}


@pytest.mark.parametrize("text", ["0", "-1", "x", "", "nan", "inf", "1 s", "0x10"])
def test_what_is_no_number_of_seconds_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match="is not a number of seconds above 0; write for example 60"
    ):
        clock.seconds(text)


@pytest.mark.parametrize(("text", "wanted"), [("60", 60.0), ("0.5", 0.5), ("1e3", 1000.0)])
def test_numbers_of_seconds_are_read(text: str, wanted: float) -> None:
    assert clock.seconds(text) == wanted


@pytest.mark.parametrize("processes", ["0", "2"])
def test_laws_without_time_are_not_run_and_say_so(house: Path, processes: str) -> None:
    run = run_pytest("--max-time", "0.001", "-n", processes, "-rs", "--report", "kept", cwd=house)
    report = read(house / "kept")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "2 passed, 2 skipped" in run.stdout
    assert "not run: --max-time 0.001 was spent" in run.stdout
    assert "--max-time 0.001 was spent: 2 law tests did not run" in run.stdout
    assert set(_verdicts(report).values()) == {"not run"}
    assert {row.reason for row in report.rows} == {"--max-time 0.001 was spent"}
    assert not report.complete
    jsonschema.validate(report.content(), json.loads(SCHEMA.read_text()))
    for name in ("report.md", "report.html"):
        assert "not run" in (house / "kept" / name).read_text()


def test_a_law_that_is_under_way_stops_and_keeps_what_it_held_on(house: Path) -> None:
    arguments = ("--max-time", _ENOUGH, "-k", "first_cases_hold", "--report", "kept")
    run = run_pytest(*arguments, cwd=house, CLOCK=_ENOUGH)
    (row,) = read(house / "kept").rows
    assert run.returncode == 0, run.stdout + run.stderr
    assert (row.verdict, row.examples) == ("held", 5)
    assert row.reason == "--max-time 600 was spent after 5 cases"


@pytest.mark.parametrize("processes", ["0", "2"])
def test_time_that_is_left_finds_what_the_tests_did_not(house: Path, processes: str) -> None:
    arguments = ("--laws-profile", "quick", "--report", "kept", "-n", processes)
    run = run_pytest("--max-time", _ENOUGH, *arguments, cwd=house)
    report = read(house / "kept")
    assert run.returncode == 1, run.stdout + run.stderr
    assert _verdicts(report) == {"first_cases_hold": "broken", "another_is_observed": "held"}
    broken = next(row for row in report.rows if row.verdict == "broken")
    assert broken.examples >= 40
    assert "house.example.first_cases_hold is broken for jax" in run.stdout
    assert "standalone script:" in run.stdout
    assert len(list((house / "kept" / "witnesses").iterdir())) == 2
    assert "1 failed, 4 passed" in run.stdout
    # The next run begins with what was found.
    assert list((house / ".hypothesis" / "examples").iterdir())


def test_what_fails_nothing_gets_no_time_that_is_left(house: Path) -> None:
    arguments = ("--laws-profile", "quick", "-k", "another_is_observed", "--report", "kept")
    run = run_pytest("--max-time", _ENOUGH, *arguments, cwd=house)
    (row,) = read(house / "kept").rows
    assert run.returncode == 0, run.stdout + run.stderr
    assert row.examples == BOUNDS["quick"].most


def test_a_worker_that_dies_in_the_time_that_is_left_fails_the_run(house: Path) -> None:
    arguments = ("--laws-profile", "quick", "--report", "kept", "-n", "2")
    run = run_pytest("--max-time", _ENOUGH, *arguments, cwd=house, CRASH="1")
    assert run.returncode == 1, run.stdout + run.stderr
    assert "crashed while it ran more examples of test_example.py" in run.stdout
    assert _verdicts(read(house / "kept"))["first_cases_hold"] == "error"


def test_each_law_comes_once_before_any_comes_again() -> None:
    laws = ("a.one", "a.two", "b.one")
    subjects = ("list", "dict", "tuple")
    places = [(law, subject, "") for law in laws for subject in subjects]
    places.append(("a.one", "list", "departs"))
    levels = {"a.one": "should", "a.two": "must", "b.one": "must"}
    found = [places[index] for index in in_order(places, levels)]
    assert sorted(found) == sorted(places)
    assert found[:4] == [
        # What must hold first, then the first law of each topic; each with another subject.
        ("b.one", "tuple", ""),
        ("a.two", "dict", ""),
        ("a.one", "list", ""),
        ("a.one", "list", "departs"),
    ]
    assert len({law for law, _, _ in found[4:7]}) == 3


def test_time_goes_where_most_is_new_in_a_second() -> None:
    rare, common, slow = (("law", name) for name in ("rare", "common", "slow"))
    for pair, cases in ((rare, 1), (common, 2), (slow, 1)):
        for _ in range(cases):
            needs.note(pair, {"leaf:int", "module"})
    for pair, seconds in ((rare, 1.0), (common, 1.0), (slow, 10.0)):
        needs.spend(pair, seconds)
    assert needs.neediest([common, slow, rare]) == rare
    needs.spend(rare, 100.0)
    assert needs.neediest([common, slow, rare]) == common
    needs.spend(common, 100.0)
    assert needs.neediest([common, slow, rare]) == slow


def test_of_equal_verdicts_the_longer_one_stands() -> None:
    rows = [Row("a.law", "jax", "held", examples=number) for number in (15, 40, 30)]
    assert [row.examples for row in worst(rows)] == [40]
