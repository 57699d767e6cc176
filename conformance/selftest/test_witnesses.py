"""Witnesses are kept, read, replayed and turned into issues; bad files give one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treelaws import __main__ as command
from treelaws.core.departures import known
from treelaws.core.failure import Breach, UnexpectedError
from treelaws.core.mismatch import Mismatch
from treelaws.core.search import run
from treelaws.laws import law_named
from treelaws.reproduce.witness import BadWitness, find, read, witness_of, write
from treelaws.subjects.registry import subject as subject_named

_NAME = "partial_takes_func_and_klass_for_itself"
_HOLDING = [
    "function = dict",
    "early, early_keywords = (), {}",
    "late, late_keywords = (), {}",
]


def _breach(name: str = _NAME) -> Breach:
    departure = next(found for found in known.departures() if found.name == name)
    with pytest.raises(Breach) as caught:
        run(law_named(departure.law), subject_named(departure.subject), departure.recipe)
    return caught.value


def test_what_was_written_is_read(tmp_path: Path) -> None:
    witness = witness_of(_breach())
    assert read(write(tmp_path, witness)) == witness
    assert find(str(next(tmp_path.iterdir()))) == witness


def test_a_key_is_that_of_the_law_the_subject_and_the_kind_of_difference() -> None:
    names = (
        _NAME,
        "partial_of_a_partial_takes_self_for_itself",
        "all_leaves_asks_about_its_own_list",
    )
    one, alike, other = (witness_of(_breach(name)).key for name in names)
    assert one == alike
    assert one != other


def test_addresses_are_left_out_unless_they_tell_objects_apart() -> None:
    one, other = object(), object()
    cause = Mismatch("", "value", f"{one} and {other}", f"{one}, 0xff")
    known = _breach()
    found = Breach(known.law, known.subject, known.recipe, cause)
    text = "value\n  got     <object #1> and <object #2>\n  wanted  <object #1>, 0xff"
    assert found.difference == text
    cause = Mismatch("", "value", f"{one}", "2")
    found = Breach(known.law, known.subject, known.recipe, cause)
    assert found.difference == "value\n  got     <object>\n  wanted  2"


def test_the_message_of_an_error_is_shown_whole() -> None:
    known = _breach()
    cause = ValueError("\n".join(["shapes do not fit", "", *(f"line {n}" for n in range(20))]))
    try:
        raise cause
    except ValueError:
        found = UnexpectedError(known.law, known.subject, known.recipe, cause)
    lines = found.difference.splitlines()
    assert lines[:3] == ["  raised  ValueError: shapes do not fit", "", "          line 0"]
    assert lines[14:16] == ["          line 12", "          ... 7 more lines"]
    assert lines[16].startswith("  at      test_witnesses.py:")


def _written(folder: Path, **changes: object) -> Path:
    path = write(folder, witness_of(_breach()))
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return path


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"format": 2}, "format 2; this release reads 1"),
        ({"statements": "tree = 1"}, "'statements' must be a list"),
        ({"law": None}, "'law' must be a str"),
    ],
)
def test_a_bad_witness_gives_one_line(
    changes: dict[str, object], line: str, tmp_path: Path
) -> None:
    path = _written(tmp_path, **changes)
    with pytest.raises(BadWitness) as caught:
        read(path)
    assert str(caught.value) == f"{path}: {line}"


def test_no_json_gives_one_line(tmp_path: Path) -> None:
    path = tmp_path / "witness.json"
    path.write_text("{")
    with pytest.raises(BadWitness, match="not valid JSON"):
        read(path)
    path.write_text("[]")
    with pytest.raises(BadWitness, match="is not a witness"):
        read(path)


@pytest.mark.parametrize(
    ("changes", "code", "answer"),
    [
        ({}, 1, "still broken"),
        ({"statements": _HOLDING}, 0, "fixed"),
        ({"law": "no.such.law"}, 2, "cannot run: no law is called 'no.such.law'"),
        ({"subject": "nobody"}, 2, "cannot run: unknown subject 'nobody'"),
    ],
)
def test_replay_tells_what_became_of_a_witness(
    changes: dict[str, object],
    code: int,
    answer: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _written(tmp_path, **changes)
    assert command.main(["replay", str(tmp_path)]) == code
    assert answer in capsys.readouterr().out


def test_replay_wants_a_folder_with_witnesses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["replay", str(tmp_path)]) == 2
    assert "contains no witnesses" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (_NAME, ("BUG: ", "### Description", "### What jax/jaxlib version", "exits with 1:")),
        ("unfreeze_sorts_keys", ("### System information", "### Steps to reproduce:")),
    ],
)
def test_an_issue_has_the_form_of_its_project(
    name: str, parts: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["issue", name]) == 0
    text = capsys.readouterr().out
    assert all(part in text for part in parts), text
    assert law_named(find(name).law).source in text


def test_an_issue_says_that_it_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    found = next(one for one in known.departures() if one.applies and "github" in one.issue)
    assert found.finding
    assert command.main(["issue", found.name]) == 0
    told = capsys.readouterr()
    assert told.err == f"known as {found.name}, and reported: {found.issue}\n"
    assert found.issue in told.out


@pytest.mark.sweep
def test_what_holds_or_is_not_there_gives_no_issue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _written(tmp_path, statements=_HOLDING)
    assert command.main(["issue", str(path)]) == 1
    assert "the law holds with the installed versions" in capsys.readouterr().err
    assert command.main(["issue", "no-such-departure"]) == 2
    assert "is not a file, a finding or a known departure" in capsys.readouterr().err
