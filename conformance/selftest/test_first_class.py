"""The walk of docs/own-classes.md from a broken class to passing tests holds as it is written."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from .markdown_blocks import DOCS, blocks, commands
from .pytest_runs import ran

_PAGE = [DOCS / "own-classes.md"]
_BROKEN, _FIXED = (
    block.text for block in blocks("python", pages=_PAGE) if block.text.startswith("# operators.py")
)
(_TESTS,) = (
    block.text
    for block in blocks("python", pages=_PAGE)
    if block.text.startswith("# test_operators.py")
)
(_SHOWN,) = (block.text for block in blocks("text", pages=_PAGE))
(_COMMAND,) = (
    words
    for block in blocks("sh", pages=_PAGE)
    for words in commands(block)
    if "operators:make" in words
)


def _run(folder: Path, text: str, *words: str) -> tuple[int, str]:
    (folder / "operators.py").write_text(text)
    done = ran(folder, *words)
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    code, told = _run(tmp_path_factory.mktemp("broken"), _BROKEN, *_COMMAND[1:])
    assert code == 1, told
    return told


@pytest.mark.sweep
def test_the_page_shows_what_is_printed(report: str) -> None:
    assert [line for line in _SHOWN.splitlines() if line not in report.splitlines()] == []


def test_one_law_fails(report: str) -> None:
    assert " 1 failed, " in report.splitlines()[-1]


@pytest.mark.sweep
def test_the_fixed_class_passes(tmp_path: Path) -> None:
    code, told = _run(tmp_path, _FIXED, *_COMMAND[1:])
    assert code == 0, told
    assert " failed" not in told


@pytest.mark.sweep
@pytest.mark.parametrize(("text", "passes"), [(_BROKEN, False), (_FIXED, True)])
def test_the_tests_pass_once_it_is_fixed(tmp_path: Path, text: str, passes: bool) -> None:
    (tmp_path / "test_operators.py").write_text(_TESTS)
    code, told = _run(tmp_path, text, "test_operators.py")
    assert code == (0 if passes else 1), told


def test_the_workflow_has_that_command() -> None:
    workflow = (DOCS / "ci" / "downstream.yml").read_text(encoding="utf-8")
    assert shlex.join(_COMMAND[:3]) in workflow
    assert "--laws 'node.*'" in workflow
