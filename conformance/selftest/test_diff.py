"""Each change of a verdict between two reports is put down to what brought it."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from treelaws import compat
from treelaws.core.departures import known
from treelaws.core.search import run
from treelaws.laws import law_named
from treelaws.reporting.diff import Change, diff, replayed_here
from treelaws.reporting.report import Report, described, run_facts
from treelaws.reporting.rows import Row
from treelaws.reproduce.witness import witness_of
from treelaws.subjects.registry import subject as subject_named

_LAW = "jax.map.unflatten_undoes_flatten"
_WITNESS = {"format": 1, "law": _LAW}
_BROKEN = Row(_LAW, "jax", "broken", witness=_WITNESS)
_HELD = Row(_LAW, "jax", "held")
_HERE = {"jax": "2", "numpy": "1"}


def _report(*rows: Row, libraries: Mapping[str, str] = _HERE, **suite: Any) -> Report:
    facts = {"python": "3", "libraries": libraries, "backend": "cpu", "x64": False, "platform": "p"}
    facts_of_suite = {"fingerprint": "a", "seed": 1, **suite}
    law = {"fingerprint": suite.get("law", "l")}
    return Report(facts, facts_of_suite, {_LAW: law}, rows)


def _only(old: Report, new: Report, *, breaks: bool | None = False) -> Change:
    (change,) = diff(old, new, _HERE, lambda _: breaks)
    return change


def test_equal_verdicts_are_no_change() -> None:
    assert not list(diff(_report(_HELD), _report(_HELD, seed=2), _HERE, lambda _: True))


def test_another_release_of_the_subject_is_the_subject() -> None:
    old = _report(_BROKEN, libraries={"jax": "1", "numpy": "1"})
    change = _only(old, _report(_HELD))
    assert (change.cause, change.evidence) == ("subject", "jax 1 -> 2")
    assert str(change) == f"{_LAW} [jax]: broken -> held; subject: jax 1 -> 2"


def test_a_witness_that_still_breaks_the_law_is_luck() -> None:
    old = _report(_BROKEN, libraries={"jax": "1", "numpy": "1"})
    assert _only(old, _report(_HELD), breaks=True).cause == "generation luck"


def test_a_witness_is_only_believed_with_the_versions_of_the_other_run() -> None:
    new = _report(_BROKEN, libraries={"jax": "3", "numpy": "1"})
    older = _report(_HELD, libraries={"jax": "1", "numpy": "1"})
    assert _only(older, new, breaks=True).cause == "subject"
    assert _only(_report(_HELD), new, breaks=True).cause == "generation luck"


def test_another_library_is_the_environment() -> None:
    old = _report(_BROKEN, libraries={"jax": "2", "numpy": "0"})
    assert _only(old, _report(_HELD)).cause == "environment"


def test_another_text_of_the_law_is_the_suite() -> None:
    assert _only(_report(_BROKEN), _report(_HELD, law="m")).cause == "suite"
    assert _only(_report(_BROKEN), _report(_HELD, fingerprint="b")).cause == "suite"
    gone = dataclasses.replace(_report(), laws={})
    assert _only(_report(_HELD), gone).evidence == "the law is gone"


def test_another_seed_is_luck_and_nothing_else_is_unexplained() -> None:
    assert _only(_report(_BROKEN), _report(_HELD, seed=2)).cause == "generation luck"
    assert _only(_report(_BROKEN), _report(_HELD)).cause == "unexplained"


def test_a_witness_is_tried_with_what_is_installed() -> None:
    sure = (found for found in known.departures() if found.applies and not found.race)
    found = next(found for found in sure if found.subject == "jax")
    with pytest.raises(AssertionError) as caught:
        run(law_named(found.law), subject_named(found.subject), found.recipe)
    witness = witness_of(caught.value).content()  # type: ignore[arg-type]
    assert replayed_here(witness) is True
    assert replayed_here({**witness, "law": "no.such.law"}) is None


@pytest.mark.sweep
def test_the_command_tells_the_changes(tmp_path: Path) -> None:
    facts = run_facts("2026-01-01T00:00:00+00:00", "1")
    laws = {_LAW: described(law_named(_LAW))}
    for name, row in (("old", _HELD), ("new", dataclasses.replace(_HELD, verdict="error"))):
        Report(laws=laws, rows=(row,), **facts).write(tmp_path / f"{name}.json")
    command = [sys.executable, "-m", "treelaws", "diff", "old.json"]
    ended = [
        subprocess.run([*command, name], cwd=tmp_path, capture_output=True, text=True)
        for name in ("new.json", "old.json", "missing.json")
    ]
    assert [one.returncode for one in ended] == [1, 0, 2]
    assert f"{_LAW} [jax]: held -> error; unexplained" in ended[0].stdout
    assert "no verdict changed" in ended[1].stdout
    assert ended[2].stderr.count("\n") == 1
    assert compat.version("jax")
