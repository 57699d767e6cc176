"""`python -m treelaws replay`: witnesses, run again with what is installed now."""

from __future__ import annotations

import argparse

from treelaws.reproduce.replay import replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "witnesses",
        help="folder that `pytest --report` has written, file of a witness, or name of a known "
        "departure",
    )


def run(options: argparse.Namespace) -> int:
    """Print what became of each witness; exit code 1 where one still breaks its law."""
    return replay(options.witnesses)
