"""Harvest: what tests of other projects pass is counted, and compared with what laws pass."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from treelaws.__main__ import main
from treelaws.strength.coverage.inventory import inventory
from treelaws.strength.coverage.places import MODULES
from treelaws.strength.coverage.recorder import CALL
from treelaws.strength.coverage.table import Entry, current, read
from treelaws.strength.harvest import command, record
from treelaws.strength.harvest.suites import SUITES, Suite

_TEST = """\
import jax


def test_a_map():
    assert jax.tree.map(str, {'a': 1}, is_leaf=None) == {'a': '1'}


def test_that_fails():
    jax.tree.leaves([1, 2])
    raise AssertionError
"""


@pytest.fixture
def _own_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(record, "FILE", tmp_path / "harvest.json")
    record.read.cache_clear()
    yield
    record.read.cache_clear()


@pytest.mark.sweep
@pytest.mark.usefixtures("_own_record")
@pytest.mark.parametrize("among", [False, True], ids=["in a folder", "among modules"])
def test_calls_by_tests_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, among: bool
) -> None:
    folder = tmp_path / "jax"
    (folder / "jax" if among else folder / "tests").mkdir(parents=True)
    file = folder / ("jax/tree_test.py" if among else "tests/tree_test.py")
    file.write_text(_TEST, encoding="utf-8")
    if among:
        (folder / "jax" / "__init__.py").write_text("raise ImportError('shadows JAX')\n")
    suite = Suite("https://example.org/jax", "v{}", ("jax" if among else "tests",), among=among)
    monkeypatch.setitem(SUITES, "jax", suite)
    assert main(["harvest", "--library", "jax", "--sources", str(tmp_path), "--record"]) in (0, 1)
    found = json.loads(record.FILE.read_text(encoding="utf-8"))
    assert found["jax.tree.map"] == {"f": ["class"], "tree": ["dict"]}
    assert found["jax.tree.leaves"] == {"tree": ["list of int"]}


@pytest.mark.usefixtures("_own_record")
def test_kinds_that_no_law_passes_are_found() -> None:
    first = {"x": Counter(("list", "lambda", "tracer")), "y": Counter(("None",))}
    record.write({"f": {CALL: Counter(calls=1), **first}})
    record.write({"f": {"x": Counter(("dict",))}})
    passed = {"function": 3, "jax.Array": 1, "dict": 2}
    assert list(record.unpassed([Entry("f", 5, {"x": passed, "y": {}})])) == ["f(x): list"]
    assert list(record.unpassed([Entry("f", 0, {"x": {}}), Entry("g", 1, {"x": {}})])) == []


def test_a_library_that_is_not_known_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harvest", "--library", "numpy"]) == 2
    assert "--library 'numpy' is not known; choose from equinox" in capsys.readouterr().err


def test_sources_without_the_library_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["harvest", "--library", "jax", "--sources", str(tmp_path)]) == 2
    assert "has no folder 'jax'" in capsys.readouterr().err


def test_a_repository_that_cannot_be_cloned_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = subprocess.CompletedProcess([], 128, "", "warning: x\nfatal: not found\n")
    monkeypatch.setattr(command.subprocess, "run", lambda *_, **__: failed)
    assert main(["harvest", "--library", "jax"]) == 2
    assert "https://github.com/jax-ml/jax at jax-v" in capsys.readouterr().err


def test_git_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(command.subprocess, "run", missing)
    assert main(["harvest", "--library", "jax"]) == 2
    assert "git is not installed; give clones with --sources" in capsys.readouterr().err


def test_tests_that_write_no_counts_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "jax").mkdir()
    done = subprocess.CompletedProcess([], 1, "", "")
    monkeypatch.setattr(command.subprocess, "run", lambda *_, **__: done)
    assert main(["harvest", "--library", "jax", "--sources", str(tmp_path)]) == 2
    assert "pytest wrote no counts" in capsys.readouterr().err


@pytest.mark.parametrize("library", MODULES)
def test_harvested_functions_are_in_the_table(library: str) -> None:
    """A function that is renamed or removed leaves the record with the next harvest."""
    known = {one.name for one in current(read()[library].values())}
    known |= {name for entry in read().values() for name in entry}
    prefix = {"flax": "flax.", "jax": "jax.", "equinox": "equinox.", "optax": "optax."}[library]
    assert [name for name in record.read() if name.startswith(prefix) and name not in known] == []
    assert inventory(library)
