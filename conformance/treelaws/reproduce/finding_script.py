"""The standalone script of a finding: the one that it carries, or that of a departure."""

from __future__ import annotations

import textwrap

from treelaws.core.departures import known
from treelaws.core.departures.departure import Departure
from treelaws.core.departures.finding import Finding
from treelaws.core.failure import Breach

from .script import Offer, offer, scripts, verify

_MOST_LINES = 12
_RULE = "-" * 20


def offer_for(finding: Finding, breach: Breach) -> tuple[Offer, str]:
    """Return the script of a finding with the result of its run, and what happens in it.

    Args:
        finding: the finding.
        breach: the breach of one of its departures.
    """
    if finding.script:
        ended = verify(finding.script)
        return Offer(breach, finding.script, ended.answer), _message(ended.output)
    found = offer(breach, title=finding.title)
    return found, textwrap.dedent(found.breach.difference).strip()


def _message(output: str) -> str:
    """Return the message of the exception that ended a script, without its traceback."""
    lines = output.strip().splitlines()
    frames = [index for index, line in enumerate(lines) if line.startswith('  File "')]
    behind = lines[frames[-1] + 1 :] if frames else lines
    start = next((index for index, line in enumerate(behind) if not line.startswith(" ")), 0)
    # JAX adds a note about its traceback.
    end = behind.index(_RULE) if _RULE in behind else len(behind)
    return "\n".join(behind[start : min(end, start + _MOST_LINES)])


def script_for_report(departure: Departure, breach: Breach) -> str:
    """Return the script that a report shows for a finding; empty for all departures but the first.

    It is not run: self-tests run the script of each finding.

    Args:
        departure: the known departure whose witness was replayed.
        breach: its breach.
    """
    found = next((one for one in known.findings() if one.id == departure.finding), None)
    if found is None or departure.name != first_of(found).name:
        return ""
    return found.script or next(scripts(breach, found.title))


def first_of(finding: Finding) -> Departure:
    """Return the first departure of a finding that applies to the installed versions, if any."""
    return next((one for one in finding.departures if one.applies), finding.departures[0])
