"""`python -m treelaws costs`: print how long a case of each law takes, as profiles read it."""

from __future__ import annotations

import argparse
from pathlib import Path

from treelaws.core.examples.costs import FILE, read as costs
from treelaws.core.files import replace_text
from treelaws.draws.drawn_recipes import key_of
from treelaws.laws import all_laws
from treelaws.reporting.costs import measured
from treelaws.reporting.report import read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("report", type=Path, help="report.json, or its folder")
    parser.add_argument(
        "--write",
        action="store_true",
        help="update the laws of the report in the file of the suite",
    )


def run(options: argparse.Namespace) -> int:
    """Print the costs as TOML, or write them to the file of the suite."""
    laws = all_laws()
    keys = {id: key_of(law) for id, law in laws.items()}
    found = measured(read(options.report), together=lambda id: keys.get(id, id))
    if options.write:
        replace_text(FILE, costs().updated(found, laws).text())
        print(f"{FILE}: {len(found.cases)} laws")
    else:
        print(found.text(), end="")
    return 0
