"""`--all-breaches`: what the first breach of a law hides, and what known departures cover."""

from __future__ import annotations

import json
import string
import textwrap
from pathlib import Path
from typing import Any

import jax
import pytest

from hypothesis_pytrees import Recipe
from treelaws.core import settings
from treelaws.core.departures import known
from treelaws.core.departures.ways import way_of
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
from .cure_examples import Sound
from .pytest_runs import run_pytest, told

# Each takes up to half a minute.
pytestmark = pytest.mark.sweep

_LAW = "node.flatten.unflatten_undoes_flatten"
# A class of a user's with the given bodies of flatten and unflatten.
_CLASS = string.Template("""\
import os
from typing import Any

import jax


@jax.tree_util.register_pytree_node_class
class $name:
    def __init__(self, x: Any, y: Any):
        self.x, self.y = x, y

    def tree_flatten(self):
        $flatten
        return (self.x, self.y), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        x, y = children
        made = object.__new__(cls)
        $unflatten
        return made
""")


def _class(name: str, unflatten: str, flatten: str = "") -> str:
    body = textwrap.indent(textwrap.dedent(unflatten), " " * 8).strip()
    return _CLASS.substitute(name=name, flatten=flatten, unflatten=body)


# Two faults in one function: which one shows depends on the first child.
_TEXT = _class(
    "Faulty",
    """
    if isinstance(x, (int, float, tuple, list, dict)):
        raise KeyError("not an array")
    made.x, made.y = x, [y]
    """,
)
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
def test_the_run_shows_the_breach_behind_the_first(
    folder: Path, workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In CI pytest does not cut its short summary.
    monkeypatch.setenv("CI", "true")
    report = folder / f"all-{workers}"
    run = _run(folder, "--all-breaches", "-n", workers, "-p", "xdist", "--report", str(report))
    assert run.returncode == 1, run.stdout
    assert run.stdout.count("It also breaks in another way.") == 1
    *_, summary = run.stdout.partition("short test summary info")
    assert len(summary.splitlines()) == 3
    assert "mine:Faulty] - at .y: structure" in summary or "KeyError" in summary
    (other,) = _row(report)["behind"]
    both = [_row(report)["difference"], other["difference"]]
    assert sum("KeyError" in one for one in both) == 1
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
    assert "known departures cover this input and record another breach: " in run.stdout
    _run(folder, "--known", path.name, "--report", "plain")
    _run(folder, "--known", path.name, "--all-breaches", "--report", "all")
    diff = told(folder, "diff", "plain/report.json", "all/report.json").stdout
    assert "one of the runs has the option --all-breaches" in diff
    assert "--subject mine:Faulty --all-breaches --hypothesis-seed=0" in run.stdout
    path.write_text(f"# {differs}".replace("witness =", 'also = ["KeyError"]\nwitness ='))
    assert _run(folder, "--known", path.name, "--all-breaches").returncode == 0
    path.write_text(f"# {raises}")
    run = _run(folder, "--known", path.name, "--all-breaches", "--report", "differs")
    assert run.returncode == 1
    assert "KeyError" not in _row(folder / "differs")["difference"]
    path.write_text(f"# {raises}".replace("witness =", 'also = ["any difference"]\nwitness ='))
    assert _run(folder, "--known", path.name, "--all-breaches").returncode == 0


@jax.tree_util.register_pytree_node_class
class Thrice(Sound):
    """Raises KeyError and TypeError, and gives back another structure."""

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        (x,) = children
        if isinstance(x, (int, float, complex)):
            raise KeyError("a number")
        if isinstance(x, (tuple, list, dict)):
            raise TypeError("a container")
        made = object.__new__(cls)
        made.x = [x]
        return made


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_there_are_as_many_as_asked_for(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    law, guest = law_named(_LAW), subject_of(Thrice)
    first = search(law, guest, shrink=True)
    assert first is not None
    monkeypatch.setattr(settings, "most_breaches", most)
    found = [first, *behind(first, examples=1000)]
    assert len({way_of(one).kind for one in found}) == len(found) == min(most, 3)


def _known_as(monkeypatch: pytest.MonkeyPatch, **more: Any) -> Breach | None:
    """Search a class with one fault, of which an entry covers each input."""
    law, guest = law_named(_LAW), subject_of(nodes.TheirCounter)
    asked = {
        "law": _LAW,
        "subject": guest.name,
        "versions": {},
        "issue": "",
        "reason": "It counts.",
    }
    entry = known.Departure("entry", **asked, region=(known.EVERY_CASE,), **more)
    monkeypatch.setattr(settings, "within_known", True)
    monkeypatch.setattr(known, "applying", lambda law: (entry,))
    found = verdict(law, guest, lambda: search(law, guest))
    assert (found.kind == "known") == (found.breach is None)
    return found.breach


def test_a_race_that_does_not_show_records_any_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _known_as(monkeypatch, witness="node = {}", race="two threads meet") is None


def test_a_stale_entry_records_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _known_as(monkeypatch, witness="node = [{}]") is not None


# It changes what all code shares, so that its laws run in child processes.
_IN_A_CHILD = _class(
    "Env",
    """
    if isinstance(x, (int, float, tuple, list, dict)):
        raise KeyError("not an array")
    if os.environ.get("ENDS") and int(os.environ["COUNT"]) > 300:
        os._exit(3)
    made.x, made.y = (x, y) if os.environ.get("ENDS") else (x, [y])
    """,
    "os.environ['COUNT'] = str(int(os.environ.get('COUNT', '0')) + 1)",
)


def _env_row(folder: Path, name: str, *, ends: str = "") -> Any:
    (folder / "env.py").write_text(_IN_A_CHILD)
    options = ("-q", "--subject", "env:Env", "--laws", _LAW, "--hypothesis-seed=0")
    words = ("--pyargs", "treelaws", *options, "--all-breaches", "--report", name)
    run = run_pytest(*words, cwd=folder, ENDS=ends)
    assert run.returncode == 1, run.stdout + run.stderr
    rows = json.loads((folder / name / "report.json").read_text())["rows"]
    return next(row for row in rows if row["subject"] == "env:Env")


def test_child_processes_search_behind(folder: Path) -> None:
    row = _env_row(folder, "child")
    both = [row["difference"], *(one["difference"] for one in row["behind"])]
    assert sum("KeyError" in one for one in both) == 1
    assert sum("structure" in one for one in both) == 1


def test_a_search_behind_that_ends_its_process_keeps_the_first(folder: Path) -> None:
    row = _env_row(folder, "ends", ends="1")
    assert "KeyError" in row["difference"]
    assert row["reason"].startswith("the search for other breaches ended the process with exit")


@pytest.mark.sweep
def test_what_breaks_in_a_known_region_blocks_no_law_outside(folder: Path) -> None:
    (folder / "two.py").write_text(_TWO)
    (folder / "two.toml").write_text(_TWO_KNOWN)
    laws = (_LAW, "node.flatten.unflatten_adds_no_attribute")
    chosen = [word for law in laws for word in ("--laws", law)]
    options = ("-q", "--subject", "two:Two", "--hypothesis-seed=1", "--known", "two.toml")
    words = ("--pyargs", "treelaws", *chosen, *options, "--all-breaches", "--report", "two")
    assert run_pytest(*words, cwd=folder).returncode == 1
    rows = json.loads((folder / "two" / "report.json").read_text())["rows"]
    found = {row["law"]: row["verdict"] for row in rows if row["subject"] == "two:Two"}
    assert found[laws[1]] == "broken"


_TWO = _class(
    "Two",
    """
    if any(type(one) in (list, dict) and one for one in (x, y)):
        raise KeyError("not a tuple")
    made.x, made.y, made.extra = x, [y] if type(x) is tuple and x else y, 1
    """,
)
_TWO_KNOWN = """
[one]
law = "node.flatten.unflatten_undoes_flatten"
subject = "two:Two"
versions = {jax = ">=0.4"}
issue = "unreported"
reason = "It wraps its second child."
region = ["Two>tuple", "Two>list", "Two>dict"]
witness = '''
from two import Two

node = Two((1.0,), jax.device_put(np.float32([1.0, 2.0])))
'''
"""


def test_a_run_leaves_nothing_of_the_one_before(folder: Path) -> None:
    _run(folder, "--report", "twice", "--all-breaches")
    assert len(list((folder / "twice" / "witnesses").glob("*.json"))) == 2
    _run(folder, "--report", "twice")
    assert len(list((folder / "twice" / "witnesses").glob("*.json"))) == 1


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
