"""Files across releases: which pairs are tried, and what is noticed of what another wrote."""

from __future__ import annotations

import base64
import datetime
import io
import json
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import filelock
import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
import pytest

from hypothesis_pytrees import Recipe
from treelaws.__main__ import main
from treelaws.laws import all_laws
from treelaws.releases.carried import child, places, running
from treelaws.releases.carried.asked import Asked
from treelaws.releases.carried.cases import CASES, WRITTEN, Carried, cases_in, is_carried
from treelaws.releases.carried.differing import differing
from treelaws.releases.carried.journal import Journal
from treelaws.releases.carried.judged import NAME, judgement, needs_judgement
from treelaws.releases.carried.outcomes import LETTERS, Outcome, outcomes, worst
from treelaws.releases.carried.page import FOLDER, pages
from treelaws.releases.carried.pairs import Side, pairs
from treelaws.releases.carried.places import until_done
from treelaws.releases.carried.promises import PROMISES
from treelaws.releases.carried.running import Result
from treelaws.releases.carried.script import script
from treelaws.releases.carried.status import read, text
from treelaws.releases.environments import index, processes
from treelaws.releases.environments.environments import Environment, Release
from treelaws.releases.environments.processes import Ended

_PICKLE = "node.copies.pickle_equals_the_original"
_LAYERS = "equinox.carried.layers_load_from_a_file"
_BYTES = "flax.carried.training_states_load_from_bytes"
_WEAK = Recipe(statements=("node = {'a': jnp.asarray(1.0), 'b': jnp.float32(2.0)}",))
_TWO = Recipe(
    statements=(
        "tree = {'a': jnp.float32([1.0, 2.0]), 'b': jnp.float32([3.0, 4.0])}",
        "like = jtu.tree_map(jnp.zeros_like, tree)",
    )
)
_STATE = Recipe(statements=("state = {'a': jnp.float32([1.1, 2.0])}",))


def _releases(*versions: str) -> list[Side]:
    return [Side("equinox", version) for version in versions]


def _named(found: Iterable[tuple[Side, Side]]) -> list[str]:
    return [f"{one.name}>{other.name}" for one, other in found]


def test_neighbours_and_ends_are_paired_in_both_directions() -> None:
    line = _releases("1", "2", "3")
    found = _named(pairs(line, line, "neighbours"))
    assert found == ["1>2", "2>1", "2>3", "3>2", "1>3", "3>1"]
    assert _named(pairs(line[:2], line[:2], "neighbours")) == ["1>2", "2>1"]


def test_all_pairs_each_writer_with_each_reader() -> None:
    assert _named(pairs(_releases("1", "2"), _releases("3"), "all")) == ["1>3", "3>1", "2>3", "3>2"]
    # The installed release has no place in the line.
    found = _named(pairs(_releases("1", "2"), [Side("equinox", "")], "neighbours"))
    assert found == ["1>installed", "installed>1", "2>installed", "installed>2"]
    assert pairs(_releases("1"), _releases("1"), "all") == []


def test_each_upgrade_comes_before_its_rollback() -> None:
    found = _named(pairs(_releases("10"), _releases("1", "2"), "neighbours"))
    assert found == ["1>2", "2>1", "2>10", "10>2", "1>10", "10>1"]
    found = _named(pairs([Side("equinox", "")], _releases("1"), "all"))
    assert found == ["1>installed", "installed>1"]


