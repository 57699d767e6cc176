"""The page of findings: the known bugs of released libraries, the most severe first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from treelaws import compat
from treelaws.core.departures.departure import EVERY_CASE, Departure
from treelaws.core.departures.finding import SEVERITIES, Finding
from treelaws.findings.listing import chosen
from treelaws.laws import all_laws

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
    "cosmetic": "a text, or the type of an error or of a result, is wrong",
}
_SWITCHED_OFF = """\
## Laws that a finding switches off

A departure names the inputs that its law does not generate while the bug is there. Here that is
every input of the subject, so that only the witness runs. Nor do the laws run that follow from
such a law.
"""
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
    parts += [_SWITCHED_OFF, *_switched_off(found)]
    return {"findings.md": "\n".join(parts)}


def _is_in_newest(found: Finding) -> bool:
    return any(map(_reaches_newest, found.departures))


def _reaches_newest(found: Departure) -> bool:
    return all(compat.specifier(spec).contains(_FUTURE) for spec in found.versions.values())


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


def _switched_off(found: Sequence[Finding]) -> Iterator[str]:
    """Yield an entry for each reason why a departure covers every case, newest releases first."""
    covering = [one for each in found for one in each.departures if EVERY_CASE in one.region]
    for (_, finding, why), alike in groupby(sorted(covering, key=_cause), _cause):
        same = list(alike)
        releases = "; ".join(dict.fromkeys(_specified(one.versions) for one in same))
        subjects = _joined(list(dict.fromkeys(one.subject for one in same)))
        yield f"- [{finding}](#{finding}), {releases}: {subjects}. {why}"
        yield from (f"    - `{law}`{_following(law)}" for law in sorted({one.law for one in same}))
    yield ""


def _cause(found: Departure) -> tuple[bool, str, str]:
    return not _reaches_newest(found), found.finding, " ".join(found.every_case.split())


def _specified(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{package} {spec}" for package, spec in versions.items())


def _joined(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _following(law: str) -> str:
    """Return which laws do not run where the law with this id does not; empty if there is none."""
    every = all_laws()
    found = [one.id for one in every.values() if law in {each.id for each in one.ancestors}]
    return f", and so {_joined(found)}" if found else ""
