"""A hostile class costs its own rows: the rest of a run of pytest, or of a check, is unharmed."""

from __future__ import annotations

import json
import os
import pickle
import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import treelaws
from treelaws.subjects.user import subject_of

from . import hostile_classes
from .hostile_classes import FEW, HAZARDS, LAW, VERDICTS
from .hostile_nodes import Node
from .hostile_processes import SeedsRandomNumbers
from .pytest_runs import run_pytest
from .user_nodes import TheirStore

_MODULE = hostile_classes.__name__
# Scripts of broken laws take seconds each, and other tests run them.
_CONFTEST = """\
from treelaws.core import settings

settings.most_scripts = 0
"""
_TESTS = f"""\
import json
from pathlib import Path

import treelaws
from {_MODULE} import CLASSES, FEW, LAW


@treelaws.parametrize($CLASSES, laws=LAW, mixed=False)
def test_parametrized(law):
    law()


def test_check():
    found = treelaws.check(FEW, laws=LAW, mixed=False, on_broken="return", case_time=3)
    told = {{one.subject: [one.verdict, one.message] for one in found}}
    Path(__file__).with_name("checked.json").write_text(json.dumps(told))
"""


@pytest.mark.sweep
@pytest.mark.parametrize(("workers", "classes"), [("0", "CLASSES"), ("2", "FEW")])
def test_a_run_gives_each_class_its_verdict(workers: str, classes: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(_CONFTEST)
    (tmp_path / "test_theirs.py").write_text(_TESTS.replace("$CLASSES", classes))
    run = run_pytest(
        "test_theirs.py", "--pyargs", "treelaws", "--subject", f"{_MODULE}:{classes}", "-q",
        "--laws", LAW, "--laws-profile", "quick", "--case-time", "3", "--junit-xml", "run.xml",
        "--report", ".", "-n", workers, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 1, run.stdout + run.stderr
    assert "INTERNALERROR" not in run.stdout + run.stderr
    failed = _failed_by_test(tmp_path / "run.xml")
    rows = json.loads((tmp_path / "report.json").read_text())["rows"]
    told = {row["subject"]: row for row in rows}
    checked = json.loads((tmp_path / "checked.json").read_text())
    for found in getattr(hostile_classes, classes):
        verdict, text = VERDICTS[found]
        name = f"{found.__module__}:{found.__name__}"
        law = LAW.rpartition(".")[2]
        for test in (f"test_{law}[{name}]", f"test_parametrized[{LAW} of {name}]"):
            assert (test, failed[test]) == (test, verdict == "broken"), run.stdout
        row = told[name]
        assert row["verdict"] == verdict
        assert text in row.get("difference", "") + row.get("reason", "")
    for found in FEW:
        verdict, text = VERDICTS[found]
        kind, message = checked[f"{found.__module__}:{found.__name__}"]
        assert kind == verdict, message
        assert text in message


@pytest.mark.sweep
@pytest.mark.parametrize("found", HAZARDS, ids=lambda found: found.__name__)
def test_a_trial_finds_what_a_class_does_to_its_process(found: type) -> None:
    hazard = subject_of(found).hazard
    assert hazard is not None
    assert hazard.told.startswith(HAZARDS[found])
    assert hazard.importable


def test_a_sound_class_runs_in_the_process_itself() -> None:
    assert subject_of(TheirStore).hazard is None


def test_a_class_that_seeds_random_numbers_leaves_those_of_the_user() -> None:
    before = pickle.dumps((random.getstate(), np.random.get_state()))
    treelaws.check(SeedsRandomNumbers, laws=LAW, mixed=False)
    assert pickle.dumps((random.getstate(), np.random.get_state())) == before


def test_a_local_class_with_a_hazard_is_blocked_and_says_what_to_do() -> None:
    class Local(Node):
        def tree_flatten(self) -> Any:
            os._exit(3)

    jax.tree_util.register_pytree_node_class(Local)
    (record,) = treelaws.check(Local, laws=LAW, mixed=False)
    assert record.verdict == "blocked"
    assert record.message.startswith("flatten ended the process with exit code 3 at test_hostile")
    assert record.message.endswith("in a module that can be imported")


def _failed_by_test(path: Path) -> dict[str, bool]:
    """Return whether each test failed, by its name."""
    cases = ElementTree.parse(path).iter("testcase")
    return {str(one.get("name")): one.find("failure") is not None for one in cases}