def test_a_journal_knows_which_case_a_process_died_in(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.begun(0)
    journal.ended(0, {"outcome": "loads"})
    journal.begun(1)
    with journal.path.open("a") as file:
        file.write('{"ended": 1, "outc')
    assert journal.read() == ({0: {"outcome": "loads"}}, [1])
    # It died in its own law, or before; then while it read what another wrote.
    assert child.ends(journal, [1]) == {1: "own"}
    journal.path.write_text('{"begun": 1}\n')
    journal.reading(1)
    assert journal.read() == ({}, [1])
    assert child.ends(journal, [1]) == {1: "ends the process"}


def test_a_case_in_which_a_run_was_stopped_is_tried_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.begun(0)
    journal.ended(0, {"outcome": "loads"})
    journal.begun(1)
    codes = iter([None, 0])
    seen = []

    def run() -> Ended:
        seen.append(journal.read())
        journal.begun(1)
        return Ended(next(codes), "", "stopped")

    assert until_done(run, journal.path) == ""
    assert seen == [({0: {"outcome": "loads"}}, [])] * 2


def _carry(
    folder: Path, law: str, subject: str, recipe: Recipe, change: Callable[[bytes], bytes]
) -> dict[str, Any]:
    """Let a law write and read one case, and change what it wrote in between."""
    folder.joinpath(CASES).write_text(Carried(law, subject, recipe).line() + "\n")
    child.write(folder, 1, 0, [])
    written = Journal(folder / WRITTEN)
    ended, _ = written.read()
    changed = change(base64.b64decode(ended[0]["data"]))
    written.path.unlink()
    written.ended(0, {"data": base64.b64encode(changed).decode()})
    child.read(folder, folder / "read.jsonl")
    return Journal(folder / "read.jsonl").read()[0][0]


def _strong(data: bytes) -> bytes:
    strong = lambda leaf: jax.device_put(np.asarray(leaf))
    return pickle.dumps(jtu.tree_map(strong, pickle.loads(data)))


def _swapped(data: bytes) -> bytes:
    half = len(data) // 2
    return data[half:] + data[:half]


def _cast(data: bytes) -> bytes:
    read, written = io.BytesIO(data), io.BytesIO()
    for _ in range(2):
        np.save(written, np.load(read).astype(np.float16))
    return written.getvalue()


def _shortened(data: bytes) -> bytes:
    from flax import serialization

    held = serialization.msgpack_restore(data)
    cast = jtu.tree_map(lambda leaf: leaf.astype(np.float16), held)
    return serialization.msgpack_serialize(cast)


@pytest.mark.parametrize(
    ("law", "subject", "recipe", "change", "outcome"),
    [
        (_PICKLE, "dict", _WEAK, lambda data: data, "loads"),
        (_PICKLE, "dict", _WEAK, _strong, "loads wrong"),
        (_LAYERS, "equinox", _TWO, lambda data: data, "loads"),
        (_LAYERS, "equinox", _TWO, _swapped, "loads wrong"),
        (_LAYERS, "equinox", _TWO, _cast, "fails"),
        (_LAYERS, "equinox", _TWO, lambda data: data[:-5], "fails"),
        (_BYTES, "flax", _STATE, _shortened, "loads wrong"),
    ],
    ids=["same", "weak-types-dropped", "same-file", "swapped", "cast", "cut", "cast-silently"],
)
def test_what_another_release_would_write_otherwise_is_noticed(
    tmp_path: Path, law: str, subject: str, recipe: Recipe, change: Any, outcome: str
) -> None:
    found = _carry(tmp_path, law, subject, recipe, change)
    assert found["outcome"] == outcome, found


def test_a_dtype_that_a_pickle_changes_is_as_before_in_the_next_case(tmp_path: Path) -> None:
    node = Recipe(statements=("node = {'a': jnp.asarray([1.0], jnp.bfloat16)}",))
    tmp_path.joinpath(CASES).write_text(f"{Carried(_PICKLE, 'dict', node).line()}\n" * 2)
    child.write(tmp_path, 1, 0, [])
    written = Journal(tmp_path / WRITTEN)
    data = base64.b64decode(written.read()[0][0]["data"])
    # The end of the pickled state of the dtype: its size, its alignment and its flags.
    state: Any = np.dtype(jnp.bfloat16).__reduce__()[2]
    *_, size, alignment, flags = state
    end = lambda flags: bytes([*b"K", size, *b"K", alignment, *b"K", flags, *b"t"])
    assert end(flags) in data
    changed = data.replace(end(flags), end(flags ^ 16))
    for case, each in enumerate((changed, data)):
        written.ended(case, {"data": base64.b64encode(each).decode()})
    child.read(tmp_path, tmp_path / "read.jsonl")
    ended, _ = Journal(tmp_path / "read.jsonl").read()
    assert ended[1]["outcome"] == "loads", ended


def test_cases_are_drawn_once_and_random_numbers_are_left_out(tmp_path: Path) -> None:
    child.write(tmp_path, 5, 3, [f"optax:{'optax.carried.pickled_states_are_equal'}"])
    first = tmp_path.joinpath(CASES).read_text()
    child.write(tmp_path, 5, 4, ["optax:optax.carried.pickled_states_are_equal"])
    assert tmp_path.joinpath(CASES).read_text() == first
    assert 0 < len(cases_in(tmp_path)) <= 5
    ended, died = Journal(tmp_path / WRITTEN).read()
    assert not died
    assert all("data" in told for told in ended.values())


def test_what_fails_within_one_release_says_nothing(tmp_path: Path) -> None:
    line = Carried(_PICKLE, "dict", _WEAK).line() + "\n"
    tmp_path.joinpath(CASES).write_text(line * 2)
    own, other = Journal(tmp_path / "own.jsonl"), Journal(tmp_path / "other.jsonl")
    own.ended(0, {"outcome": "loads wrong"})
    own.ended(1, {"outcome": "loads"})
    other.ended(0, {"outcome": "loads wrong", "told": "value"})
    other.begun(1)
    other.reading(1)
    found = outcomes(tmp_path, other.path, own.path)
    assert [one.outcome for one in found] == ["own", "ends the process"]
    assert worst(found) == "ends the process"


def test_every_carried_law_is_known_and_calls_its_carrier_once() -> None:
    laws = [law for law in all_laws().values() if is_carried(law)]
    assert len(laws) >= 20
    assert set(PROMISES) <= {law.id for law in laws}
    topics = {law.topic.id for law in all_laws().values() if law.topic.id.endswith(".carried")}
    assert topics == {
        "equinox.carried",
        "flax.carried",
        "jax.carried",
        "nnx.carried",
        "optax.carried",
    }


def test_a_promise_holds_for_releases_of_some_dates() -> None:
    promise = PROMISES["jax.carried.exported_programs_compute_the_same"]
    day = datetime.date(2026, 1, 1)
    after = lambda days: day + datetime.timedelta(days=days)
    assert promise.covers(day, after(181))
    assert not promise.covers(day, after(182))
    assert promise.covers(after(21), day)
    assert not promise.covers(after(22), day)


def _result(writer: str, reader: str, *found: Outcome, problem: str = "") -> Result:
    one, other = _releases(writer, reader)
    return Result(one, other, found, problem=problem)


def _outcome(outcome: str, told: str = "", *, recipe: Recipe = _WEAK, aspect: str = "") -> Outcome:
    return Outcome(0, Carried(_PICKLE, "dict", recipe), outcome, told, aspect)


def test_outcomes_that_are_alike_are_one_entry() -> None:
    results = [
        _result("1", "2", _outcome("fails", "KeyError: 'a'"), _outcome("loads")),
        _result("2", "1", _outcome("fails", "KeyError: 'b'"), _outcome("own", "KeyError: 'b'")),
        _result("2", "3", _outcome("loads wrong", "at .x: value\n  got 1", aspect="value")),
    ]
    found = differing(results)
    assert [(one.first.outcome, one.pairs) for one in found] == [
        ("fails", ["1 -> 2", "2 -> 1"]),
        ("loads wrong", ["2 -> 3"]),
    ]


def test_the_results_read_back_and_have_a_page_and_a_picture(tmp_path: Path) -> None:
    asked = Asked("equinox", (), 2, 0, tmp_path)
    results = [
        _result("1", "2", _outcome("fails", "ValueError: `a` <b>")),
        _result("2", "1", problem="equinox 2 cannot be installed: no wheel"),
    ]
    tmp_path.joinpath("equinox.toml").write_text(text(asked, results, "0.1"))
    found = read(tmp_path / "equinox.toml")
    assert found["pair"][0]["laws"] == {_PICKLE: "fails"}
    assert found["outcome"][0]["told"] == "ValueError: `a` <b>"
    made = pages(tmp_path)
    assert f"| `{_PICKLE}` | `f` | `-` |" in made["carried/equinox.md"]
    assert "cannot be installed: no wheel" in made["carried/equinox.md"]
    assert made["carried/equinox.svg"].count("<rect") == 2 + len(LETTERS) + 1
    assert "| [equinox](equinox.md) | 2 | 2 | 0 | 0 | 0 | 1 |" in made["carried/index.md"]


_PACKAGES = [path.stem for path in sorted(FOLDER.glob("*.toml")) if path.name != NAME]


@pytest.mark.parametrize("package", _PACKAGES)
def test_the_recorded_results_name_laws_of_today(package: str) -> None:
    found = read(FOLDER / f"{package}.toml")
    assert {law for pair in found["pair"] for law in pair["laws"]} <= set(all_laws())


@pytest.mark.parametrize("package", _PACKAGES)
def test_what_loads_wrong_is_judged(package: str) -> None:
    rows = filter(needs_judgement, read(FOLDER / f"{package}.toml").get("outcome", ()))
    assert [row for row in rows if not judgement(package, row, FOLDER)] == []


def test_a_release_that_cannot_be_installed_costs_its_own_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = lambda wanted: Environment(wanted, tmp_path, problem="no wheel for Python 3.10")
    monkeypatch.setattr(places, "environment", refused)
    line, lines = _releases("0.11.8", "0.11.9"), []
    asked = Asked("equinox", (), 1, 0, tmp_path)
    results = list(running.run_all(pairs(line, line, "neighbours"), asked, 1, lines.append))
    wanted = "equinox 0.11.8 cannot be installed: no wheel for Python 3.10"
    assert results[0].problem == wanted
    told = "equinox {0} cannot be installed: no wheel for Python 3.10"
    assert lines[0] == f"[1/2] equinox 0.11.8 -> equinox 0.11.9: {told.format('0.11.8')}"
    assert lines[1] == f"[2/2] equinox 0.11.9 -> equinox 0.11.8: {told.format('0.11.9')}"


def test_one_run_at_a_time_writes_to_a_folder(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "releases", lambda *_: [Release("0.13.8", None)])
    words = ["carried", "--package", "equinox", "--from", "installed", "--to", "0.13.8"]
    with filelock.FileLock(tmp_path / "equinox.lock"):
        assert main([*words, "--runs", str(tmp_path)]) == 2
    assert "another run of equinox is at work there" in capsys.readouterr().err


def _python(before: str = "") -> Callable[[Iterable[str], Path], Ended]:
    """Start Python after a statement, as a release that differs would."""

    def run(words: Iterable[str], folder: Path) -> Ended:
        file, *rest = words
        start = f"import runpy, sys; sys.argv[:] = {[file, *rest]!r}; {before}; "
        code = f"{start}runpy.run_path({file!r}, run_name='__main__')"
        return processes.run([sys.executable, "-c", code], 120.0, dict(os.environ), folder)

    return run


@pytest.mark.sweep
def test_a_script_shows_what_two_releases_do() -> None:
    found = _outcome("loads wrong", "value", aspect="value")
    zeros = (
        "import jax, pickle; real = pickle.loads; "
        "pickle.loads = lambda data: jax.tree_util.tree_map(lambda leaf: leaf * 0, real(data))"
    )
    made = script(found, "A 1 and A 2", _python("pass"), _python(zeros))
    assert "This does not hold for A 1 and A 2" in made.replace("\n", " ")
    assert 'sys.argv[1] == "write"' in made
    assert "treelaws" not in made.partition('"""\n\n')[2]
    assert script(found, "A 1 and A 1", _python("pass"), _python("pass")) == ""


def test_a_line_of_a_case_reads_back() -> None:
    one = Carried(_PICKLE, "dict", Recipe(("x = 1\n",), ("y = x",), "y", frozenset({"a"})))
    assert Carried.parsed(one.line()) == one
    assert json.loads(one.line())[0] == _PICKLE
