"""A run that tests nothing of a library fails and says so, unless that is wanted."""

from __future__ import annotations

import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

from treelaws.core.subject import Subject
from treelaws.reporting.rows import Row
from treelaws.reporting.untested import reasons_of, skipped, untested

from .pytest_runs import USAGE_ERROR, ran, run_pytest

_TESTS = """\
from treelaws.laws.equinox import filter as filtering
from treelaws.laws.jax import map as mapping
from treelaws.pytest_plugin.law_tests import law_tests

TestFilter = law_tests(filtering)
TestMap = law_tests(mapping)
"""
_HIDDEN = """\
import importlib.util

_find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "equinox" else _find(name, *more)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_some.py").write_text(_TESTS)
    return tmp_path


def _fresh(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_pytest("--laws-profile", "quick", *arguments, cwd=folder, fresh=True)


@pytest.mark.sweep
def test_a_library_that_cannot_be_imported_fails_the_run(folder: Path) -> None:
    package = folder / "equinox"
    package.mkdir()
    (package / "__init__.py").write_text("raise TypeError('of this release')\n")
    run = _fresh(folder, "-n", "2", "--allow-missing", "equinox")
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout
    told = "is installed and cannot be imported: TypeError: of this release"
    (line,) = [line for line in run.stdout.splitlines() if line.startswith("error: ")]
    assert line.startswith("error: equinox ")
    assert line.endswith(told)


@pytest.mark.sweep
def test_a_library_that_is_not_installed_is_missed_unless_it_is_allowed(folder: Path) -> None:
    (folder / "conftest.py").write_text(_HIDDEN)
    run = _fresh(folder)
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout
    (line,) = [line for line in run.stdout.splitlines() if line.startswith("error: ")]
    assert line.startswith("error: equinox was not tested: ")
    assert line.endswith("skipped: equinox is not installed; --allow-missing equinox accepts that")
    run = _fresh(folder, "--allow-missing", "equinox", "--laws", "equinox.*")
    assert run.returncode == pytest.ExitCode.OK, run.stdout


def test_an_unknown_name_is_rejected(folder: Path) -> None:
    run = ran(folder, "--allow-missing", "equinoxx")
    assert run.returncode == USAGE_ERROR
    assert "--allow-missing: unknown 'equinoxx'; did you mean equinox?" in run.stderr


def test_a_run_without_a_law_that_runs_fails(tmp_path: Path) -> None:
    text = """\
        import dataclasses

        import jax
        import treelaws

        @jax.tree_util.register_dataclass
        @dataclasses.dataclass
        class Index:
            place: jax.Array

        @treelaws.parametrize(
            Index,
            instances=lambda: Index(jax.numpy.arange(3)),
            laws="node.transforms.hessian_is_a_node_of_nodes",
            mixed=False,
        )
        def test_laws(law):
            law()
        """
    (tmp_path / "test_mine.py").write_text(dedent(text))
    run = ran(tmp_path)
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout
    assert "error: no law ran: 1 skipped: " in run.stdout
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")
    assert ran(tmp_path).returncode == pytest.ExitCode.OK


def test_only_libraries_of_the_suite_count() -> None:
    subjects = {
        "equinox": Subject("equinox", "equinox", lambda: None, part_of="equinox"),
        "eqx.Module": Subject("eqx.Module", "node", lambda: None, part_of="equinox"),
        "optax": Subject("optax", "optax", lambda: None, part_of="optax"),
        "mixed": Subject("mixed", "node", lambda: None, part_of="mixed"),
        "mine": Subject("mine", "node", lambda: None),
    }
    skips = [Row("some.law", name, "skipped", reason="is not installed") for name in subjects]
    assert [one.library for one in untested(skips, subjects.get)] == ["equinox", "optax"]
    held = [*skips, Row("other.law", "eqx.Module", "held")]
    assert [one.library for one in untested(held, subjects.get)] == ["optax"]
    assert untested([Row("some.law", "mine", "held")], subjects.get) == []


def test_reasons_are_counted_without_the_name_of_the_subject() -> None:
    rows = [
        Row("some.law", name, "skipped", reason=f"{name} does not claim a type")
        for name in ("first", "second")
    ]
    rows += [Row("some.law", "third", "skipped"), Row("some.law", "fourth", "held")]
    told = "3 skipped: 2 the subject does not claim a type; 1 without a reason"
    assert skipped(reasons_of(rows)) == told
    assert skipped(reasons_of(rows), most=1).endswith("a type; 1 for other reasons")
