"""Bugs of releases count as found where they were and only there; a bad table gives one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hypothesis_pytrees import Recipe
from treelaws import __main__ as main
from treelaws.core.departures import known
from treelaws.core.failure import UnexpectedError
from treelaws.core.law import Law
from treelaws.core.search import search
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
from treelaws.releases.environments.environments import Ended, Environment, Wanted
from treelaws.releases.environments.requirements import BadRequest
from treelaws.releases.past_bugs import command
from treelaws.releases.past_bugs.checks import Check, Row
from treelaws.releases.past_bugs.hunting import Request, hunt
from treelaws.releases.past_bugs.table import DEFAULT, Entry, read_entries
from treelaws.reproduce.witness import in_folder, read
from treelaws.subjects.registry import subjects

_LAW, _SUBJECT = "jax.partial.partial_calls_like_functools_partial", "jax"
_DEPARTURE = "partial_takes_func_and_klass_for_itself"
_GOOD_WANTED = Wanted(("jax==0.5.3",))
_ENTRY = Entry("bug", Wanted(("jax==0.5.2",)), _GOOD_WANTED, _LAW, _SUBJECT)


def test_each_entry_of_the_table_names_what_exists() -> None:
    laws, names = all_laws(), {subject.name for subject in subjects()}
    entries = read_entries(DEFAULT)
    assert len(entries) >= 28
    for entry in entries:
        assert entry.law in laws, entry.id
        assert entry.subject in names, entry.id
        assert entry.bad != entry.good, entry.id


def test_json_without_subjects_leaves_the_law_open(tmp_path: Path) -> None:
    side = {"python": "3.11", "pip": ["jax==0.5.2"]}
    path = tmp_path / "bugs.json"
    path.write_text(json.dumps([{"id": "one", "law": "x is y", "bad": side, "good": side}]))
    wanted = Wanted(("jax==0.5.2",), python="3.11")
    assert read_entries(path) == [Entry("one", wanted, wanted, "*", "*")]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("bugs.toml", "one = 1", "1 is not an entry; write [name]"),
        ("bugs.toml", "[one", "not valid TOML"),
        ("bugs.json", "[", "not valid JSON"),
        ("bugs.json", "[{}]", "an entry needs an 'id'"),
        ("bugs.toml", "[one]", "[one] bad: write { python = "),
        (
            "bugs.toml",
            "[one]\nbad.pip = ['jax']",
            "[one] bad: 'jax' does not name exactly one version",
        ),
    ],
)
def test_a_bad_table_gives_one_line(name: str, text: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BadRequest) as caught:
        read_entries(path)
    assert str(caught.value).startswith(f"{path}: {line}")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["no-such-file.toml"], "no-such-file.toml: cannot be read: "),
        (["--only", "nobody"], f"{DEFAULT}: no entry is called 'nobody'; known: chex_two_treedefs"),
        (["--seeds", "0"], "--seeds 0: at least one"),
    ],
)
def test_bad_input_gives_one_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["past-bugs", *words]) == 2
    assert capsys.readouterr().err.startswith(line)


def test_a_forgotten_departure_is_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "_FORGOTTEN", set())
    try:
        hunt(Request((_LAW,), (_SUBJECT,), (0,)), tmp_path / "known")
        assert not list((tmp_path / "known").glob("*/*"))
        names = [found.name for found in known.departures()]
        hunt(Request((_LAW,), (_SUBJECT,), (0,), tuple(names)), tmp_path / "forgotten")
        (path,) = in_folder(tmp_path / "forgotten")
        assert path.parent.name == "0"
        assert read(path).law == _LAW
    finally:
        monkeypatch.undo()
        known.forget([])


def test_a_search_shrinks_where_it_is_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    law = all_laws()[_LAW]
    subject = next(found for found in subjects() if found.name == _SUBJECT)
    monkeypatch.setattr("treelaws.core.search.hunt", _refuse_long)

    def length(start: int, *, shrink: bool) -> int:
        found = search(law, subject, start=start, shrink=shrink)
        assert found is not None
        return len(found.recipe.source())

    # A search may begin with its smallest breach.
    pairs = [(length(start, shrink=True), length(start, shrink=False)) for start in range(4)]
    assert all(small <= found for small, found in pairs)
    assert any(small < found for small, found in pairs)


def _refuse_long(law: Law, subject: Subject, recipe: Recipe) -> bool:
    if "early = ()" not in recipe.statements:
        raise UnexpectedError(law, subject, recipe, ValueError("long"))
    return True


class _Side(Environment):
    """Takes the place of an environment: finds with chosen seeds, and judges what was found."""

    def __init__(
        self,
        wanted: Wanted,
        witnesses: Mapping[int, Path],
        *,
        fixed: Sequence[int] = (),
        code: int = 0,
    ) -> None:
        super().__init__(wanted, Path(), {"jax": wanted.pins[0].partition("==")[2]})
        for name, value in (("found", witnesses), ("fixed", fixed), ("code", code)):
            object.__setattr__(self, name, value)

    def run(self, args: Sequence[str], timeout: float = 0.0, **options: object) -> Ended:
        fields = vars(self)
        if len(args) == 1:
            return Ended(fields["code"], "", "")
        if "replay" in args:
            return Ended(0, "".join(self._judged(Path(args[-1]))), "")
        request, folder = json.loads(Path(args[-2]).read_text()), Path(args[-1])
        for seed in set(request["seeds"]) & set(fields["found"]):
            (folder / str(seed)).mkdir(parents=True)
            shutil.copy(fields["found"][seed], folder / str(seed) / "w.json")
            if request["show"]:
                (folder / str(seed) / "w.py").write_text("")
        return Ended(0, "law", "")

    def _judged(self, folder: Path) -> list[str]:
        fixed = vars(self)["fixed"]
        answers = {path: int(path.parent.name) in fixed for path in folder.glob("*/*.json")}
        names = {True: "fixed", False: "still broken"}
        return [f"{path.relative_to(folder)}: {names[ok]}\n" for path, ok in answers.items()]


@pytest.fixture
def witness(tmp_path: Path) -> Path:
    from treelaws.reproduce.witness import find, write

    return write(tmp_path / "witness", find(_DEPARTURE))


@pytest.mark.parametrize(
    ("found", "fixed", "good", "codes", "counts", "right"),
    [
        ([0, 2], [0, 2], [], (1, 0), (2, 0), True),
        ([0, 2], [2], [], (1, 0), (1, 0), True),
        ([0, 2], [0, 2], [1], (1, 0), (2, 1), False),
        ([0, 2], [0, 2], [], (1, 1), (2, 0), False),
    ],
)
def test_found_means_on_the_bad_side_alone(
    found: list[int],
    fixed: list[int],
    good: list[int],
    codes: tuple[int, int],
    counts: tuple[int, int],
    right: bool,
    witness: Path,
    tmp_path: Path,
) -> None:
    bad_side = _Side(_ENTRY.bad, dict.fromkeys(found, witness), code=codes[0])
    good_side = _Side(_ENTRY.good, dict.fromkeys(good, witness), fixed=fixed, code=codes[1])
    row = Check(_ENTRY, bad_side, good_side, 3, tmp_path / "kept").row()
    assert row == Row("bug", f"{_LAW} [{_SUBJECT}]", *counts, codes)
    assert row.right is right


def test_what_breaks_on_both_sides_is_another_bug(witness: Path, tmp_path: Path) -> None:
    bad_side, good_side = _Side(_ENTRY.bad, {0: witness}), _Side(_ENTRY.good, {})
    assert Check(_ENTRY, bad_side, good_side, 3, tmp_path).row() == Row("bug")


def test_an_environment_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    broken = Environment(_ENTRY.bad, tmp_path, problem="no wheel")
    row = Check(_ENTRY, broken, broken, 3, tmp_path).row()
    assert row.problem == "jax 0.5.2: no wheel"
    assert command._told(row, 3, 5) == "bug    cannot be checked: jax 0.5.2: no wheel"


def _told(
    rows: Sequence[Row], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str]]:
    left = iter(rows)
    entries = [Entry(row.id, _ENTRY.bad, _ENTRY.good) for row in rows]
    monkeypatch.setattr(command, "read_entries", lambda *asked: entries)
    monkeypatch.setattr(command, "_row", lambda entry, chosen: next(left))
    return main.main(["past-bugs", "--seeds", "3"]), capsys.readouterr().out.splitlines()


_RIGHT = Row("one", "law [jax]", 3, 0, (1, 0))


@pytest.mark.parametrize(
    ("other", "code", "line"),
    [
        (Row("three", "law [jax]", 2, 0, (1, 0)), 0, "three  2/3    0/3    1/0     law [jax]"),
        (Row("three"), 1, "three  0/3    0/3    -/-     none finds it"),
        (Row("three", problem="no wheel"), 2, "three  cannot be checked: no wheel"),
    ],
)
def test_the_table_has_a_line_for_each_bug(
    other: Row,
    code: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer, lines = _told([_RIGHT, other], monkeypatch, capsys)
    assert answer == code
    assert lines[:3] == [
        "bug    bad    good   script  law",
        "one    3/3    0/3    1/0     law [jax]",
        line,
    ]
    assert lines[3].startswith("2 of 2" if code == 0 else "1 of 2")
