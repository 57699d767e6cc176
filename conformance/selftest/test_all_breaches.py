"""`--all-breaches`: what the first breach of a law hides, and what known departures cover."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hypothesis_pytrees import Recipe
from treelaws.core import settings
from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.mismatch import Mismatch
from treelaws.core.search import search
from treelaws.core.verdict import verdict
from treelaws.laws import law_named
from treelaws.releases.past_bugs import hunting
from treelaws.reproduce.behind import behind
from treelaws.subjects.registry import subject
from treelaws.subjects.user import subject_of

from . import user_nodes as nodes
from .pytest_runs import run_pytest

_LAW = "node.flatten.unflatten_undoes_flatten"
# Two faults in one function: which one shows depends on the first child.
_TEXT = """
from typing import Any

import jax


@jax.tree_util.register_pytree_node_class
class Faulty:
    def __init__(self, x: Any, y: Any):
        self.x, self.y = x, y

    def tree_flatten(self):
        return (self.x, self.y), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        x, y = children
        if isinstance(x, (int, float, tuple, list, dict)):
            raise KeyError("not an array")
        made = object.__new__(cls)
        made.x, made.y = (x, [y])
        return made
"""
_OPTIONS = ("-q", "--subject", "mine:Faulty", "--laws", _LAW, "--hypothesis-seed=0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the class."""
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "mine.py").write_text(_TEXT)
    return folder


def _run(folder: Path, *words: str) -> Any:
    return run_pytest("--pyargs", "treelaws", *_OPTIONS, *words, cwd=folder)


def _row(report: Path) -> Any:
    rows = json.loads((report / "report.json").read_text())["rows"]
    (row,) = (row for row in rows if row["subject"] == "mine:Faulty" and "departure" not in row)
    return row


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_run_shows_the_breach_behind_the_first(folder: Path, workers: str) -> None:
    report = folder / f"all-{workers}"
    run = _run(folder, "--all-breaches", "-n", workers, "-p", "xdist", "--report", str(report))
    assert run.returncode == 1, run.stdout
    assert run.stdout.count("It also breaks in another way.") == 1
    (other,) = _row(report)["behind"]
    told = [_row(report)["difference"], other["difference"]]
    assert sum("KeyError" in one for one in told) == 1
    assert other["key"] != _row(report)["key"]
    assert len(list((report / "witnesses").glob(f"{_LAW}*.json"))) == 2
    assert other["script"] in (report / "report.md").read_text()


def test_by_default_a_run_shows_the_first(folder: Path) -> None:
    run = _run(folder, "--report", "first")
    assert run.returncode == 1
    assert "another way" not in run.stdout
    assert "behind" not in _row(folder / "first")


def test_an_update_writes_an_entry_for_each(folder: Path) -> None:
    path = folder / "known.toml"
    run = _run(folder, "--known-update", path.name)
    assert run.returncode == 1
    assert "2 candidates written" in run.stdout
    path.write_text(path.read_text().replace('reason = ""', 'reason = "Its second child."'))
    assert _run(folder, "--known", path.name).returncode == 0
    # Both ways are known.
    again = _run(folder, "--known", path.name, "--all-breaches", "--report", "known")
    assert again.returncode == 0, again.stdout
    assert _row(folder / "known")["verdict"] == "known"


def test_another_error_in_what_a_departure_covers_is_a_breach(folder: Path) -> None:
    path = folder / "one.toml"
    whole = folder / "both.toml"
    _run(folder, "--known-update", whole.name)
    filled = whole.read_text().replace('reason = ""', 'reason = "Its second child."')
    raises, differs = sorted(filled.split("# Say in ")[1:], key=lambda one: "raises" not in one)
    assert "KeyError" in raises
    path.write_text(f"# {differs}")
    run = _run(folder, "--known", path.name)
    assert run.returncode == 0, run.stdout
    run = _run(folder, "--known", path.name, "--all-breaches")
    assert run.returncode == 1
    assert "raised  KeyError" in run.stdout
    assert "known departures for this input, which break the law otherwise" in run.stdout
    path.write_text(f"# {differs}".replace("witness =", 'also = ["KeyError"]\nwitness ='))
    assert _run(folder, "--known", path.name, "--all-breaches").returncode == 0
    path.write_text(f"# {raises}")
    run = _run(folder, "--known", path.name, "--all-breaches", "--report", "differs")
    assert run.returncode == 1
    assert "KeyError" not in _row(folder / "differs")["difference"]
    path.write_text(f"# {raises}".replace("witness =", 'also = ["any difference"]\nwitness ='))
    assert _run(folder, "--known", path.name, "--all-breaches").returncode == 0


def test_there_are_as_many_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    law, guest = law_named(_LAW), subject_of(nodes.TheirCounter)
    first = search(law, guest, shrink=True)
    assert first is not None
    assert list(behind(first)) == []
    monkeypatch.setattr(settings, "most_breaches", 5)
    # Its one fault shows in one way.
    assert list(behind(first)) == []


def test_a_race_that_does_not_show_records_any_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    law, guest = law_named(_LAW), subject_of(nodes.TheirCounter)
    breach = search(law, guest, shrink=True)
    assert breach is not None
    entry = known.Departure(
        "race", _LAW, guest.name, {}, "unreported", "It races.", "node = {}", (known.EVERY_CASE,)
    )
    monkeypatch.setattr(settings, "within_known", True)
    monkeypatch.setattr(known, "applying", lambda law: (entry,))
    assert verdict(law, guest, lambda: search(law, guest)).kind == "known"


def test_a_hunt_writes_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    law, jax = law_named("jax.map.unflatten_undoes_flatten"), subject("jax")
    first, other = (
        Breach(law, jax, Recipe((f"tree = [{number}]",)), Mismatch("", aspect, "1", "2"))
        for number, aspect in enumerate(("value", "type"))
    )
    # The hunt sets them for its process.
    monkeypatch.setattr(settings, "most_breaches", 1)
    monkeypatch.setattr(settings, "within_known", False)
    monkeypatch.setattr(hunting, "search", lambda *_, **__: first)
    monkeypatch.setattr(hunting, "behind", lambda *_, **__: [other])
    hunting.hunt(hunting.Request((law.id,), ("jax",), all_breaches=True), tmp_path)
    assert len(list(tmp_path.glob("0/*.json"))) == 2
    assert (settings.most_breaches, settings.within_known) == (settings.ALL_BREACHES, True)
