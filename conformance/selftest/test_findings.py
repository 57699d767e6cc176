"""Findings: their tables, the departures that follow, and what messages say of a wrong table."""

from __future__ import annotations

import ast
import datetime
import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from treelaws import comparison, equality, laws
from treelaws.__main__ import main
from treelaws.core.departures import known
from treelaws.core.departures.departure import ANY_DIFFERENCE, EVERY_CASE, BadKnown
from treelaws.core.departures.finding import SEVERITIES, Finding
from treelaws.core.departures.lines import lines_of
from treelaws.core.departures.reading import chain
from treelaws.core.subject import known as registered
from treelaws.core.verdict import verdict
from treelaws.findings.listing import chosen
from treelaws.laws import all_laws, law_named
from treelaws.reproduce.named import departure_named, finding_named
from treelaws.subjects.registry import subject

_PAIRS = Path(__file__).with_name("departure_pairs.txt")
_LAW = "jax.map.unflatten_undoes_flatten"
_TEXT = dedent(f"""\
    [lost]
    title = "`tree_map` loses a leaf"
    library = "jax"
    severity = "wrong-result"
    consequence = "A parameter is not trained."
    reason = "It counts from one."
    versions = {{ jax = ">=0.4" }}
    first_bad = {{ jax = "<=0.4.35" }}
    links = [
      {{ state = "closed", looked_up = 2026-01-31, fixed_in = "0.5", url = "https://a.org/1" }},
      {{ state = "open", looked_up = 2026-01-31, url = "https://a.org/2" }},
    ]
    law = "{_LAW}"
    subject = "jax"

    [lost.breaks.in_a_list]
    region = "list"
    witness = "tree = [1]"

    [lost.breaks.in_both]
    subject = ["jax", "equinox"]
    raises = "KeyError"
    witness = '''
    tree = \\
    [2]
    '''
    """)


def _words() -> set[str]:
    """Return the string constants of the modules that compare."""
    files = [
        *Path(comparison.__file__).parent.glob("*.py"),
        *Path(laws.__file__).parent.rglob("*.py"),
    ]
    trees = (ast.parse(path.read_text()) for path in (*files, Path(equality.__file__)))
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {node.value for node in nodes if isinstance(node.value, str)}


def test_what_else_an_entry_names_is_an_exception_or_a_difference() -> None:
    told = {one for found in known.departures() for one in found.also}
    differences = {one for one in told if not one.endswith(("Error", "NotFound"))}
    assert differences - {ANY_DIFFERENCE} <= _words()


def _read(folder: Path, text: str = _TEXT) -> Finding:
    path = folder / "findings.toml"
    path.write_text(text)
    (contents,) = chain(path).values()
    (found,) = contents.findings
    assert contents.departures == list(found.departures)
    return found


def test_departures_follow_from_a_finding(tmp_path: Path) -> None:
    found = _read(tmp_path)
    names = ["in_a_list", "in_both[jax]", "in_both[equinox]"]
    assert [one.name for one in found.departures] == names
    assert {one.finding for one in found.departures} == {"lost"}
    first, second, third = found.departures
    assert (first.law, first.subject, first.region) == (_LAW, "jax", ("list",))
    assert (first.reason, first.versions) == (found.reason, found.versions)
    assert first.issue == found.issue == "https://a.org/2"
    assert (second.subject, third.subject, third.raises) == ("jax", "equinox", "KeyError")
    assert found.links[0].looked_up == datetime.date(2026, 1, 31)
    assert str(found.links[0]).endswith("(closed as fixed in 0.5, looked up on 2026-01-31)")
    assert lines_of(_TEXT, third.entry) == (20, 26)


def test_a_closed_thread_is_not_a_report(tmp_path: Path) -> None:
    found = _read(tmp_path, _TEXT.replace('"open"', '"closed"'))
    assert found.issue == found.departures[0].issue == "unreported"


def test_a_stale_witness_names_its_table(tmp_path: Path) -> None:
    found = _read(tmp_path).departures
    law, jax = law_named(_LAW), subject("jax")
    told = verdict(law, jax, lambda: None, departure=found[0]).reason
    assert "findings.toml:16-18: delete [lost.breaks.in_a_list]; its witness no longer" in told
    told = verdict(law, jax, lambda: None, departure=found[1]).reason
    assert "delete 'in_both[jax]' from [lost.breaks.in_both]; its witness" in told


def test_a_region_takes_the_place_of_that_of_its_finding(tmp_path: Path) -> None:
    text = _TEXT.replace('severity = "', 'every_case = "Each tree has a leaf."\nseverity = "')
    first, second, _ = _read(tmp_path, text).departures
    assert (first.region, first.every_case) == (("list",), "")
    assert (second.region, second.every_case) == ((EVERY_CASE,), "Each tree has a leaf.")
    assert second.covers_all_with(())


