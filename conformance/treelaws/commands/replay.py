"""`python -m treelaws replay`: rerun witnesses with the installed versions."""

from __future__ import annotations

import argparse

from treelaws.reproduce.replay import replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "witnesses",
        nargs="+",
        help="folder written by `pytest --report`, witness file, id of a finding, or name of a "
        "known departure",
    )


def run(options: argparse.Namespace) -> int:
    """Print the result of each witness; exit code 1 if one still breaks its law."""
    codes = [replay(reference) for reference in options.witnesses]
    return 1 if 1 in codes else max(codes)
