"""`python -m treelaws laws`: list the laws."""

from __future__ import annotations

import argparse
import fnmatch
import sys

from treelaws.core.close_names import did_you_mean
from treelaws.laws import all_laws


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("pattern", nargs="?", default="*", help="id or pattern; default: every law")


def run(options: argparse.Namespace) -> int:
    """Print id, level, statement and source of each law; exit code 2 if no law matches."""
    laws = all_laws()
    chosen = [law for law in laws.values() if fnmatch.fnmatchcase(law.id, options.pattern)]
    if not chosen:
        hint = did_you_mean(options.pattern, laws) or "leave the pattern out to see all"
        print(f"no law is called {options.pattern!r}; {hint}", file=sys.stderr)
        return 2
    for law in chosen:
        print(f"{law.id}  [{law.level}]\n    {law.statement}\n    {law.source}")
    return 0
