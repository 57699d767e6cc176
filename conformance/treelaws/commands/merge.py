"""`python -m treelaws merge`: join the reports of shards into one."""

from __future__ import annotations

import argparse
from pathlib import Path

from treelaws.reporting.merging import merge
from treelaws.reporting.terminal import lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "folders",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="folder written by `pytest --shard I/N --report DIR`",
    )
    parser.add_argument(
        "--report", type=Path, required=True, metavar="DIR", help="folder of the joint report"
    )


def run(options: argparse.Namespace) -> int:
    """Write the report and print its summary; exit code 1 if a law fails or a shard is missing."""
    report, missing = merge(options.folders, options.report)
    print(*lines(report), *missing, f"report: {options.report / 'report.html'}", sep="\n")
    return 1 if missing or any(row.fails for row in report.rows) else 0
