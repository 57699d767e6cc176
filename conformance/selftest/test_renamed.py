"""Names of the last release still work, and say what they are called now."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import treelaws
from treelaws import laws

from .pytest_runs import run_pytest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Broken", "ConformanceError"),
        ("BrokenWarning", "ConformanceWarning"),
        ("LawBroken", "Mismatch"),
    ],
)
def test_a_renamed_class_is_the_new_one(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"treelaws.{old} is now treelaws.{new}"):
        assert getattr(treelaws, old) is getattr(treelaws, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("node_flatten", "nodes.flatten"),
        ("node_aux", "nodes.aux"),
        ("jax_map", "jax.map"),
        ("module_fields", "equinox.module_fields"),
        ("equinox_closure", "equinox.trace_closure"),
        ("optax_state", "optax.transformation_state"),
        ("nnx_split", "nnx.split"),
        ("recipes_splitting", "idioms.splitting"),
    ],
)
def test_a_moved_file_of_laws_is_found(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"treelaws\.laws\.{old} is now .*\.{new}"):
        assert getattr(laws, old) is importlib.import_module(f"treelaws.laws.{new}")


def test_a_name_that_never_was_is_no_file_of_laws() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'node_nothing'"):
        _ = laws.node_nothing


def test_the_test_of_witnesses_is_found_under_its_old_name(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("from treelaws.test_known import *\n")
    run = run_pytest("--collect-only", "-q", cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "test_mine.py::test_departure_still_departs[" in run.stdout
    assert "treelaws.test_known is now treelaws.tests.test_findings" in run.stdout
