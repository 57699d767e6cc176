"""Status of the releases of a package: which laws each keeps, as a small file that is committed."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .running import Result

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# One letter for the verdict of each release; `-` where the release could not be run.
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
    """A law that some release breaks, in one known way or in an unknown one.

    Args:
        law: its id.
        subject: name of the subject.
        departure: the known departure; empty for breaches that no departure covers.
        beside: the pin that the releases stood beside; empty where it makes no difference.
        verdicts: a letter of `LETTERS` for each release, the oldest first.
        first_bad: the oldest release that breaks it; `<=` before it where none before it was tried.
        first_good: the release that mended it for good; empty where the newest breaks it.
    """

    law: str
    subject: str
    departure: str
    beside: str
    verdicts: str
    first_bad: str
    first_good: str


def changed(results: Sequence[Result]) -> list[Changed]:
    """Give what some release breaks, by law, subject, departure and what it stood beside.

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
    """Give the letter of a law, or of a departure that stands for what the law is known for."""
    if table is None:
        return NO_RUN
    law, subject, departure = identity
    verdict = table.get(identity) or table.get((law, subject, ""), "skipped")
    if verdict == "known" and not (departure and identity in table):
        # Another departure covers every case, so that nothing was tried.
        verdict = "skipped"
    return LETTERS[verdict]


def _ends(letters: str, versions: Sequence[str]) -> tuple[str, str]:
    """Give the first bad release and the first good one after the last bad one."""
    bad = [index for index, letter in enumerate(letters) if letter in _BAD]
    tried_before = any(letter in _GOOD for letter in letters[: bad[0]])
    first_bad = f"{'' if tried_before else '<='}{versions[bad[0]]}"
    after = [index for index in range(bad[-1], len(letters)) if letters[index] in _GOOD]
    return first_bad, versions[after[0]] if after else ""


def _merged(found: Sequence[Changed], groups: int) -> list[Changed]:
    """Give one entry where a law fares alike beside everything, else one for each."""
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
    lines = ["# Written by `python -m treelaws matrix`; `docs/releases.md` is made of it."]
    lines += _table({"package": package, **{key: suite.get(key, "") for key in _SUITE}})
    for result in results:
        lines += ["", "[[release]]", *_table(_release(result))]
    for one in changed(results):
        fields = {name: value for name, value in dataclasses.asdict(one).items() if value}
        lines += ["", "[[law]]", *_table(fields)]
    return "\n".join(lines) + "\n"


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


def _table(fields: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {_value(value)}" for name, value in fields.items()]


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        # A bare key has no blank in it.
        pairs = (f"{json.dumps(name)} = {_value(one)}" for name, one in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    # What JSON writes of a text, TOML reads.
    return json.dumps(value, ensure_ascii=False)


def read(path: Path) -> dict[str, Any]:
    """Read the status of a package.

    Raises:
        ValueError: the file is no TOML.
    """
    return tomllib.loads(path.read_text(encoding="utf-8"))
