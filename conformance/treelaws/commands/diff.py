"""`python -m treelaws diff`: explain each changed verdict between two reports."""

from __future__ import annotations

import argparse
from pathlib import Path

from treelaws import compat
from treelaws.reporting.diff import diff, replayed_here
from treelaws.reporting.report import read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    for name in ("old", "new"):
        parser.add_argument(name, type=Path, help="report.json, or its folder")


def run(options: argparse.Namespace) -> int:
    """Print a line per change; exit code 1 if there is one."""
    here = {name: compat.version(name) or "" for name in compat.LIBRARIES}
    changes = list(diff(read(options.old), read(options.new), here, replayed_here))
    print(*(changes or ["no verdict changed"]), sep="\n")
    return 1 if changes else 0
