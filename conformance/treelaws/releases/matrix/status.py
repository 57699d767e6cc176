"""Status of the releases of a package: a small file with the verdicts of each release."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT, InlineTable

from treelaws.compat import toml

from .running import Result

# One letter for the verdict of each release; `-` if the release could not run.
LETTERS: Mapping[str, str] = {
    "error": "e",
    "broken": "b",
    "stale-known": "t",
    "blocked": "x",
    "not run": "n",
    "known": "k",
    "held": "h",
    "skipped": "s",
}
NO_RUN = "-"
_BAD, _GOOD = "bk", "h"
Identity = tuple[str, str, str]


@dataclasses.dataclass(frozen=True)
class Changed:
    """A law that some release breaks, by one known departure or by none.

    Args:
        law: its id.
        subject: name of the subject.
        departure: the known departure; empty for failures that no departure covers.
        beside: the pin beside the releases; empty if it makes no difference.
        verdicts: a letter of `LETTERS` for each release, the oldest first.
        first_bad: the oldest release that breaks it; with `<=` if no earlier release ran.
        first_good: the release that fixed it for good; empty if the newest one breaks it.
    """

    law: str
    subject: str
    departure: str
    beside: str
    verdicts: str
    first_bad: str
    first_good: str


def changed(results: Sequence[Result]) -> list[Changed]:
    """Return the laws that some release breaks, by law, subject, departure and pin beside it.

    Args:
        results: of one package, the oldest release first.
    """
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.combination.beside, []).append(result)
    found: dict[Identity, list[Changed]] = {}
    for beside, group in groups.items():
        for one in _in_group(beside, group):
            found.setdefault((one.law, one.subject, one.departure), []).append(one)
    return [one for identity in sorted(found) for one in _merged(found[identity], len(groups))]


def _in_group(beside: str, group: Sequence[Result]) -> Iterator[Changed]:
    tables = [
        {row.identity: row.verdict for row in result.report.rows} if result.report else None
        for result in group
    ]
    versions = [result.combination.version for result in group]
    for identity in dict.fromkeys(one for table in tables for one in table or ()):
        letters = "".join(_letter(table, identity) for table in tables)
        if any(letter in _BAD for letter in letters):
            yield Changed(*identity, beside, letters, *_ends(letters, versions))


def _letter(table: Mapping[Identity, str] | None, identity: Identity) -> str:
    """Return the letter of a law or of a departure."""
    if table is None:
        return NO_RUN
    law, subject, departure = identity
    verdict = table.get(identity) or table.get((law, subject, ""), "skipped")
    if verdict == "known" and not (departure and identity in table):
        # Another departure covers every case, so that the law did not run.
        verdict = "skipped"
    return LETTERS[verdict]


def _ends(letters: str, versions: Sequence[str]) -> tuple[str, str]:
    """Return the first bad release and the first good one after the last bad one."""
    bad = [index for index, letter in enumerate(letters) if letter in _BAD]
    tried_before = any(letter in _GOOD for letter in letters[: bad[0]])
    first_bad = f"{'' if tried_before else '<='}{versions[bad[0]]}"
    after = [index for index in range(bad[-1], len(letters)) if letters[index] in _GOOD]
    return first_bad, versions[after[0]] if after else ""


def _merged(found: Sequence[Changed], groups: int) -> list[Changed]:
    """Return one entry if the verdicts are equal beside every pin, else one for each pin."""
    alike = {one.verdicts for one in found}
    if len(alike) == 1 and len(found) == groups:
        return [dataclasses.replace(found[0], beside="")]
    return list(found)


def text(package: str, results: Sequence[Result]) -> str:
    """Write the status of a package as TOML.

    Args:
        package: its name.
        results: the oldest release first.
    """
    suite = next((one.report.suite for one in results if one.report), {})
    document = tomlkit.document()
    told = "Written by `python -m treelaws matrix`; `docs/releases.md` is made of it."
    document.add(tomlkit.comment(told))
    document.update({"package": package, **{key: suite.get(key, "") for key in _SUITE}})
    document.add("release", _tables(map(_release, results)))
    laws = [dataclasses.asdict(one) for one in changed(results)]
    if laws:
        filled = ({name: value for name, value in law.items() if value} for law in laws)
        document.add("law", _tables(filled))
    return document.as_string()


_SUITE = ("version", "edition", "profile", "seed")


def _release(result: Result) -> dict[str, Any]:
    combination, report = result.combination, result.report
    told: dict[str, Any] = {"version": combination.version}
    if combination.beside:
        told["beside"] = combination.beside
    if report is not None:
        told["python"] = report.environment["python"]
        told["libraries"] = dict(report.environment["libraries"])
        told["counts"] = report.counts
    if result.problem:
        told["problem"] = result.problem
    return told


def _tables(rows: Iterable[Mapping[str, Any]]) -> AoT:
    found = tomlkit.aot()
    for row in rows:
        table = tomlkit.table()
        for name, value in row.items():
            table.add(name, _inline(value) if isinstance(value, Mapping) else value)
        found.append(table)
    return found


def _inline(pairs: Mapping[str, Any]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update(pairs)
    return table


def read(path: Path) -> dict[str, Any]:
    """Read the status of a package.

    Raises:
        ValueError: the file is not TOML.
    """
    return toml.loads(path.read_text(encoding="utf-8"))
