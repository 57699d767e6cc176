"""Writes an issue about a finding, in the template of the project at fault."""

from __future__ import annotations

from collections.abc import Iterator

from treelaws import compat
from treelaws.core.departures.departure import Departure
from treelaws.core.departures.finding import Finding
from treelaws.core.failure import Breach
from treelaws.core.law import Law

from .finding_script import offer_for
from .issue import script
from .issue_templates import filled
from .quotes import quote_for


def finding_issue(finding: Finding, departure: Departure, breach: Breach) -> str:
    """Return an issue about a finding as Markdown, with the title in the first line.

    Args:
        finding: the finding.
        departure: one of its departures.
        breach: the breach of the witness of the departure.
    """
    shown, happens = offer_for(finding, breach)
    told = " ".join(finding.consequence.split())
    text = filled(
        finding.library,
        title=finding.title,
        problem=f"{told}\n\n```\n{happens}\n```",
        promise=_promise(breach.law),
        script=script(shown),
        more="\n".join(["", *_more(finding, departure), ""]),
    )
    return f"{text}\n<!-- treelaws: {finding.id}, {departure.law} -->\n"


def _promise(law: Law) -> str:
    """Return the quote and its link; without a quote, what is expected and the link."""
    words = quote_for(law)
    if not words:
        return f"Expected: {law.sentence}\nSee {law.source}."
    quoted = "\n".join(f"> {line}".rstrip() for line in words.splitlines())
    return f"{quoted}\n\n{law.source}"


def _more(finding: Finding, departure: Departure) -> Iterator[str]:
    yield "### Why it happens"
    yield ""
    yield " ".join(finding.reason.split())
    yield ""
    yield "### Affected releases"
    yield ""
    yield f"{finding.affected}."
    for package, version in finding.first_bad.items():
        if version.startswith("<="):
            yield f"{package} {version[2:]}, the oldest release that can run it, is affected."
        else:
            yield f"The first affected release is {package} {version}."
    here = " and ".join(f"{name} {compat.version(name)}" for name in departure.versions)
    for link in finding.links:
        if link.state == "open":
            yield f"See also {link.url}."
        else:
            verb = "merged" if link.state == "merged" else "closed"
            fixed = f" as fixed in {link.fixed_in}" if link.fixed_in else ""
            yield f"{link.url} was {verb}{fixed}; the bug is still there in {here}."
