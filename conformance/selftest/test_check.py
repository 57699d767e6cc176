"""`check` returns records, raises or warns, and refuses names that do not exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import treelaws
from treelaws.core.departures import known
from treelaws.reproduce import script
from treelaws.subjects.user import subject_of

from . import user_nodes as nodes
from .known_text import known_text

_LAWS = "node.flatten.unflatten*"
_ROUND_TRIP = "node.flatten.unflatten_undoes_flatten"


def _check(subject: Any, **options: Any) -> list[treelaws.Record]:
    return treelaws.check(subject, **{"laws": _LAWS, "mixed": False, **options})


def test_a_sound_node_passes() -> None:
    records = _check(nodes.TheirStore)
    assert {one.verdict for one in records if not one.advisory} <= {"held", "skipped"}
    assert {one.subject for one in records} == {f"{nodes.__name__}:TheirStore"}


def test_a_broken_node_raises_with_the_report_first() -> None:
    with pytest.raises(treelaws.Broken) as raised:
        _check(nodes.TheirCounter)
    assert str(raised.value).startswith(f"{_ROUND_TRIP} ")
    verdicts = {one.law: one.verdict for one in raised.value.records}
    assert verdicts[_ROUND_TRIP] == "broken"
    assert verdicts["node.flatten.unflatten_writes_into_no_leaf"] == "blocked"


def test_a_record_has_witness_and_script() -> None:
    (record,) = _check(nodes.TheirCounter, laws=_ROUND_TRIP, on_broken="return")
    assert record.fails
    assert record.witness is not None
    assert record.witness.breach() is not None
    assert script.verify(record.script).answer == "reproduces"


def test_it_warns_when_asked() -> None:
    with pytest.warns(treelaws.BrokenWarning, match="unflatten_undoes_flatten"):
        records = _check(nodes.TheirCounter, laws=_ROUND_TRIP, on_broken="warn")
    assert [one.verdict for one in records] == ["broken"]


def test_mixtures_are_blocked_by_a_broken_node() -> None:
    records = _check(
        nodes.TheirCounter, laws=["equinox.filter.combine*"], mixed=True, on_broken="return"
    )
    assert {one.verdict for one in records} == {"blocked"}


def test_what_was_known_and_is_no_more_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stale = known.Departure(
        "mended", _ROUND_TRIP, "mine", {"jax": ">=0"}, "unreported", "It was broken.",
        "node = [1.0]",
    )  # fmt: skip
    monkeypatch.setattr(known, "departures", lambda: (stale,))
    known.applying.cache_clear()
    records = _check(nodes.make_pair, name="mine", laws=_ROUND_TRIP, on_broken="return")
    known.applying.cache_clear()
    assert [one.verdict for one in records] == ["held", "stale-known"]
    assert records[1].fails


def _known(folder: Path, subject: str, witness: str, **more: str) -> Path:
    path = folder / "known.toml"
    text = known_text(more.get("law", _ROUND_TRIP), subject=subject)
    text = text.replace("[example]", "[example]\nregion = 'every case'")
    path.write_text(text.replace('"tree = [1]"', repr(witness)) + more.get("also", ""))
    return path


def test_a_file_of_known_departures_counts_for_one_call(tmp_path: Path) -> None:
    witness = "node = jtu.tree_map(lambda leaf: leaf, Counter({'a': 1.0}))"
    witness = f"from {nodes.__name__} import TheirCounter as Counter\n{witness}"
    path = _known(tmp_path, f"{nodes.__name__}:TheirCounter", witness)
    # What is registered is the same subject in each call.
    counter = subject_of(nodes.TheirCounter)
    options = {"laws": [_ROUND_TRIP, "jax.map.unflatten_undoes_flatten"], "mixed": True}
    records = _check(counter, known=str(path), **options)
    assert {(one.subject, one.verdict) for one in records} == {
        (counter.name, "known"),
        (f"jax with {counter.name}", "known"),
    }
    assert len(records) == 3
    # The file may serve calls about others.
    assert {one.verdict for one in _check(nodes.TheirStore, known=[path])} <= {"held", "skipped"}
    again = _check(counter, on_broken="return", **options)
    assert [one.verdict for one in again] == ["broken", "blocked"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"law": "node.flatten.unflattens"},
            "unknown law 'node.flatten.unflattens' (did you mean",
        ),
        ({"subject": "nobody"}, "names the unknown subject 'nobody'; `treelaws.register` it, or"),
        ({"subject": "nobody:no"}, "names the unknown subject 'nobody:no'; `treelaws.register`"),
        ({"also": "x = ["}, "not valid TOML: "),
    ],
)
def test_a_bad_file_of_known_departures_is_refused(
    tmp_path: Path, options: dict[str, str], said: str
) -> None:
    path = _known(tmp_path, **{"subject": "jax", "witness": "node = [1]", **options})
    before = known.departures()
    with pytest.raises(known.BadKnown) as raised:
        _check(nodes.TheirPair, known=path)
    assert str(raised.value).startswith(f"{path}: ")
    assert said in str(raised.value)
    assert known.departures() == before


def test_parametrize_replays_what_is_known(tmp_path: Path) -> None:
    found = subject_of(nodes.TheirCounter, name="counting")
    path = _known(tmp_path, "counting", "node = [1.0]")
    with known.also([]):
        made = treelaws.parametrize(found, laws=_LAWS, mixed=False, known=path)
    params = {one.id: one for one in made.mark.args[1]}
    replayed = params["known example"]
    assert [one.args for one in replayed.marks] == [(_ROUND_TRIP,)]
    with pytest.raises(pytest.fail.Exception, match=r"known.toml:2-9: delete \[example\]; its wit"):
        replayed.values[0]()
    assert known.added() == []


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"level": "may"}, "level='may' does not exist; choose from must, should, observed"),
        ({"profile": "fast"}, "profile='fast' does not exist; choose from quick, default"),
        ({"on_broken": "shrug"}, "on_broken='shrug' does not exist; choose from raise, warn"),
        ({"laws": "node.flaten.*"}, "no law is called 'node.flaten.*'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_name_that_does_not_exist_is_refused(options: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError, match=r"does not exist|no law is called") as raised:
        _check(nodes.TheirPair, **options)
    assert line in str(raised.value)
