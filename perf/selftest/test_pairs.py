"""Two processes take turns, tell what they cannot do, and name a last word when they die."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pytree_timing import against
from pytree_timing.changes import lines
from pytree_timing.pairs import Measured, Version, WorkerDied, measure

_HERE = Version("here", [sys.executable])
_FLATTEN = "tree.flatten-module-100-cpu"


@pytest.fixture
def slower(tmp_path: Path) -> Version:
    """Return a version that does what flattening does five times over."""
    (tmp_path / "sitecustomize.py").write_text(
        "import jax.tree_util as jtu\n"
        "flatten = jtu.tree_flatten\n"
        "def often(tree, is_leaf=None):\n"
        "    return [flatten(tree, is_leaf) for _ in range(5)][0]\n"
        "jtu.tree_flatten = often\n"
    )
    return Version("slower", [sys.executable], (tmp_path,))


@pytest.mark.sweep
def test_a_version_that_does_five_times_the_work_is_slower(slower: Version) -> None:
    told: list[str] = []
    found = measure(_HERE, slower, [_FLATTEN], tell=told.append)[_FLATTEN]
    assert found.comparison is not None
    assert found.comparison.verdict == "slower"
    # Whatever else the machine does: a load may cost either side a half of its time.
    assert 2 < found.comparison.ratio.value < 10
    assert told[0] == "pair 1: 1 cases"
    said = list(lines({_FLATTEN: found}, "here"))
    assert any("calls of functions: " in line for line in said)


@pytest.mark.sweep
def test_what_cannot_be_compared_says_why() -> None:
    found = measure(_HERE, _HERE, ["tree.unheard_of-module-100-cpu"])
    (one,) = found.values()
    assert one.comparison is None
    assert one.problem.startswith("baseline: no such case")
    assert "not compared: 1 cases: " in list(lines(found, "here"))[-1]


def test_a_process_that_dies_says_what_it_said_last(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.exit('no room')\n")
    dying = Version("dying", [sys.executable], (tmp_path,))
    with pytest.raises(WorkerDied, match="dying: "):
        measure(_HERE, dying, [_FLATTEN])


def test_a_process_has_the_variables_of_its_version(tmp_path: Path) -> None:
    lost = Version("lost", [sys.executable], variables={"PYTHONHOME": str(tmp_path)})
    with pytest.raises(WorkerDied, match="lost: "):
        measure(_HERE, lost, [_FLATTEN])


def test_a_baseline_has_its_own_variables_and_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    class There:
        problem = ""
        command = [sys.executable]
        variables = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}

    monkeypatch.setattr(against, "environment", lambda wanted: There)
    found = against.baseline("jax==0.8.0", [])
    assert (found.command, found.variables) == (There.command, There.variables)
    assert [(folder / "treelaws" / "compat").exists() for folder in found.path] == [True]


def test_an_exponent_that_changed_is_told() -> None:
    def measured(before: float, after: float) -> Measured:
        noise = [1.0, 1.001, 1.002]
        return Measured([before * one for one in noise], [after * one for one in noise])

    found = {
        "compile.trace-nnx-100-cpu": measured(1e-3, 1e-3),
        "compile.trace-nnx-1000-cpu": measured(1e-2, 6e-2),
    }
    assert any(line.split()[0] == "compile.trace-nnx" for line in lines(found, "here"))
