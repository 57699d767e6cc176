"""`--known-update` writes what a run found broken; given reasons, the next run passes."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from treelaws.pytest_plugin import known_update

from .pytest_runs import USAGE_ERROR, errors, run_pytest
from .their_library import COUNTER

_ROUND_TRIP = "node.flatten.unflatten_undoes_flatten"
_HASH = "node.aux.aux_data_is_hashable"
_LISTED = """

@jax.tree_util.register_pytree_node_class
class Listed:
    def __init__(self, x: Any):
        self.x = x

    def tree_flatten(self):
        return (self.x,), ["a list"]

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = object.__new__(cls)
        (made.x,) = children
        return made
"""
# Registered where it is tested: nobody knows it before this file is collected.
_TESTS = """\
import treelaws
from mine import Counter, Listed


@treelaws.parametrize(Counter, laws=["node.flatten.unflatten*", "node.flatten.map*"], mixed=False)
def test_counter(law):
    law()


@treelaws.parametrize(Listed, laws="node.aux.aux_data_is_hashable", mixed=False)
def test_listed(law):
    law()
"""
_OPTIONS = ("-q", "--hypothesis-seed=0", "--laws-profile", "quick", "-p", "xdist")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a broken node and the known files of a run without and with workers."""
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "mine.py").write_text(COUNTER + _LISTED)
    (folder / "test_mine.py").write_text(_TESTS)
    return folder


def _run(folder: Path, *words: str) -> Any:
    return run_pytest(*_OPTIONS, *words, cwd=folder)


@pytest.fixture(scope="module")
def updated(folder: Path) -> Any:
    """The run that wrote `alone.toml`."""
    return _run(folder, "--known-update=alone.toml")


def test_what_is_broken_is_written(folder: Path, updated: Any) -> None:
    text = (folder / "alone.toml").read_text()
    assert updated.returncode == 1
    assert "2 candidates written to alone.toml; fill in the blank reasons" in updated.stdout
    assert re.findall(r'^law = "(.*)"', text, re.M) == [_HASH, _ROUND_TRIP]
    assert "from mine import Counter" in text
    assert "class Counter" not in text
    assert re.search(r'versions = \{jax = "==[\d.]+"\}', text)
    # A law that fails nothing is not written, nor one that is blocked.
    assert "broken" in updated.stdout
    assert "blocked" in updated.stdout


@pytest.mark.sweep
@pytest.mark.usefixtures("updated")
def test_workers_write_the_same(folder: Path) -> None:
    pytest.importorskip("xdist")
    run = _run(folder, "-n", "2", "--known-update", "workers.toml")
    assert run.returncode == 1, run.stdout
    assert (folder / "workers.toml").read_bytes() == (folder / "alone.toml").read_bytes()


@pytest.mark.usefixtures("updated")
def test_with_reasons_the_run_passes_and_nothing_is_written(folder: Path) -> None:
    filled = (folder / "alone.toml").read_text().replace('reason = ""', 'reason = "It counts."')
    (folder / "filled.toml").write_text(filled)
    run = _run(folder, "--known", "filled.toml", "--known-update", "-rp")
    assert run.returncode == 0, run.stdout
    assert "nothing written: this run found no new failure" in run.stdout
    assert (folder / "filled.toml").read_text() == filled
    name = "node_flatten_unflatten_undoes_flatten_mine_Counter"
    assert f"PASSED test_mine.py::test_counter[known {name}]" in run.stdout


@pytest.mark.usefixtures("updated")
def test_an_unknown_subject_is_refused_by_workers_too(folder: Path) -> None:
    pytest.importorskip("xdist")
    filled = (folder / "alone.toml").read_text().replace('reason = ""', 'reason = "It counts."')
    (folder / "typo.toml").write_text(filled.replace('"mine:Counter"', '"mine:Conter"'))
    run = _run(folder, "-n", "1", "--known", "typo.toml")
    (line,) = errors(run)
    assert run.returncode == USAGE_ERROR, run.stdout + run.stderr
    assert "names the unknown subject 'mine:Conter' (did you mean mine:Counter" in line


def _config(**options: Any) -> Any:
    given = {"known": [], "known_update": None, **options}
    return SimpleNamespace(getoption=given.__getitem__)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"known_update": ""}, "no file to write to; write --known-update=known.toml, or give"),
        (
            {"known_update": "tests"},
            "tests is not a TOML file; write --known-update=known.toml, or",
        ),
        ({"known_update": "no/a.toml"}, "no/a.toml: the folder no does not exist; create it"),
    ],
)
def test_a_bad_target_gives_one_line(options: dict[str, Any], said: str) -> None:
    with pytest.raises(pytest.UsageError) as raised:
        known_update.target(_config(**options))
    assert str(raised.value).startswith(f"--known-update: {said}")


def test_the_target_is_the_last_file_and_is_read_where_it_exists(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    config = _config(known=[str(one), str(two)], known_update="")
    assert known_update.target(config) == two
    assert known_update.files(config) == [one]
    two.touch()
    assert known_update.files(config) == [one, two]
    assert known_update.files(_config(known_update=str(two))) == [two]
    assert known_update.files(_config(known=["x"])) == [Path("x")]