def test_a_star_means_each_law_and_subject(tmp_path: Path) -> None:
    text = _TEXT.replace(f'law = "{_LAW}"', 'law = "jax.map.*"').replace(
        '= "jax"\n\n', '= "j*"\n\n'
    )
    path = tmp_path / "findings.toml"
    path.write_text(text)
    with known.also([path]) as added:
        first = added[0]
        ids = [law for law in all_laws() if law.startswith("jax.map.")]
        # Not those that are registered: other tests register subjects too.
        pairs = known.concrete(first, all_laws(), ["jax", "equinox"])
        assert [(one.law, one.subject) for one in pairs] == [(law, "jax") for law in ids]
        assert first in known.applying(_LAW)
        assert first not in known.applying("jax.treedefs.some")
        law = law_named(_LAW)
        assert known.covering([law], subject("jax"), {"list"})
        assert not known.covering([law], subject("jax"), {"tuple"})
        name = f"in_a_list[{_LAW} jax]"
        named = departure_named(name)
        assert named is not None
        assert named.law == _LAW
        assert finding_named(name) == finding_named("lost") == known.findings()[-1]
        assert not list(known.unknown_laws(all_laws()))
    assert finding_named("lost") is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'severity = "wrong-result"',
            'severity = "bad"',
            r"severity 'bad'; allowed: wrong-result, ",
        ),
        ('title = "`tree_map`', 'titel = "x"\ntitle = "`tree_map`', r"has 'titel'; allowed: title"),
        ('library = "jax"\n', "", r"\[lost\] needs 'library'; required: title, library"),
        ('library = "jax"', "library = 1", r"library: 1 is not a string"),
        ('state = "open"', 'state = "new"', r"links: state 'new'; allowed: open, closed, merged"),
        ("= 2026-01-31,", "= '2026',", r"looked_up is not a date; write it as 2026-01-31"),
        ('state = "open", ', "", r"links: \{.*\}; write \{ url = "),
        ('{ jax = "<=0.4.35" }', "'0.4'", r"first_bad: write a table such as"),
        ('>=0.4"', '=>0.4"', r"versions: "),
        ('subject = "jax"\n', "", r"\[lost.breaks.in_a_list\] needs 'subject', there or in its"),
        ('["jax", "equinox"]', "[1]", r"subject: \[1\] is not a name or a list of names"),
        (
            'region = "list"',
            'region = "list"\nevery_case = "all are lists"',
            r"has 'region' and 'every_case'; write one of them",
        ),
        ('region = "list"', "every_case = 1", r"every_case: 1 is not a string"),
        ('region = "list"', "regoin = 'x'", r"has 'regoin'; allowed: law, subject, versions"),
        (
            "[lost.breaks.in_a_list]",
            "[lost.breaks]\nx = 1\n[lost.breaks.y]",
            r"\[lost.breaks.x\] is ",
        ),
    ],
)
def test_a_wrong_table_is_rejected(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in _TEXT
    with pytest.raises(BadKnown, match=told):
        _read(tmp_path, _TEXT.replace(old, new, 1))


def _pairs() -> Iterator[str]:
    for found in known.departures():
        for one in known.concrete(found, all_laws(), registered()):
            specs = ", ".join(f"{name} {spec}" for name, spec in sorted(one.versions.items()))
            yield f"{one.law} | {one.subject} | {specs}"


def test_no_law_subject_or_release_is_added_or_lost_unnoticed() -> None:
    pairs = sorted({*_pairs()})
    if os.environ.get("TREELAWS_WRITE_IDS"):
        _PAIRS.write_text("\n".join(pairs) + "\n")
    assert pairs == _PAIRS.read_text().splitlines()


def test_an_issue_reads_as_a_person_would_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    threads = [one for one in known.findings() if one.applies and one.links]
    for found in threads[:3]:
        assert main(["issue", found.id]) == 0
        title, *lines = capsys.readouterr().out.splitlines()
        assert title.removeprefix("BUG: ") == found.title
        text, words = "\n".join(lines[:-1]), " ".join(lines)
        assert " ".join(found.consequence.split()) in words
        assert " ".join(found.reason.split()) in words
        assert found.affected in text
        assert all(link.url in text for link in found.links)
        assert not [law for law in all_laws() if law in text]
        # Only a comment names the law.
        assert lines[-1].startswith(f"<!-- treelaws: {found.id}, ")


def test_findings_are_listed_by_severity_library_and_release(
    capsys: pytest.CaptureFixture[str],
) -> None:
    everything = chosen(every=True)
    assert [one.id for one in everything] != [one.id for one in known.findings()]
    assert {one.id for one in everything} == {one.id for one in known.findings()}
    ranks = [SEVERITIES.index(one.severity) for one in everything]
    assert ranks == sorted(ranks)
    now = {one.id for one in chosen()}
    applying = {one.id for one in known.findings() if one.applies}
    assert now >= applying
    # In these releases, and not with the options of JAX that are set.
    others = [one for one in known.findings() if one.id in now - applying]
    assert all(found.config for one in others for found in one.departures)
    crashes = chosen(severities=["crash"], libraries=["flax"], releases=["flax==0.12.0"])
    assert crashes
    assert {(one.severity, one.library) for one in crashes} == {("crash", "flax")}
    assert all(one in everything for one in crashes)
    assert main(["findings", "--severity", "crash", "--library", "flax"]) == 0
    told = capsys.readouterr().out
    listed = [line.split()[0] for line in told.splitlines() if "[flax, crash]" in line]
    assert listed == [one.id for one in chosen(severities=["crash"], libraries=["flax"])]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--severity", "crsh"], "--severity 'crsh' is not known; did you mean crash"),
        (["--library", "x"], "--library 'x' is not known; allowed: "),
        (["--release", "flax"], "--release 'flax' does not name a release; write flax==0.12.4"),
        (["--release", "flax==0.*"], "does not name a release"),
    ],
)
def test_a_wrong_choice_is_rejected(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["findings", *words]) == 2
    assert told in capsys.readouterr().err


def test_severe_findings_name_their_first_affected_release() -> None:
    severe = ("wrong-result", "state-lost", "crash")
    unknown = [one.id for one in known.findings() if one.severity in severe and not one.first_bad]
    assert unknown == [], "`python -m treelaws first-bad --package LIBRARY --write` finds them"


def test_each_departure_that_switches_a_law_off_says_why() -> None:
    switched_off = [one for one in known.departures() if EVERY_CASE in one.region]
    assert [one.header for one in switched_off if not one.every_case] == []
    page = Path(__file__).parents[2].joinpath("docs", "findings.md").read_text()
    assert all(" ".join(one.every_case.split()) in page for one in switched_off)
