"""The command line: `laws` lists every law, `catalogue` and `recipes` print pages of Markdown."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: words of the command line; default those of the process.

    Returns:
        0, or 2 for a pattern that no law has.
    """
    parser = argparse.ArgumentParser(prog="python -m treelaws", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("laws", help="list laws: id, level, statement, source")
    listing.add_argument(
        "pattern", nargs="?", default="*", help="id or pattern; default: every law"
    )
    commands.add_parser("catalogue", help="print the page of laws as Markdown")
    commands.add_parser("recipes", help="print the page of recipes as Markdown")
    chosen = parser.parse_args(arguments)
    return _laws(chosen.pattern) if chosen.command == "laws" else _page(chosen.command)


def _page(name: str) -> int:
    from . import catalogue, recipes

    print({"catalogue": catalogue, "recipes": recipes}[name].page(), end="")
    return 0


def _laws(pattern: str) -> int:
    from .law import all_laws

    chosen = [law for law in all_laws().values() if fnmatch.fnmatchcase(law.id, pattern)]
    if not chosen:
        print(f"no law is called {pattern!r}; leave the pattern out to see all", file=sys.stderr)
        return 2
    for law in chosen:
        print(f"{law.id}  [{law.level}]\n    {law.statement}\n    {law.source}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
