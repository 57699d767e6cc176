"""`python -m treelaws findings`: list the known bugs of released libraries."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator

from treelaws.core.departures.finding import SEVERITIES, Finding
from treelaws.findings.listing import chosen

_WIDTH = 98


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    severities = f"only findings of this severity ({', '.join(SEVERITIES)}); repeatable"
    parser.add_argument("--severity", action="append", default=[], help=severities)
    library = "only findings of this library; repeatable"
    parser.add_argument("--library", action="append", default=[], help=library)
    release = "as if this release were installed, such as flax==0.12.4; repeatable"
    parser.add_argument("--release", action="append", default=[], help=release)
    every = "also findings that affect none of the installed or given releases"
    parser.add_argument("--all", action="store_true", help=every)


def run(options: argparse.Namespace) -> int:
    """Print the findings, the most severe first."""
    found = chosen(
        severities=options.severity,
        libraries=options.library,
        releases=options.release,
        every=options.all,
    )
    for one in found:
        print("\n".join(_lines(one)), end="\n\n")
    number = f"{len(found)} finding{'' if len(found) == 1 else 's'}"
    print(f"{number}; `python -m treelaws issue ID` prints one as an issue")
    return 0


def _lines(found: Finding) -> Iterator[str]:
    yield f"{found.id}  [{found.library}, {found.severity}]"
    yield from textwrap.wrap(found.title, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    told = " ".join(found.consequence.split())
    yield from textwrap.wrap(told, _WIDTH, initial_indent="    ", subsequent_indent="    ")
    first = f"; first: {found.first_affected}" if found.first_bad else ""
    yield f"    affected: {found.affected}{first}"
    for link in found.links:
        yield f"    {link}"
