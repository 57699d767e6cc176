"""The blocks of the README and of the written pages run, and the site builds."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import treelaws
from treelaws.__main__ import COMMANDS
from treelaws.core.departures import known
from treelaws.core.examples import profiles
from treelaws.laws import law_named
from treelaws.pytest_plugin import law_tests
from treelaws.subjects.user import subject_of

from .markdown_blocks import CONTRIBUTING, DOCS, MY_LIBRARY, PAGES, ROOT, Block, blocks, commands
from .pytest_runs import ran

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_LAW = "node.flatten.unflatten_undoes_flatten"
# A check of all laws takes a minute; one law shows that the calls are right.
_NARROW = f"""\
import functools
import treelaws
treelaws.check = functools.partial(treelaws.check, laws={_LAW!r}, mixed=False)
"""
# CONTRIBUTING.md has its own test of its blocks.
_PYTHON = blocks("python", pages=[page for page in PAGES if page != CONTRIBUTING])
_TOML = blocks("toml")
(_KNOWN,) = (block for block in _TOML if block.text.startswith("# known.toml\n"))
(_FINDINGS,) = (block for block in _TOML if block.text.startswith("# findings.toml\n"))
_SHELL = [
    pytest.param(words, id=f"{block}-{' '.join(words)}")
    for block in blocks("sh")
    for words in commands(block)
]
# The last of the blocks with that name is the class that passes.
_FIXED = [block.text for block in _PYTHON if block.text.startswith("# operators.py\n")][-1]
_EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
# Programs whose lines are not looked at; `hypothesis` is HypoFuzz's.
_OTHERS = {"ruff", "pyright", "python", "mkdir", "cp", "hypothesis"}


def _workspace(folder: Path) -> None:
    (folder / "my_library.py").write_text(MY_LIBRARY)
    (folder / "operators.py").write_text(_FIXED)
    (folder / "known.toml").write_text(_KNOWN.text)


@pytest.mark.sweep
@pytest.mark.parametrize("block", _PYTHON, ids=str)
def test_python_block_runs(block: Block, tmp_path: Path) -> None:
    _workspace(tmp_path)
    name = re.match(r"# (test_\w+\.py)\n", block.text)
    file = tmp_path / (name[1] if name else "test_nothing.py")
    if name:
        file.write_text(block.text)
    else:
        # Tests that the block imports are not what it shows.
        text = _NARROW + block.text + "\n\ndef test_it_was_imported():\n    pass\n"
        file.write_text(text)
    run = ran(tmp_path, "-q", file.name, *([] if name else ["-k", "was_imported"]))
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed" in run.stdout


@pytest.mark.parametrize("block", _TOML, ids=str)
def test_toml_block_is_toml(block: Block) -> None:
    assert tomllib.loads(block.text)


def test_the_known_departure_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _workspace(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_library", raising=False)
    counter = importlib.import_module("my_library").Counter
    monkeypatch.chdir(tmp_path)
    (departure,) = known.read(Path("known.toml"))
    options = {"laws": departure.law, "mixed": False, "known": "known.toml"}
    assert {one.verdict for one in treelaws.check(counter, **options)} == {"known"}
    stale = dataclasses.replace(departure, witness="node = [1.0]")
    with pytest.raises(pytest.fail.Exception) as raised:
        law_tests.replay(stale, subject_of(counter))
    told = " ".join(str(raised.value).split()[:7])
    assert told in _KNOWN.page.read_text(encoding="utf-8"), f"the page must say: {told}"
    del sys.modules["my_library"]


def test_a_finding_says_the_same_as_its_departure(tmp_path: Path) -> None:
    _workspace(tmp_path)
    (flat,) = known.read(tmp_path / "known.toml")
    (tmp_path / "findings.toml").write_text(_FINDINGS.text)
    (found,) = known.read(tmp_path / "findings.toml")
    same = ("name", "law", "subject", "reason", "region", "witness", "issue")
    assert [getattr(found, key) for key in same] == [getattr(flat, key) for key in same]


@pytest.mark.parametrize("words", _SHELL)
def test_shell_line_names_what_exists(words: list[str], pytestconfig: pytest.Config) -> None:
    if words[0] == "pip":
        named = re.findall(r"(?:\.|treelaws)\[([\w,]+)\]", " ".join(words))
        assert {extra for one in named for extra in one.split(",")} <= set(_EXTRAS)
    elif words[0] == "pytest":
        _, unknown = pytestconfig._parser.parse_known_and_unknown_args(words[1:])
        assert not unknown
        folders = ("conformance/", "perf/", "strategies/")
        assert [one for one in words if one.startswith(folders) and not (ROOT / one).exists()] == []
    elif words[:3] == ["python", "-m", "treelaws"]:
        parser = argparse.ArgumentParser()
        module = importlib.import_module(f"treelaws.{COMMANDS[words[3]].module}")
        module.add_arguments(parser)
        # Ends the process with exit code 2 where an option does not exist.
        parser.parse_args(words[4:])
    else:
        assert words[0] in _OTHERS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_names_what_exists(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    spans = re.findall(r"`((?:conformance|strategies|perf|docs|reports)/[\w./-]*)", text)
    # These are made by runs.
    made = ("reports/runs", "conformance/...")
    paths = [span.rstrip(".") for span in spans if not span.startswith(made)]
    assert [path for path in paths if not (ROOT / path).exists()] == []
    laws = re.findall(r"`((?:node|jax|equinox|nnx|flax|optax)\.\w+\.\w+)`", text)
    assert all(law_named(law) for law in laws if not law.endswith("some_law"))
    named = re.findall(r"python -m treelaws ([\w-]+)", text)
    assert set(named) <= set(COMMANDS)


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_page_begins_with_a_line_to_run(page: Path) -> None:
    """Below the title, a page starts with a command or with code."""
    _, _, rest = page.read_text(encoding="utf-8").partition("\n\n")
    assert rest.startswith(("```sh\n", "```python\n", "`pytest ", "`python ")), page


def test_the_examples_of_each_profile_are_true() -> None:
    text = (DOCS / "options.md").read_text(encoding="utf-8")
    for name, bounds in profiles.BOUNDS.items():
        assert f"`{name}` ({bounds.most}" in text
        row = f"`{name}`.* {bounds.seconds:g} s \\| {bounds.fewest} \\| {bounds.most} \\|"
        assert re.search(row, text)


@pytest.mark.sweep
@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("mkdocs", "material"))),
    reason="MkDocs with Material is not installed; pip install -e '.[docs]'",
)
def test_the_site_builds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    page = (tmp_path / "laws" / "equinox" / "index.html").read_text(encoding="utf-8")
    assert '<a id="equinox.filter.combine_undoes_partition"></a>' in page


def test_the_navigation_has_every_page() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (?:[\w ]+: )?([\w/.-]+\.md)$", text, flags=re.MULTILINE)
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(pages)
