"""`--library` and `--list-laws`: what they choose, and what a name that is none is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treelaws.core.settings import LIBRARIES
from treelaws.core.subject import Subject
from treelaws.pytest_plugin.libraries import check_libraries
from treelaws.subjects.registry import subjects

from .pytest_runs import run_pytest

_FILES = "conformance/treelaws/tests/test_nodes.py"
_OBSERVED = "conformance/treelaws/tests/test_equinox.py"
_OWN_TYPE = """
from hypothesis_pytrees import trees
from treelaws import Subject, law_tests, register
from treelaws.laws.nodes import flatten

register(Subject("own", "node", lambda: __import__("jax"), kind="list", instances=trees))
TestOwn = law_tests(flatten, subjects=["own", "list"])
"""
_WATCH = """
import sys

def pytest_unconfigure():
    print([n for n in ("equinox", "flax", "chex") if n in sys.modules])
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Flax", "unknown 'Flax'; did you mean flax?"),
        ("eqinox", "did you mean equinox?"),
        ("torch", "unknown 'torch'; choose from jax, equinox, flax, chex, nnx, optax, mixed"),
        ("", "unknown ''; choose from"),
        ("flax,jax", "unknown 'flax,jax'; did you mean flax?"),
    ],
)
def test_a_library_that_is_none_is_refused(name: str, said: str) -> None:
    with pytest.raises(pytest.UsageError) as raised:
        check_libraries("--library", [name])
    assert said in str(raised.value)


def test_each_subject_is_at_home_in_a_library() -> None:
    # Those that other tests have made are at home nowhere.
    homes = {one.name: one.home for one in subjects() if one.shipped}
    assert set(homes.values()) <= set(LIBRARIES)
    wanted = {
        "namedtuple": "jax",
        "eqx.nn.State": "equinox",
        "FrozenDict": "flax",
        "nnx.State": "nnx",
        "chex.dataclass": "chex",
        "optax.adam": "optax",
        "mixed": "mixed",
    }
    assert {name: homes[name] for name in wanted} == wanted


def test_a_subject_from_elsewhere_is_at_home_where_it_requires() -> None:
    assert Subject("fork", "flax", lambda: None, requires="flax").home == "flax"
    assert Subject("own", "node", lambda: None).home == ""
    assert not Subject("fork", "flax", lambda: None, requires="flax").shipped


def test_the_list_names_each_law_that_would_run_and_runs_nothing() -> None:
    asked = ("--laws", "*.flatten.*", "--level", "should", "--library", "flax", "-n", "2")
    run = run_pytest(_FILES, "--list-laws", *asked)
    assert run.returncode == 0, run.stdout + run.stderr
    listed = re.findall(r"^(\S+)  \[(\w+)\]  \S", run.stdout, re.MULTILINE)
    assert listed
    assert listed == sorted(listed)
    assert {level for _, level in listed} <= {"must", "should"}
    assert all(".flatten." in id for id, _ in listed)
    assert f"{len(listed)} laws on 6 subjects: " in run.stdout
    assert not re.search(r"\d (passed|skipped|failed)", run.stdout)
    assert "report:" not in run.stdout


def test_the_list_marks_what_fails_nothing() -> None:
    run = run_pytest(_OBSERVED, "--list-laws", "--library", "equinox")
    levels = set(re.findall(r"^\S+  \[(.+?)\]  ", run.stdout, re.MULTILINE))
    assert "observed, advisory" in levels
    assert "must" in levels


def test_a_list_of_nothing_is_no_success() -> None:
    asked = ("--library", "nnx", "--subject", "equinox")
    run = run_pytest(_FILES, "--list-laws", *asked)
    assert run.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "0 laws on 0 subjects" in run.stdout


@pytest.mark.sweep
def test_a_library_leaves_other_subjects_out_and_imports_no_flax(tmp_path: Path) -> None:
    (tmp_path / "watch.py").write_text(_WATCH)
    (tmp_path / "test_own.py").write_text(_OWN_TYPE)
    chosen = ("--library", "jax", "--laws-profile", "quick", "-v")
    run = run_pytest("-p", "watch", *chosen, cwd=tmp_path, fresh=True)
    assert run.returncode == 0, run.stdout
    assert "[list] PASSED" in run.stdout
    assert "[own]" not in run.stdout
    assert "flax" not in run.stdout.splitlines()[-1]


@pytest.mark.sweep
def test_without_a_library_its_laws_are_skipped(tmp_path: Path) -> None:
    """Optax has a subject for each of its functions: these are there without Optax, too."""
    (tmp_path / "hide.py").write_text(
        "import importlib.util as util\n\nfind = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'optax' else find(name, *more)\n"
    )
    (tmp_path / "test_own.py").write_text("from treelaws.tests.test_optax import *\n")
    run = run_pytest("-p", "hide", "-rs", "--allow-missing", "optax", cwd=tmp_path, fresh=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"SKIPPED \[\d{3,}\] .*: optax is not installed", run.stdout)


def test_laws_without_subjects_are_skipped_by_pytest(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(_OWN_TYPE.replace('"own", "list"', '"jax"'))
    run = run_pytest(cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"\d+ skipped", run.stdout)
