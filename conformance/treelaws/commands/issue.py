"""`python -m treelaws issue`: a broken law as an issue for the project that broke it."""

from __future__ import annotations

import argparse
import sys

from treelaws.reproduce.issue import issue_text, known_as
from treelaws.reproduce.witness import find


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("witness", help="file of a witness, or name of a known departure")


def run(options: argparse.Namespace) -> int:
    """Print the issue; exit code 1 where the law holds here."""
    breach = find(options.witness).breach()
    if breach is None:
        print(f"{options.witness}: the law holds here; there is nothing to report", file=sys.stderr)
        return 1
    departure = known_as(breach)
    if departure is not None and departure.issue != "unreported":
        print(f"known as {departure.name}, and reported: {departure.issue}")
    else:
        print(issue_text(breach), end="")
    return 0
