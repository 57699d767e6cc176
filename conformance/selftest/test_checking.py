"""`check` returns records, raises or warns, and refuses names that do not exist."""

from __future__ import annotations

from typing import Any

import pytest

import treelaws
from treelaws import known, scripts

from . import third_party_nodes as nodes

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
    assert scripts.verify(record.script).answer == "reproduces"


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
