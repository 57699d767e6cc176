"""The changes of `python -m treelaws mutate`, and the laws that run on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from treelaws.core.errors import BadInput
from treelaws.strength.mutations import aliases
from treelaws.strength.mutations.modules import Module, modules_named
from treelaws.strength.mutations.mutants import Mutant, draw
from treelaws.strength.mutations.relevance import Clean, Pair, ranges, relevant
from treelaws.strength.mutations.statements import statement_at
from treelaws.strength.mutations.unexecuted import unexecuted

_SOURCE = '''\
"""Text."""
from typing import TYPE_CHECKING, Any, TypeVar
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
Tree = Any
Pairs = dict[str, Tree] | None
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


def test_private_aliases_that_nobody_reads_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "_old.py"
    path.write_text("from small import new\nread = new.read\nleft = new.left\nother = new.left\n")
    (tmp_path / "user.py").write_text("from small import _old\nanswer = _old.read(_old.other)\n")
    monkeypatch.setattr(aliases, "folder_of", lambda library: tmp_path)
    found = draw([Module("small._old", path, "_old.py")], None, 0)
    assert {one.before.strip() for one in found} == {"read = new.read", "other = new.left"}


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
    assert [one.law for one in found.pairs] == ["a.fast", "b.only", "a.slow"]
    assert [one.law for one in found.others] == ["a.spared"]
    assert found.where == "run by 3 laws"
    loaded = relevant(_mutant(module, 6), clean)
    assert loaded.pairs == []
    assert {one.law for one in loaded.others} == {one.law for one in held}
    assert loaded.where == "run at import"
    assert relevant(_mutant(module, 12), clean) == ([], [], "never executed")


def test_many_laws_have_few_examples(module: Module) -> None:
    held = tuple(_pair("a", f"a.{number}", 25.0, 10) for number in range(4))
    found = relevant(_mutant(module, 10), Clean(held, {}))
    assert [one.law for one in found.pairs] == ["a.0", "a.1"]
    assert [one.law for one in found.others] == ["a.2", "a.3"]


def test_lines_that_no_law_runs_are_listed(module: Module) -> None:
    clean = Clean((_pair("a", "a.fast", 1.0, 8, 10),), {"small.py": frozenset({1, 2, 3, 5, 6, 11})})
    told = "small.py: 5 of 13 lines are run by no law: 4,9,12-14"
    assert list(unexecuted([module], clean)) == [told]


def test_lines_are_written_as_ranges() -> None:
    assert ranges([3, 1, 2, 7]) == "1-3,7"
    law = {"law": "a.b.c", "subject": "x", "how": "held", "seconds": 0.0, "lines": {"f": "1-3,7"}}
    broken = {**law, "how": "law"}
    clean = Clean.of({"a.b": {"import": {"f": "9"}, "laws": [law, broken]}})
    assert [one.lines for one in clean.held] == [{"f": frozenset({1, 2, 3, 7})}]
    assert clean.loaded == {"f": frozenset({9})}
