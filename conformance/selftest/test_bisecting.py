"""A change is found whatever cannot be tried, in both directions, and a stopped search goes on."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from hypothesis_pytrees import Recipe
from treelaws import __main__ as main
from treelaws.core.departures import known
from treelaws.core.departures.finding import Finding
from treelaws.releases.bisect import command, first_bad, trials
from treelaws.releases.bisect.bisection import BAD, GOOD, SKIPPED, Bisection, Trial
from treelaws.releases.bisect.trials import Trials, judged, needs
from treelaws.releases.environments.environments import Ended, Environment, Wanted
from treelaws.releases.environments.index import OLDEST, Release
from treelaws.releases.environments.requirements import BadRequest
from treelaws.reproduce.replay import BROKEN, replay_one
from treelaws.reproduce.witness import Witness, find, witness_of

VERSIONS = [f"0.{minor}" for minor in range(20)]
_NAME = "partial_takes_func_and_klass_for_itself"


class _Fake:
    """Answers by the number of the release; counts what it was asked."""

    def __init__(self, bad: range, skipped: frozenset[int] = frozenset()) -> None:
        self.bad, self.skipped = bad, skipped
        self.asked: list[str] = []

    def __call__(self, version: str) -> Trial:
        self.asked.append(version)
        minor = int(version.partition(".")[2])
        if minor in self.skipped:
            return Trial(SKIPPED, "no wheel")
        return Trial(BAD if minor in self.bad else GOOD)


@pytest.mark.parametrize("first", range(1, 20))
def test_the_first_bad_release_is_found(first: int) -> None:
    fake = _Fake(range(first, 20))
    (change,) = Bisection(VERSIONS, fake).changes()
    assert str(change) == f"first bad release 0.{first} (last good 0.{first - 1})"
    assert len(fake.asked) == len(set(fake.asked)) <= 2 + math.ceil(math.log2(len(VERSIONS)))


@pytest.mark.parametrize("first", range(1, 20))
def test_the_first_good_release_is_found(first: int) -> None:
    (change,) = Bisection(VERSIONS, _Fake(range(first))).changes()
    assert str(change) == f"first good release 0.{first} (last bad 0.{first - 1})"


@pytest.mark.parametrize("first", range(1, 20))
@pytest.mark.parametrize("skipped", [{9, 10}, {0, 1}, {18, 19}, set(range(3, 17))], ids=str)
def test_what_cannot_be_tried_is_passed_over(first: int, skipped: set[int]) -> None:
    search = Bisection(VERSIONS, _Fake(range(first, 20), frozenset(skipped)))
    tried = [minor for minor in range(20) if minor not in skipped]
    last = max((minor for minor in tried if minor < first), default=None)
    found = min((minor for minor in tried if minor >= first), default=None)
    changes = search.changes()
    if last is None or found is None:
        assert not changes
        return
    (change,) = changes
    assert (change.last, change.first) == (f"0.{last}", f"0.{found}")
    assert change.untried == tuple(f"0.{minor}" for minor in range(last + 1, found))
    assert set(change.untried) <= set(search.skipped())
    assert set(search.skipped().values()) <= {"no wheel"}


def test_a_doubtful_change_names_what_was_skipped() -> None:
    search = Bisection(VERSIONS, _Fake(range(10, 20), frozenset({10, 11})))
    line = "first bad release 0.12 (last good 0.9), unless it is one of the skipped 0.10, 0.11"
    assert list(map(str, search.changes())) == [line]


def test_the_release_of_the_witness_shows_a_bug_that_came_and_went() -> None:
    fake = _Fake(range(5, 9))
    assert Bisection(VERSIONS, fake).changes() == []
    came, went = Bisection(VERSIONS, fake).changes(found="0.7")
    assert str(came) == "first bad release 0.5 (last good 0.4)"
    assert str(went) == "first good release 0.9 (last bad 0.8)"
    assert Bisection(VERSIONS, fake).changes(found="0.99") == []


def test_two_said_ends_are_the_only_ones_asked() -> None:
    fake = _Fake(range(5, 9))
    (change,) = Bisection(VERSIONS, fake).changes(good="0.10", bad="0.6")
    assert str(change) == "first good release 0.9 (last bad 0.8)"
    assert {"0.0", "0.19"}.isdisjoint(fake.asked)


@pytest.mark.parametrize("given", [{"good": "0.0"}, {"bad": "0.19"}, {"bad": "0.12.0"}], ids=str)
def test_one_said_end_suffices(given: Mapping[str, str]) -> None:
    (change,) = Bisection(VERSIONS, _Fake(range(5, 20))).changes(**given)
    assert change.first == "0.5"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"good": "0.6", "bad": "0.7"}, "--good 0.6: that release is bad"),
        ({"bad": "0.1"}, "--bad 0.1: that release is good"),
        ({"bad": "0.13"}, "--bad 0.13: that release is skipped: no wheel"),
        ({"good": "1.0"}, "--good 1.0: no such release; choose from 0.0, 0.1,"),
        ({"good": "one"}, "--good one: no such release"),
    ],
)
def test_a_wrong_end_is_a_bad_request(given: Mapping[str, str], line: str) -> None:
    search = Bisection(VERSIONS, _Fake(range(5, 9), frozenset({13})))
    with pytest.raises(BadRequest) as caught:
        search.changes(**given)
    assert str(caught.value).startswith(line)


def test_nothing_that_can_be_tried_is_a_bad_request() -> None:
    search = Bisection(VERSIONS, _Fake(range(0), frozenset(range(20))))
    with pytest.raises(BadRequest, match=r"none of 20 releases can run.*no wheel"):
        search.changes()


def test_each_trial_is_told_with_how_many_are_left() -> None:
    lines: list[str] = []
    Bisection(VERSIONS[:8], _Fake(range(5, 20)), lines.append).changes()
    assert lines == [
        "0.0 (oldest): good",
        "0.7 (newest): bad",
        "0.3 (3 left): good",
        "0.5 (1 left): bad",
        "0.4 (0 left): good",
    ]


@pytest.mark.parametrize(
    ("out", "trial"),
    [
        ("w: still broken\n", Trial(BAD)),
        ("w: still broken, in another way\n", Trial(BAD, "in another way")),
        ("noise\nw: fixed\n", Trial(GOOD)),
        ("w: cannot run: no law: x\n", Trial(SKIPPED, "no law: x")),
        ("", Trial(SKIPPED, "ImportError: jax")),
    ],
)
def test_answers_are_read_not_guessed_from_exit_codes(out: str, trial: Trial) -> None:
    assert judged(Ended(1, out, "Traceback\nImportError: jax\n"), "w") == trial


class _Machine:
    """Takes the place of environments: answers as `replay` would, and may be stopped."""

    def __init__(self, bad: range) -> None:
        self.bad = bad
        self.made: list[Wanted] = []
        self.stop_after = 100

    def environment(self, wanted: Wanted, *, cache: Path, fresh: bool) -> Environment:
        if len(self.made) == self.stop_after:
            raise KeyboardInterrupt
        self.made.append(wanted)
        return _Answering(wanted, cache, {"jax": wanted.pins[0].partition("==")[2]}, self)


class _Answering(Environment):
    def __init__(
        self, wanted: Wanted, cache: Path, versions: Mapping[str, str], machine: _Machine
    ) -> None:
        super().__init__(wanted, cache, versions)
        object.__setattr__(self, "machine", machine)

    def run(self, args: object, timeout: float = 0.0, **options: object) -> Ended:
        minor = int(self.wanted.pins[0].rpartition(".")[2])
        bad = minor in self.machine.bad  # pyright: ignore[reportAttributeAccessIssue]
        return Ended(int(bad), f"{_NAME}: {'still broken' if bad else 'fixed'}\n", "")


def _uploaded(package: str, version: str) -> None:
    if version == "99":
        raise BadRequest(f"{package} {version} is not on the package index")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> _Machine:
    found = _Machine(range(5, 20))
    monkeypatch.setattr(trials, "environment", found.environment)
    offered = [Release(version, None) for version in VERSIONS]
    monkeypatch.setattr(command, "releases", lambda *asked: offered)
    monkeypatch.setattr(command, "uploaded", _uploaded)
    return found


def _bisect(folder: Path, *more: str) -> int:
    words = ["bisect", _NAME, "--package", "jax", "--cache", str(folder), *more]
    return main.main(words)


def test_the_command_finds_and_remembers(
    machine: _Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _bisect(tmp_path) == 0
    assert "jax: first bad release 0.5 (last good 0.4)\n" in capsys.readouterr().out
    made = len(machine.made)
    assert _bisect(tmp_path) == 0
    assert len(machine.made) == made
    assert f"{made} answers are taken from an earlier run" in capsys.readouterr().out
    assert _bisect(tmp_path, "--fresh") == 0
    assert len(machine.made) == 2 * made
    assert _bisect(tmp_path, "--with", "numpy==2.2.4") == 0
    assert len(machine.made) == 3 * made
    assert machine.made[-1].extra == ("numpy==2.2.4",)


def test_a_release_that_a_known_departure_names_shows_a_bug_that_came_and_went(
    machine: _Machine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine.bad = range(6, 9)
    (own,) = (one for one in known.departures() if one.name == _NAME)
    named = dataclasses.replace(own, versions={"jax": ">=0.6,<0.9"})
    monkeypatch.setattr(known, "departures", lambda: [named])
    assert _bisect(tmp_path) == 0
    out = capsys.readouterr().out
    assert "jax: first bad release 0.6 (last good 0.5)\n" in out
    assert "jax: first good release 0.9 (last bad 0.8)\n" in out


def test_a_stopped_search_goes_on(
    machine: _Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.stop_after = 4
    assert _bisect(tmp_path) == 130
    assert "the same command goes on" in capsys.readouterr().err
    machine.stop_after = 100
    assert _bisect(tmp_path) == 0
    assert len(machine.made) == len(set(machine.made))


def test_answers_that_cannot_be_read_are_asked_again(machine: _Machine, tmp_path: Path) -> None:
    assert _bisect(tmp_path) == 0
    made = len(machine.made)
    (kept,) = (tmp_path / "bisections").iterdir()
    kept.write_text('{"answers": {"0.0": ["good"]}}')
    assert _bisect(tmp_path) == 0
    assert len(machine.made) == 2 * made


@pytest.mark.parametrize(("bad", "answer"), [(range(20), "bad"), (range(0), "good")], ids=str)
def test_equal_ends_are_no_change(
    bad: range,
    answer: str,
    machine: _Machine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine.bad = bad
    assert _bisect(tmp_path) == 1
    line = f"jax: no change to find: {answer} at both ends, 0.0 and 0.19\n"
    assert capsys.readouterr().out.endswith(line)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--good", "9"], "--good 9: no such release"),
        (["--with", "numpy=2"], "'numpy=2' is not a requirement; write for example"),
        (["--with", "numpy==99"], "numpy 99 is not on the package index"),
    ],
)
def test_bad_input_gives_one_line(
    words: list[str],
    line: str,
    machine: _Machine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _bisect(tmp_path, *words) == 2
    assert capsys.readouterr().err.startswith(line)
    assert machine.made == []


def test_one_release_is_not_enough(
    machine: _Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "releases", lambda *asked: [Release("0.5", None)])
    assert main.main(["bisect", _NAME, "--package", "jax", "--versions", "==0.5"]) == 2
    assert "--package jax: 1 of its releases meet '==0.5'" in capsys.readouterr().err


def test_no_witness_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["bisect", "no-such-departure", "--package", "jax"]) == 2
    assert "is not a file, a finding or a known departure" in capsys.readouterr().err


def test_what_was_skipped_for_one_reason_is_told_at_once() -> None:
    search = Bisection(VERSIONS, _Fake(range(9, 20), frozenset({0, 1, 19})))
    search.changes()
    assert command._skipped("jax", search) == ["skipped jax 0.0, 0.1, 0.19: no wheel"]


def test_other_libraries_that_changed_are_named() -> None:
    answers = {"1": Trial(GOOD, "", {"jax": "0.5"}), "2": Trial(BAD, "", {"jax": "0.6"})}
    search = Bisection(["1", "2"], answers.__getitem__)
    (line,) = command._beside(search, "equinox", search.changes()[0])
    assert line == "other libraries differ too: jax 0.5 -> 0.6; pin them by --with"


def test_what_a_witness_needs_is_installed_beside() -> None:
    assert needs(find(_NAME)) == ["jax"]
    name = "unfreeze_sorts_keys"
    assert needs(find(name)) == ["jax", "flax"]
    beside = Trials(name, find(name), "flax", ("numpy==2.2.4",), "", Path()).extra
    assert beside == ("numpy==2.2.4", f"jax>={OLDEST['jax']}")
    assert Trials(name, find(name), "flax", ("JAX<0.6",), "", Path()).extra == ("JAX<0.6",)


def test_the_answers_of_another_witness_are_not_taken(tmp_path: Path) -> None:
    first, second = (
        Trials(name, find(name), "flax", (), "", tmp_path).file
        for name in (_NAME, "unfreeze_sorts_keys")
    )
    assert first != second


_STEP = "  raised  ValueError: no\n  at      graph.py:591 in _graph_flatten"


@pytest.mark.parametrize(
    ("statement", "difference", "answer"),
    [
        ("raise ValueError('no')", "", "cannot run: ValueError: no"),
        ("raise ValueError('no')", _STEP, "cannot run: ValueError: no"),
        ("function = jax.no_such_name", "", "cannot run: AttributeError: module 'jax' has no"),
    ],
)
def test_what_is_not_there_is_no_bug(statement: str, difference: str, answer: str) -> None:
    known = find(_NAME)
    other = Witness(known.law, known.subject, Recipe(statements=(statement,)))
    with_key = dataclasses.replace(other, key=_key_of(other), difference=difference)
    assert replay_one(other).startswith(answer)
    assert replay_one(with_key).startswith(answer)


def _key_of(witness: Witness) -> str:
    breach = witness.breach()
    assert breach is not None
    return witness_of(breach).key


def test_an_error_that_was_recorded_is_the_bug_even_where_the_input_meets_it() -> None:
    known = find(_NAME)
    raising = Witness(known.law, known.subject, Recipe(statements=("raise ValueError('no')",)))
    breach = raising.breach()
    assert breach is not None
    assert replay_one(witness_of(breach)) == BROKEN
    assert replay_one(raising, "ValueError") == BROKEN


def test_options_have_no_surprises() -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    chosen = parser.parse_args(["w", "--package", "jax", "--with", "a==1", "--with", "b==2"])
    assert chosen.beside == ["a==1", "b==2"]


@pytest.mark.parametrize(
    ("answers", "affected", "first"),
    [
        ("gggbbb", "", "4"),
        ("bbbbbb", "", "<=1"),
        ("sbbbbb", "", "<=2"),
        ("ggsbbb", "", "4"),
        ("bbggbb", "", "5"),
        ("gbbggg", "", "2"),
        ("gggggg", "", ""),
        ("ssssss", "", ""),
        # Another bug came later.
        ("gbbgbb", "<4", "2"),
        ("gbbgbb", "==4", ""),
        ("bbbbbb", ">=3", "3"),
    ],
)
def test_the_first_bad_release_is_that_of_the_last_stretch(
    answers: str, affected: str, first: str
) -> None:
    names = {"g": GOOD, "b": BAD, "s": SKIPPED}
    trials = {str(place): Trial(names[one]) for place, one in enumerate(answers, 1)}
    assert first_bad.first_bad(trials, SpecifierSet(affected)) == first


@pytest.mark.parametrize("there", ["", 'first_bad = { jax = "0.4.1" }\n'])
def test_the_first_bad_release_is_written_into_its_finding(tmp_path: Path, there: str) -> None:
    head = """\
# A file.

[other]
versions = { jax = "<1" }

[lost]
title = "x"
reason = '''
versions = { no = "key" }'''
versions = { jax = ">=0.4" }
"""
    tail = "law = 'a'\n\n[lost.breaks.one]\nversions = { jax = '>=1' }\n"
    path = tmp_path / "findings.toml"
    path.write_text(head + there + tail)
    found = Finding("lost", "x", "jax", "crash", "y", "z", {}, (), file=str(path))
    first_bad.write(found, "jax", "<=0.4.35")
    assert path.read_text() == head + 'first_bad = { jax = "<=0.4.35" }\n' + tail
