"""HypoFuzz takes the laws: what it needs to know, it is told when it collects them."""

from __future__ import annotations

from pathlib import Path

from .pytest_runs import ran

_LAWS = """
import sys
from hypothesis_pytrees import trees
from hypothesis_pytrees import cases
from treelaws import Topic, law_tests
from treelaws.equality import same

law = Topic("house.example", "Example", family="jax")
_CASE = cases(tree=trees(max_leaves=2))


@law("one is one", source="here", case=_CASE)
def one_is_one(lib, case):
    same(1, 1)


@law("nobody claims this", source="here", case=_CASE, needs={"no.such.name"})
def nobody_has_it(lib, case):
    same(1, 1)


TestExample = law_tests(sys.modules[__name__])
"""
# What HypoFuzz does before it collects, and looks at afterwards.
_FUZZER = """
import inspect
import multiprocessing
import sys
import types
from hypothesis import settings

detection = types.ModuleType("hypofuzz.detection")
detection.in_hypofuzz_run = lambda: True
sys.modules["hypofuzz.detection"] = detection


def pytest_collection_finish(session):
    print("started by", multiprocessing.get_start_method())
    for item in session.items:
        own = item.obj._hypothesis_internal_use_settings
        print(item.originalname, "takes", *inspect.signature(item.function).parameters)
        print(item.originalname, "keeps", own.database == settings().database, own.database)
        for mark in item.iter_markers("skip"):
            print(item.originalname, "is skipped:", mark.kwargs["reason"])
"""


def _told(folder: Path, *arguments: str, **more: str) -> str:
    (folder / "test_example.py").write_text(_LAWS)
    (folder / "conftest.py").write_text(_FUZZER)
    run = ran(folder, "--collect-only", "-q", "-s", *arguments, **more)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_what_cannot_be_tried_is_marked(tmp_path: Path) -> None:
    told = _told(tmp_path)
    assert "test_nobody_has_it is skipped: jax does not claim no.such.name" in told
    assert "test_one_is_one is skipped" not in told


def test_the_database_of_laws_is_the_default_one(tmp_path: Path) -> None:
    # Where CI is set, the default of Hypothesis is to keep nothing.
    told = _told(tmp_path, CI="1")
    assert "test_one_is_one keeps True" in told
    told = _told(tmp_path, f"--database={tmp_path / 'kept'}")
    assert "test_one_is_one keeps True DirectoryBasedExampleDatabase" in told
    assert "kept" in told


def test_workers_are_started_afresh(tmp_path: Path) -> None:
    assert "started by spawn" in _told(tmp_path)


def test_laws_are_methods(tmp_path: Path) -> None:
    # HypoFuzz hands the instance to every test in a class.
    assert "test_one_is_one takes self subject" in _told(tmp_path)
