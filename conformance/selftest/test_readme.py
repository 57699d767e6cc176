"""The README is short and true, and its blocks run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treelaws.laws import law_named

from .markdown_blocks import MY_LIBRARY, README, ROOT, Block, blocks, commands
from .pytest_runs import ran, run_pytest

_MOST_LINES = 100
_LAW = "node.flatten.unflatten_undoes_flatten"
_PYTEST = [
    pytest.param(words, id=" ".join(words))
    for block in blocks("sh", pages=[README])
    for words in commands(block)
    # The project's own tests run this test.
    if words[0] == "pytest" and "strategies/selftest" not in words
]


def test_it_is_read_in_a_minute() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= _MOST_LINES


def test_the_failure_names_the_law_as_it_is() -> None:
    (message,) = [block.text for block in blocks("text", pages=[README])]
    law = law_named(message.split()[0])
    assert f"  {law.statement}\n" in message, f"write: {law.statement}"
    assert f"  level {law.level}, promised by {law.source}\n" in message
    file = law.location.partition(":")[0]
    assert re.search(rf"^  law at {re.escape(file)}:\d+$", message, flags=re.MULTILINE), file


@pytest.mark.parametrize("words", _PYTEST)
def test_pytest_line_runs(words: list[str], tmp_path: Path) -> None:
    """Run a line on one law, without workers; in the clone, only collect."""
    (tmp_path / "my_library.py").write_text(MY_LIBRARY)
    kept = " ".join(words[1:]).replace("-n 2", "").split()
    if "--pyargs" in kept:
        run = ran(tmp_path, "-q", *kept, "--laws", _LAW)
    elif kept == ["perf/"]:
        run = run_pytest("-q", *kept, "--collect-only")
    else:
        run = run_pytest("-q", *kept, "--collect-only", "--laws", _LAW)
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout or " collected" in run.stdout or "::" in run.stdout


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_to_files(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text)
    found = [target for target in targets if not target.startswith("https://")]
    assert found
    assert [target for target in found if not (ROOT / target).exists()] == []


def test_every_block_has_a_language_with_a_test() -> None:
    found: list[Block] = blocks(pages=[README])
    assert {block.language for block in found} == {"text", "sh", "python"}
    fences = re.findall(r"^```", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(fences) == 2 * len(found)
