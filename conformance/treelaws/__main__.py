"""The command line: lists of laws, pages of Markdown, issues, and witnesses tried again."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: words of the command line; default those of the process.

    Returns:
        0; 1 where a witness still breaks its law, or where an issue has nothing to report; 2 for a
        pattern that no law has and a witness that cannot be read or tried.
    """
    from .witnesses import BadWitness

    chosen = _parser().parse_args(arguments)
    try:
        return chosen.run(chosen)
    except BadWitness as raised:
        print(raised, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m treelaws", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("laws", help="list laws: id, level, statement, source")
    listing.add_argument(
        "pattern", nargs="?", default="*", help="id or pattern; default: every law"
    )
    listing.set_defaults(run=_laws)
    for name, what in (("catalogue", "laws"), ("recipes", "recipes")):
        page = commands.add_parser(name, help=f"print the page of {what} as Markdown")
        page.set_defaults(run=_page)
    issue = commands.add_parser("issue", help="print an issue about a broken law as Markdown")
    issue.add_argument("witness", help="file of a witness, or name of a known departure")
    issue.set_defaults(run=_issue)
    replay = commands.add_parser("replay", help="try the witnesses in a folder again")
    replay.add_argument("folder", type=Path, help="folder that `pytest --report` has written")
    replay.set_defaults(run=_replay)
    return parser


def _page(chosen: argparse.Namespace) -> int:
    from . import catalogue, recipes

    print({"catalogue": catalogue, "recipes": recipes}[chosen.command].page(), end="")
    return 0


def _issue(chosen: argparse.Namespace) -> int:
    from .issue_text import issue_text, known_as
    from .witnesses import find

    breach = find(chosen.witness).breach()
    if breach is None:
        print(f"{chosen.witness}: the law holds here; there is nothing to report", file=sys.stderr)
        return 1
    departure = known_as(breach)
    if departure is not None and departure.issue != "unreported":
        print(f"known as {departure.name}, and reported: {departure.issue}")
    else:
        print(issue_text(breach), end="")
    return 0


def _replay(chosen: argparse.Namespace) -> int:
    from .witnesses import BadWitness, in_folder, read

    answers = []
    for path in in_folder(chosen.folder):
        try:
            answer = "still broken" if read(path).breach() else "fixed"
        except BadWitness as raised:
            answer = f"cannot run: {raised}"
        answers.append(answer)
        print(f"{path.relative_to(chosen.folder)}: {answer}")
    if "still broken" in answers:
        return 1
    return 0 if all(answer == "fixed" for answer in answers) else 2


def _laws(options: argparse.Namespace) -> int:
    from .law import all_laws

    pattern = options.pattern

    chosen = [law for law in all_laws().values() if fnmatch.fnmatchcase(law.id, pattern)]
    if not chosen:
        print(f"no law is called {pattern!r}; leave the pattern out to see all", file=sys.stderr)
        return 2
    for law in chosen:
        print(f"{law.id}  [{law.level}]\n    {law.statement}\n    {law.source}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
