"""Lists and modules are several subjects; a module of the current folder is found."""

from __future__ import annotations

import importlib
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest

import treelaws
from treelaws.subjects import registry
from treelaws.subjects.user import BadSubject, subject_of, subjects_of

from . import user_nodes as nodes
from .pytest_runs import ran

_LAW = "node.flatten.unflatten_undoes_flatten"
_MODULE = """
import functools
import jax
from jax import tree_util
from typing import NamedTuple

class Pair(NamedTuple):
    x: jax.Array
    y: jax.Array

class Slice(NamedTuple):
    part: slice

class Leaf:
    pass

def make():
    return Pair(1.0, 2.0)

Imported = functools.partial
"""
_TEST_OF_A_MODULE = f"""
import their_nodes
import treelaws


@treelaws.parametrize([their_nodes.Pair], laws="{_LAW}", mixed=False)
def test_one(law):
    law()


@treelaws.parametrize(their_nodes, laws="{_LAW}", mixed=False)
def test_node(law):
    law()
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A module in the current folder, which is not on the path."""
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "several_theirs.py").write_text(_MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [one for one in sys.path if one])
        patch.chdir(folder)
        assert registry.load("several_theirs:make").name == "several_theirs:make"
        yield importlib.import_module("several_theirs")


def _records(found: Any) -> list[tuple[str, str, str]]:
    records = treelaws.check(found, laws=_LAW, mixed=False)
    return [(one.law, one.subject, one.verdict) for one in records]


def test_a_list_of_classes_gives_records_of_each() -> None:
    assert _records([nodes.TheirPair, nodes.TheirStore]) == [
        (_LAW, f"{nodes.__name__}:TheirPair", "held"),
        (_LAW, f"{nodes.__name__}:TheirStore", "held"),
    ]


def test_instances_of_one_class_in_a_list_are_one_subject() -> None:
    mixed = [nodes.make_pair(), nodes.make_layer(), nodes.PAIRS[1]]
    names = [one.name for one in subjects_of(mixed).subjects]
    assert names == [f"{nodes.__name__}:TheirPair", f"{nodes.__name__}:TheirLayer"]


def test_a_module_stands_for_the_nodes_that_it_defines(theirs: Any) -> None:
    records = treelaws.check(theirs, laws=_LAW, mixed=False)
    assert [(one.law, one.subject, one.verdict) for one in records] == [
        (_LAW, "several_theirs:Pair", "held"),
        ("*", "several_theirs:Slice", "skipped"),
    ]
    assert "argument 'part' of Slice is hinted as slice" in records[1].message
    assert [one.name for one in registry.load_all("several_theirs").subjects] == [
        "several_theirs:Pair"
    ]


def test_parametrize_takes_a_module(tmp_path: Path) -> None:
    (tmp_path / "their_nodes.py").write_text(_MODULE)
    (tmp_path / "test_theirs.py").write_text(_TEST_OF_A_MODULE)
    run = ran(tmp_path, "-rs", "-v", "test_theirs.py")
    assert run.returncode == 0, run.stdout
    assert f"test_node[{_LAW} of their_nodes:Pair] PASSED" in run.stdout
    assert "argument 'part' of Slice is hinted as slice" in run.stdout
    assert " 2 passed, 1 skipped" in run.stdout


def test_a_module_that_imports_functions_of_a_library_is_not_the_library(
    theirs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert theirs.tree_util is jax.tree_util
    assert [one.family for one in subjects_of(theirs).subjects] == ["node"]
    monkeypatch.setattr(theirs, "tree_util", types.SimpleNamespace(**vars(jax.tree_util)))
    assert [one.family for one in subjects_of(theirs).subjects] == ["jax"]
    assert [one.family for one in subjects_of(jax).subjects] == ["jax"]


@pytest.mark.parametrize(
    ("found", "options", "line"),
    [
        (json, {}, "json defines no PyTree node class; give a module that does, or a class"),
        ([nodes.TheirPair, nodes.TheirUnhinted], {}, "argument 'thing' of TheirUnhinted has no"),
        ([nodes.TheirPair, nodes.TheirStore], {"name": "x"}, "name= belongs to one class"),
        ([nodes.TheirPair], {"instances": [1]}, "instances= belongs to one class, not to a list"),
        ([1.0], {}, "a float is a leaf to JAX, not a node"),
        ([], {}, "what is given is of type list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_stands_for_no_subjects_says_why(found: Any, options: Any, line: str) -> None:
    with pytest.raises(BadSubject) as raised:
        subjects_of(found, **options)
    assert line in raised.value.args[0]
    assert "\n" not in raised.value.args[0]


def test_a_reference_to_several_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "BOTH", [nodes.TheirPair, nodes.TheirStore], raising=False)
    with pytest.raises(LookupError, match=r"stands for .*TheirPair, .*TheirStore; name one of"):
        registry.load(f"{nodes.__name__}:BOTH")
    assert subject_of(nodes.PAIRS).name == f"{nodes.__name__}:TheirPair"
