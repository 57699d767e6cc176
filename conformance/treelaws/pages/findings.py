"""The page of findings: the known bugs of released libraries, the most severe first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from treelaws import compat
from treelaws.core.departures.finding import SEVERITIES, Finding
from treelaws.findings.listing import chosen

_HEAD = """\
# Findings

`python -m treelaws findings` lists the known bugs of the installed releases. This page lists those
of all releases: one entry for each root cause. A conformance run checks that each bug of the
installed releases is still there, and does not fail because of it.

`python -m treelaws issue ID` prints a bug as an issue for the library at fault, with a script that
was run first.

| severity | meaning | in the newest releases | only in older releases |
|---|---|---:|---:|
{counts}
"""
_MEANINGS = {
    "wrong-result": "a value, structure or identity is silently wrong",
    "state-lost": "state is silently lost",
    "crash": "a documented use raises",
    "leak": "memory is kept",
    "refuses-valid": "a valid input is rejected",
    "accepts-invalid": "a documented error is not raised",
    "cosmetic": "a text or the type of an error is wrong",
}
# A release that no upper bound of a specifier admits.
_FUTURE = "99999"


def pages() -> dict[str, str]:
    """Return the text of the page by its path below the folder of the documentation."""
    found = chosen(every=True)
    now = [one for one in found if _is_in_newest(one)]
    before = [one for one in found if one not in now]
    parts = [_HEAD.format(counts="\n".join(_counts(now, before)))]
    parts += ["## In the newest releases", "", *_sections(now)]
    parts += ["## Only in older releases", "", *_sections(before)]
    return {"findings.md": "\n".join(parts)}


def _is_in_newest(found: Finding) -> bool:
    return any(
        all(compat.specifier(spec).contains(_FUTURE) for spec in one.versions.values())
        for one in found.departures
    )


def _counts(now: Sequence[Finding], before: Sequence[Finding]) -> Iterator[str]:
    counts = [Counter(one.severity for one in found) for found in (now, before)]
    for severity in SEVERITIES:
        first, second = (count[severity] for count in counts)
        yield f"| {severity} | {_MEANINGS[severity]} | {first} | {second} |"


def _sections(found: Sequence[Finding]) -> Iterator[str]:
    for severity, group in groupby(found, lambda one: one.severity):
        yield f"### {severity.replace('-', ' ').capitalize()}"
        yield ""
        for one in group:
            yield from _entry(one)


def _entry(found: Finding) -> Iterator[str]:
    yield f'<a id="{found.id}"></a>'
    yield f"#### {found.title}"
    yield ""
    yield " ".join(found.consequence.split())
    yield ""
    first = f"; first: {found.first_affected}" if found.first_bad else ""
    yield f"- {found.library}; affected: {found.affected}{first}"
    links = ", ".join(str(link) for link in found.links) or "not reported"
    yield f"- upstream: {links}"
    yield f"- `python -m treelaws issue {found.id}`"
    yield ""
    if found.script:
        yield f"```python\n{found.script.strip()}\n```"
        yield ""
