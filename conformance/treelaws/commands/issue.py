"""`python -m treelaws issue`: print an issue about a finding or a failure as Markdown."""

from __future__ import annotations

import argparse
import sys

from treelaws.core.departures.departure import UNREPORTED
from treelaws.reproduce.finding_issue import finding_issue
from treelaws.reproduce.issue import issue_text, known_as
from treelaws.reproduce.named import departure_named, finding_named
from treelaws.reproduce.witness import find, witness_of_departure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    named = "id of a finding, witness file, or name of a known departure"
    parser.add_argument("witness", metavar="FINDING", help=named)


def run(options: argparse.Namespace) -> int:
    """Print the issue; exit code 1 if the law holds with the installed versions."""
    asked = options.witness
    departure = departure_named(asked)
    breach = (find(asked) if departure is None else witness_of_departure(departure)).breach()
    if breach is None:
        told = "the law holds with the installed versions; nothing to report"
        print(f"{asked}: {told}", file=sys.stderr)
        return 1
    departure = departure or known_as(breach)
    if departure is None:
        print(issue_text(breach), end="")
        return 0
    if departure.issue != UNREPORTED:
        print(f"known as {departure.name}, and reported: {departure.issue}", file=sys.stderr)
    finding = finding_named(departure.finding)
    print(finding_issue(finding, departure, breach) if finding else issue_text(breach), end="")
    return 0
