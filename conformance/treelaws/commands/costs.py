"""`python -m treelaws costs`: print how long each law takes, in the format that `--shard` reads."""

from __future__ import annotations

import argparse
from pathlib import Path

from treelaws.reporting.costs import measured
from treelaws.reporting.report import read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("report", type=Path, help="report.json, or its folder")


def run(options: argparse.Namespace) -> int:
    """Print the costs as TOML."""
    print(measured(read(options.report)).text(), end="")
    return 0
