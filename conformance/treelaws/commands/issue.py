"""`python -m treelaws issue`: print an issue about a broken law."""

from __future__ import annotations

import argparse
import sys

from treelaws.reproduce.issue import issue_text, known_as
from treelaws.reproduce.witness import find


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("witness", help="witness file, or name of a known departure")


def run(options: argparse.Namespace) -> int:
    """Print the issue; exit code 1 if the law holds with the installed versions."""
    breach = find(options.witness).breach()
    if breach is None:
        told = "the law holds with the installed versions; nothing to report"
        print(f"{options.witness}: {told}", file=sys.stderr)
        return 1
    departure = known_as(breach)
    if departure is not None and departure.issue != "unreported":
        print(f"known as {departure.name}, and reported: {departure.issue}")
    else:
        print(issue_text(breach), end="")
    return 0
