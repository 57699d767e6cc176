"""`python -m treelaws report`: write the reports of a run that was killed."""

from __future__ import annotations

import argparse
from pathlib import Path

from treelaws.reporting.stream import replayed
from treelaws.reporting.terminal import lines
from treelaws.reporting.writing import write_all


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("folder", type=Path, help="folder written by `pytest --report`")


def run(options: argparse.Namespace) -> int:
    """Write the reports and print the summary."""
    report = replayed(options.folder)
    write_all(report, options.folder)
    print(*lines(report), sep="\n")
    return 0
