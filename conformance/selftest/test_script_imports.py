"""Imports of a script get another name where the input or a helper has theirs."""

from __future__ import annotations

import ast
from types import ModuleType

import pytest

from hypothesis_pytrees.core.recipe import IMPORTS
from treelaws.core import files
from treelaws.laws.nnx import _model, abstract
from treelaws.reproduce.script.helpers import Helpers

_READ = ast.parse("Path('a').name")


def _helpers(*taken: str) -> Helpers:
    return Helpers({}, taken, frozenset(), typed=True)


def _renamed(helpers: Helpers, module: str) -> list[str | None]:
    return [edit.text for edit in helpers.edits_for(module, _READ)]


def test_a_free_name_of_an_import_is_kept() -> None:
    helpers = _helpers()
    assert _renamed(helpers, files.__name__) == []
    assert [*helpers.imports] == ["from pathlib import Path"]


def test_an_import_gives_way_to_a_class_of_the_input() -> None:
    helpers = _helpers("Path")
    assert _renamed(helpers, files.__name__) == ["its_Path"]
    assert [*helpers.imports] == ["from pathlib import Path as its_Path"]


def test_of_an_import_and_an_alias_with_one_name_the_second_gets_another() -> None:
    before, after = _helpers(), _helpers()
    assert _renamed(before, files.__name__) == _renamed(after, _model.__name__) == []
    assert _renamed(before, _model.__name__) == _renamed(after, files.__name__) == ["its_Path"]
    assert [*after.imports] == ["from typing import Any", "from pathlib import Path as its_Path"]


@pytest.mark.parametrize("module", [_model, abstract])
def test_what_each_input_imports_is_no_other_object(module: ModuleType) -> None:
    """One of the two imports `jax.extend`, which binds `jax` too."""
    read = ast.parse("jax.tree.leaves(np)")
    assert _helpers(*IMPORTS).edits_for(module.__name__, read) == []
