"""`python -m treelaws classes`, and the classes that a run with a seed has."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypothesis_pytrees.classes.grammar.modules import MODULE_CLASSES
from hypothesis_pytrees.classes.grammar.pool import SEED_VARIABLE, Grammar
from hypothesis_pytrees.nodes.node_classes import NODE_CLASSES
from treelaws.core import settings

from .pytest_runs import errors, run_pytest, told

_TEST = """\
import os

import pytest
from hypothesis_pytrees.classes.grammar.modules import MODULE_CLASSES


@pytest.mark.parametrize("number", range(2))
def test_classes(number):
    names = [kind.template for kind in MODULE_CLASSES.of_run()]
    assert names == [kind.template for kind in MODULE_CLASSES.together({seed!r})]
"""


def test_the_variable_has_one_name():
    assert settings.CLASSES_VARIABLE == SEED_VARIABLE


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(("words", "seed"), [((), ""), (("--hypothesis-seed=5",), "5")])
def test_a_run_has_the_classes_of_its_seed(
    tmp_path: Path, workers: str, words: tuple[str, ...], seed: str
):
    (tmp_path / "conftest.py").write_text("import hypothesis_pytrees\n")
    (tmp_path / "test_mine.py").write_text(_TEST.format(seed=seed))
    run = run_pytest("-q", "-p", "xdist", "-n", workers, *words, "test_mine.py", cwd=tmp_path)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("grammar", [MODULE_CLASSES, NODE_CLASSES], ids=["eqx", "node"])
def test_they_are_printed(tmp_path: Path, grammar: Grammar):
    kind = next(grammar.together("7"))
    name = kind.template.split("(")[0]
    printed = told(tmp_path, "classes", "--seed", "7", name).stdout
    assert all(text in printed for text in kind.definitions)
    assert name not in told(tmp_path, "classes").stdout
    assert errors(told(tmp_path, "classes", "Other")) == [
        "'Other': no generated class has that name; give none to print all"
    ]
