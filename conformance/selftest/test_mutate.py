"""`python -m treelaws mutate`: how a mutant ends, and the file of results."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from treelaws.core.errors import BadInput
from treelaws.strength.mutations import checking, jobs
from treelaws.strength.mutations.book import Book
from treelaws.strength.mutations.modules import Module
from treelaws.strength.mutations.mutants import draw
from treelaws.strength.mutations.processes import Ended, Task, run_all
from treelaws.strength.mutations.relevance import Clean
from treelaws.strength.mutations.running import Laws
from treelaws.strength.mutations.summary import lines

from .pytest_runs import ROOT
from .python_runs import run_python

_SOURCE = "def first(items, default=1):\n    return items[0]\n"


@pytest.fixture
def module(tmp_path: Path) -> Module:
    path = tmp_path / "small.py"
    path.write_text(_SOURCE)
    return Module("small", path, "small.py")


def _answers(send: Any, what: str) -> None:
    send(("begin", what), 1.0)
    if what == "hangs":
        time.sleep(60)
    if what == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "raises":
        raise ValueError(what)
    send(("end", what))


def test_a_process_that_hangs_or_dies_ends_its_own_task_alone() -> None:
    words = ("hangs", "dies", "raises", "returns")
    messages: dict[str, list[Any]] = {word: [] for word in words}
    tasks = [Task(word, _answers, (word,)) for word in words]
    for key, message in run_all(tasks, 2):
        messages[key].append(message)
    assert messages["hangs"] == [("begin", "hangs"), Ended("time", "no answer for 1 s")]
    assert messages["dies"] == [("begin", "dies"), Ended("crash", "killed by SIGKILL")]
    assert messages["returns"][1:] == [("end", "returns"), Ended("done")]
    assert [message.how for message in messages["raises"][1:]] == ["error"]
    assert "ValueError: raises" in messages["raises"][1].detail


def test_no_process_outlives_a_stopped_run() -> None:
    answers = run_all([Task("hangs", _tells_its_process, ())], 1)
    _, process = next(answers)
    answers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def _tells_its_process(send: Any) -> None:
    send(os.getpid())
    time.sleep(60)


_HELD, _BROKEN, _ERROR, _ENDLESS = "held", "law", "error", "time"


@pytest.mark.parametrize(
    ("text", "ends", "departs", "outcome"),
    [
        ("value = 2", [_HELD, _BROKEN, _BROKEN], True, ("killed", "law", "b")),
        ("value = 2", [_ERROR, _HELD, _BROKEN], True, ("killed", "law", "c")),
        ("value = 2", [_HELD, _ENDLESS, _ERROR], True, ("killed", "error", "c")),
        ("value = 2", [_HELD, _ENDLESS, _HELD], True, ("killed", "time", "b")),
        ("value = 2", [_HELD, _HELD, _HELD], False, ("stale", "witness", "w")),
        ("value = 2", [_HELD, _HELD, _HELD], True, ("survived", "", "")),
        ("value = 1 / 0", [], True, ("killed", "import", "")),
    ],
)
def test_how_a_mutant_ends(
    module: Module,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    ends: list[str],
    departs: bool,
    outcome: tuple[str, str, str],
) -> None:
    waiting, values, sent = iter(ends), list[int](), list[Any]()

    def attempt(law: str, subject: str, *, few: bool) -> checking.Attempt:
        values.append(sys.modules["small"].value)
        return checking.Attempt(next(waiting))

    witness = SimpleNamespace(name="known", law="w", subject="x")
    monkeypatch.setattr(checking, "load", lambda library: None)
    monkeypatch.setattr(checking, "attempt", attempt)
    monkeypatch.setattr(checking, "witnesses", lambda library, patterns: [witness])
    monkeypatch.setattr(checking, "departs", lambda found: departs)
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())
    monkeypatch.syspath_prepend(module.path.parent)
    monkeypatch.delitem(sys.modules, "small", raising=False)
    pairs = [(law, "x", 0.0, False) for law in "abc"]
    jobs.mutant(lambda content, *_: sent.append(content), "small", text, pairs, [], {"known": None})
    sys.modules.pop("small", None)
    assert tuple(sent[-1][:3]) == outcome
    assert set(values) <= {2}


def test_a_line_that_was_cut_off_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = Book(path)
    first.begin({"library": "equinox"})
    first.add("mutant", id="one", outcome="killed")
    path.write_text(path.read_text() + '{"kind": "mut')
    again = Book(path)
    assert list(again.mutants) == ["one"]
    again.add("mutant", id="two", outcome="killed")
    assert list(Book(path).mutants) == ["one", "two"]


def test_results_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    Book(path).begin({"library": "equinox", "suite": "a"})
    with pytest.raises(BadInput, match="of another suite; choose another file"):
        Book(path).begin({"library": "equinox", "suite": "b"})
    path.write_text("[]\n")
    with pytest.raises(BadInput, match="line 1 is not a result of this command"):
        Book(path)


def _survives(send: Any, module: str, text: str, pairs: Any, *others: Any) -> None:
    send(("begin", "", ""))
    send(("survived", "", "", "", "", 0.0))


def test_a_stopped_run_goes_on(
    module: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "mutant", _survives)
    mutants, told = draw([module], 3, 0), list[str]()
    for count in (2, 3):
        book = Book(tmp_path / "out.jsonl")
        if not book.about:
            book.begin({"library": "small"})
        laws = Laws("small", [], book, 1, told.append)
        laws.judge(mutants[:count], Clean((), {}))
    assert [line.partition(" ")[0] for line in told] == ["[1/2]", "[2/2]", "[3/3]"]
    found = Book(tmp_path / "out.jsonl").mutants
    assert list(found) == [one.id for one in mutants]
    assert {one["where"] for one in found.values()} == {"never executed"}
    text = "\n".join(lines({"small": mutants}, found))
    assert text.startswith("small: 3 mutants, 0 killed, 3 survived: 0 % killed\n\nsmall.py:")


@pytest.mark.sweep
def test_a_library_is_mutated(tmp_path: Path) -> None:
    words = ["-m", "treelaws", "mutate", "--module", "equinox._update", "--sample", "2"]
    words += ["--seed", "1", "--laws", "equinox.tree_tools.updates_*", "--out", "out.jsonl"]
    path = os.pathsep.join(map(str, (ROOT / "strategies", ROOT / "conformance")))
    environment = {**os.environ, "PYTHONPATH": path}
    # The library must not be imported before it is changed.
    run = run_python(words, cwd=tmp_path, environment=environment, fresh=True)
    found = Book(tmp_path / "out.jsonl")
    (topic,) = found.topics.values()
    assert {one["how"] for one in topic["laws"]} == {"held"}, run.stderr
    assert len(found.mutants) == 2, run.stderr
    for one in found.mutants.values():
        assert one["outcome"] == "killed"
        assert one["by"] == "law"
        assert one["law"].startswith("equinox.tree_tools.updates_")
    assert run.returncode == 0
    assert run.stdout.splitlines() == [
        "equinox._update: 2 mutants, 2 killed (2 by a broken law), 0 survived: 100 % killed"
    ]
