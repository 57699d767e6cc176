"""`python -m treelaws mutate`: the changes, the laws that run on them, and the results."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from treelaws.core.errors import BadInput
from treelaws.mutations import jobs
from treelaws.mutations.book import Book
from treelaws.mutations.modules import Module, modules_named
from treelaws.mutations.mutants import Mutant, draw
from treelaws.mutations.processes import Ended, Task, run_all
from treelaws.mutations.relevance import Clean, Pair, ranges, relevant
from treelaws.mutations.running import Laws
from treelaws.mutations.statements import statement_at
from treelaws.mutations.summary import lines

from .pytest_runs import ROOT
from .python_runs import run_python

_SOURCE = '''\
"""Text."""
from typing import TYPE_CHECKING, TypeVar
if TYPE_CHECKING:
    import decimal
T = TypeVar("T")
def first(items: "list", default=1):
    """More text."""
    if not items:
        raise ValueError("it is empty, " + str(default))
    return items[0]
def clear(items):
    items.clear()
'''


@pytest.fixture
def module(tmp_path: Path) -> Module:
    path = tmp_path / "small.py"
    path.write_text(_SOURCE)
    return Module("small", path, "small.py")


def test_each_change_is_made_once(module: Module) -> None:
    found = draw([module], None, 0)
    changed = {(one.line, one.before.strip(), one.after.strip()) for one in found}
    assert changed == {
        (6, 'def first(items: "list", default=1):', 'def first(items: "list", default=2):'),
        (8, "if not items:", "if items:"),
        (10, "return items[0]", "return items[1]"),
        (10, "return items[0]", "return None"),
        (12, "items.clear()", "pass"),
    }
    assert len(found) == len(changed)


def test_a_sample_is_drawn_by_its_seed(module: Module) -> None:
    ids = [[one.id for one in draw([module], 3, seed)] for seed in (1, 1, 2)]
    assert ids[0] == ids[1]
    assert ids[0] != ids[2]
    assert len(draw([module], 100, 0)) == len(draw([module], None, 0))


def test_every_mutant_of_a_real_module_differs_in_its_lines() -> None:
    (module,) = modules_named("optax.transforms._adding")
    lines = module.text().splitlines()
    for one in draw([module], None, 0):
        before = one.before.splitlines()
        assert lines[one.line - 1 : one.line - 1 + len(before)] == before
        assert one.text != module.text()


def test_a_package_has_all_its_modules_but_tests() -> None:
    names = [one.name for one in modules_named("optax.tree_utils")]
    assert "optax.tree_utils" in names
    assert "optax.tree_utils._casting" in names
    assert not [name for name in names if name.endswith("_test")]


def test_a_source_without_anything_to_change(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text('"""Text."""\n')
    with pytest.raises(BadInput, match="nothing in empty can be changed"):
        draw([Module("empty", tmp_path / "empty.py", "empty.py")], None, 0)


@pytest.mark.parametrize(("line", "lines"), [(6, [6]), (8, [8]), (9, [9]), (3, [3]), (99, [99])])
def test_the_lines_of_a_statement(line: int, lines: list[int]) -> None:
    assert list(statement_at(_SOURCE, line)) == lines


def test_a_statement_of_several_lines() -> None:
    text = "@one\n@two(\n  3\n)\ndef f(\n  a\n):\n  return [\n    1,\n  ]\n"
    assert [list(statement_at(text, line)) for line in (2, 9)] == [list(range(1, 8)), [8, 9, 10]]


def _pair(topic: str, law: str, seconds: float, *lines: int) -> Pair:
    return Pair(topic, law, "eqx", seconds, {"small.py": frozenset(lines)})


def _mutant(module: Module, line: int) -> Mutant:
    return Mutant(f"small:{line}", module, line, "answer", "", "", "")


def test_laws_that_run_a_line_come_first_and_others_of_their_topics(module: Module) -> None:
    held = (
        _pair("a", "a.slow", 9.0, 10),
        _pair("a", "a.fast", 1.0, 10),
        _pair("a", "a.spared", 0.1, 8),
        _pair("b", "b.only", 5.0, 10),
        _pair("c", "c.other", 0.1, 8),
    )
    clean = Clean(held, {"small.py": frozenset({6})})
    found = relevant(_mutant(module, 10), clean)
    assert [one.law for one in found.pairs] == ["a.fast", "b.only", "a.slow", "a.spared"]
    assert found.where == "run by 3 laws"
    loaded = relevant(_mutant(module, 6), clean)
    assert {one.law for one in loaded.pairs} == {one.law for one in held}
    assert loaded.where == "run at import"
    assert relevant(_mutant(module, 12), clean) == ([], "never executed")


def test_lines_are_written_as_ranges() -> None:
    assert ranges([3, 1, 2, 7]) == "1-3,7"
    law = {"law": "a.b.c", "subject": "x", "how": "held", "seconds": 0.0, "lines": {"f": "1-3,7"}}
    broken = {**law, "how": "law"}
    clean = Clean.of({"a.b": {"import": {"f": "9"}, "laws": [law, broken]}})
    assert [one.lines for one in clean.held] == [{"f": frozenset({1, 2, 3, 7})}]
    assert clean.loaded == {"f": frozenset({9})}


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
