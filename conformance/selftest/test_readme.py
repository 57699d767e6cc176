"""What the README tells users to write runs as written."""

from __future__ import annotations

import dataclasses
import importlib
import re
import sys
from pathlib import Path

import pytest

import treelaws
from treelaws.core import profiles
from treelaws.core.departures import known
from treelaws.laws import law_named
from treelaws.pytest_plugin import law_tests
from treelaws.subjects.user import subject_of

from .pytest_runs import ROOT, ran
from .their_library import COUNTER

_LIBRARY = """
import jax


@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def tree_flatten(self):
        return (self.left, self.right), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        box = object.__new__(cls)
        box.left, box.right = children
        return box
"""


def test_own_node_type_runs_as_written(tmp_path: Path) -> None:
    blocks = re.findall(
        r"```python\n(# test_my_node.py\n.*?)```", (ROOT / "README.md").read_text(), re.S
    )
    (tmp_path / "test_my_node.py").write_text(blocks[0])
    (tmp_path / "my_library.py").write_text(_LIBRARY)
    run = ran(tmp_path, "-q", "test_my_node.py")
    assert run.returncode == 0, run.stdout
    assert " passed" in run.stdout


def test_the_known_departure_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (ROOT / "README.md").read_text()
    (text,) = re.findall(r"```toml\n(# known.toml\n.*?)```", readme, re.S)
    (tmp_path / "known.toml").write_text(text)
    (tmp_path / "my_library.py").write_text(COUNTER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_library", raising=False)
    counter = importlib.import_module("my_library").Counter
    monkeypatch.chdir(tmp_path)
    (departure,) = known.read(Path("known.toml"))
    options = {"laws": departure.law, "mixed": False, "known": "known.toml"}
    assert {one.verdict for one in treelaws.check(counter, **options)} == {"known"}
    stale = dataclasses.replace(departure, witness="node = [1.0]")
    with pytest.raises(pytest.fail.Exception) as raised:
        law_tests.replay(stale, subject_of(counter))
    assert " ".join(str(raised.value).split()[:7]) in readme
    del sys.modules["my_library"]


def test_the_failure_shown_first_names_the_law_as_it_stands() -> None:
    message = re.findall(r"```text\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[0]
    law = law_named(message.split()[0])
    assert f"  {law.statement}\n" in message
    assert f"  level {law.level}, promised by {law.source}\n" in message
    assert f"  law at {law.location}\n" in message


def test_the_examples_of_each_profile_are_true() -> None:
    text = (ROOT / "README.md").read_text()
    for name, examples in profiles.EXAMPLES.items():
        assert f"`{name}` ({examples}" in text
