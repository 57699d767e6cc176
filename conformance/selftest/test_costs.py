"""Costs: where they come from, and how many examples a law gets for them."""

from __future__ import annotations

import dataclasses
import math
from collections import namedtuple
from pathlib import Path

import pytest

from treelaws.core.examples import costs
from treelaws.core.examples.costs import Costs
from treelaws.core.examples.profiles import BOUNDS, examples_of
from treelaws.laws import all_laws, law_named
from treelaws.reporting.costs import measured
from treelaws.reporting.rows import Row
from treelaws.subjects.user import subject_of

from . import report_examples
from .pytest_runs import told

_Point = namedtuple("_Point", "x y")
_ROWS = [
    *(Row("a.law", name, "held", examples=2, seconds=0.2) for name in ("list", "dict", "tuple")),
    Row("a.law", "Box", "held", examples=2, seconds=3.0),
    Row("a.law", "None", "skipped"),
    Row("b.law", "None", "held", examples=5, seconds=0.5),
    Row("a.law", "not_installed", "skipped"),
    Row("a.law", "list", "known", "a_departure", seconds=0.001),
    Row("c.law", "list", "not run"),
]


def test_a_law_that_was_not_measured_takes_the_median() -> None:
    cases = {"a": 10, "b": 30, "c": 50}
    known = Costs(cases, {"a": {"list": 99}}, replays={"old": 7}, replay=4)
    assert known.of(("a", "list", ""), 2) == 198
    assert known.of(("a", "dict", ""), 2) == 20
    assert known.of(("new", "dict", ""), 2) == 60
    assert known.of(("new", "dict", "old"), 2) == 7
    assert known.of(("a", "list", "another"), 2) == 4
    assert Costs().of(("new", "dict", ""), 1) == 1


def test_a_law_gets_as_many_cases_as_take_the_time() -> None:
    known = Costs({"a": 1000, "b": 1000}, rows={"b": 4})
    assert known.share("a", 0.5, alone=False) == 500
    assert known.share("b", 0.5, alone=False) == 250
    assert known.share("b", 0.5, alone=True) == 500
    assert known.share("new", 0.5, alone=False) == math.inf


def test_costs_are_taken_from_a_report(tmp_path: Path) -> None:
    report_examples.report(_ROWS, {}).write(tmp_path / "report.json")
    run = told(tmp_path, "costs", "report.json")
    assert run.returncode == 0, run.stderr
    (tmp_path / "costs.toml").write_text(run.stdout)
    found = costs.read(tmp_path / "costs.toml")
    assert found == Costs(
        {"a.law": 450_000, "b.law": 100_000},
        {"a.law": {"Box": 1_500_000, "dict": 100_000, "list": 100_000, "tuple": 100_000}},
        {"a.law": 4},
        {},
        1000,
    )
    assert run.stdout == found.text()


def test_laws_that_share_their_draws_share_the_time() -> None:
    report = report_examples.report(_ROWS, {})
    found = measured(report, together=lambda id: "all")
    assert found.cases == {"a.law": 315_385, "b.law": 315_385}


def test_a_later_report_replaces_the_laws_in_it() -> None:
    old = Costs({"a": 10, "b": 30}, {"a": {"list": 99}}, {"a": 4}, {"old": 7}, 4)
    new = Costs({"a": 20, "c": 5}, {}, {"c": 2}, {}, 3)
    found = old.updated(new, ["a", "c"])
    assert found == Costs({"a": 20, "c": 5}, {}, {"c": 2}, {"old": 7}, 4)
    assert dataclasses.replace(old, replay=4) == old.updated(Costs(), ["a", "b"])


@pytest.mark.parametrize("profile", BOUNDS)
def test_no_law_gets_fewer_examples_than_the_profile_promises(profile: str) -> None:
    found = {law.id: examples_of(law, profile=profile) for law in all_laws().values()}
    assert min(found.values()) >= BOUNDS[profile].fewest
    ordinary = [law.id for law in all_laws().values() if law.weight <= 1]
    assert max(found[id] for id in ordinary) <= BOUNDS[profile].most


def test_a_class_of_the_user_gets_the_whole_time() -> None:
    law = law_named("node.flatten.unflatten_undoes_flatten")
    assert examples_of(law, subject_of(_Point)) > examples_of(law)


def test_nearly_each_law_was_measured() -> None:
    known = costs.read()
    missing = sorted(all_laws().keys() - known.cases.keys())
    run = "pytest conformance/ --laws ID --report DIR; python -m treelaws costs DIR --write"
    # A law that breaks on each input cannot be measured.
    assert len(missing) < 0.01 * len(all_laws()), f"{missing}: {run}"
    assert known.cases.keys() <= all_laws().keys()
    assert costs.FILE.read_text(encoding="utf-8") == known.text()
