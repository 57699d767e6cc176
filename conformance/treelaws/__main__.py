"""The command line: lists of laws, pages of Markdown, issues, witnesses tried again, doctor."""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: words of the command line; default those of the process.

    Returns:
        0; 1 where there is something to look at, such as a witness that still breaks its law; 2
        for a pattern that no law has, and for a witness or report that cannot be read or tried.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["doctor"]:
        # It says why jax does not import, so it starts before anything that imports jax.
        from .doctor.command import main as doctor

        return doctor(words[1:])
    from .releases.requirements import BadRequest
    from .reporting.report import BadReport
    from .witnesses import BadWitness

    chosen = _parser().parse_args(words)
    try:
        return chosen.run(chosen)
    except (BadWitness, BadReport, BadRequest) as raised:
        print(raised, file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, `head` perhaps, has seen enough; what is left must not be flushed to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    from .matrix import command
    from .releases import bisecting, history

    parser = argparse.ArgumentParser(prog="python -m treelaws", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("laws", help="list laws: id, level, statement, source")
    listing.add_argument(
        "pattern", nargs="?", default="*", help="id or pattern; default: every law"
    )
    listing.set_defaults(run=_laws)
    pages = (("catalogue", "laws"), ("recipes", "recipes"), ("releases", "releases"))
    for name, what in pages:
        page = commands.add_parser(name, help=f"print the page of {what} as Markdown")
        page.set_defaults(run=_page)
    preflight = "look for what would spoil a run: versions, settings, plugins, known files"
    commands.add_parser("doctor", help=preflight, add_help=False)
    issue = commands.add_parser("issue", help="print an issue about a broken law as Markdown")
    issue.add_argument("witness", help="file of a witness, or name of a known departure")
    issue.set_defaults(run=_issue)
    replay = commands.add_parser("replay", help="try witnesses again")
    replay.add_argument(
        "witnesses",
        help="folder that `pytest --report` has written, file of a witness, or name of a known "
        "departure",
    )
    replay.set_defaults(run=_replay)
    bisect = commands.add_parser("bisect", help="find the release that brought or mended a bug")
    bisecting.add_arguments(bisect)
    bisect.set_defaults(run=bisecting.bisect)
    past = commands.add_parser("history", help="find bugs that releases had")
    history.add_arguments(past)
    past.set_defaults(run=history.history)
    report = commands.add_parser("report", help="write the reports of a run that was stopped")
    report.add_argument("folder", type=Path, help="folder that `pytest --report` has written")
    report.set_defaults(run=_report)
    diff = commands.add_parser("diff", help="tell what brought each change between two reports")
    for name in ("old", "new"):
        diff.add_argument(name, type=Path, help="report.json, or its folder")
    diff.set_defaults(run=_diff)
    merge = commands.add_parser("merge", help="join the reports of shards into one")
    merge.add_argument(
        "folders",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="folder that `pytest --shard I/N --report DIR` has written",
    )
    merge.add_argument("--report", type=Path, required=True, metavar="DIR", help="where it goes")
    merge.set_defaults(run=_merge)
    costs = commands.add_parser("costs", help="print, from a report, how long each law takes")
    costs.add_argument("report", type=Path, help="report.json, or its folder")
    costs.set_defaults(run=_costs)
    matrix = commands.add_parser("matrix", help="run the suite on many releases")
    command.add_arguments(matrix)
    matrix.set_defaults(run=command.matrix)
    return parser


def _report(chosen: argparse.Namespace) -> int:
    from .reporting.stream import replayed
    from .reporting.terminal import lines
    from .reporting.writing import write_all

    report = replayed(chosen.folder)
    write_all(report, chosen.folder)
    print(*lines(report), sep="\n")
    return 0


def _merge(chosen: argparse.Namespace) -> int:
    from .reporting.merging import merge
    from .reporting.terminal import lines

    report, missing = merge(chosen.folders, chosen.report)
    print(*lines(report), *missing, f"report: {chosen.report / 'report.html'}", sep="\n")
    return 1 if missing or any(row.fails for row in report.rows) else 0


def _costs(chosen: argparse.Namespace) -> int:
    from .costs import measured
    from .reporting.report import read

    print(measured(read(chosen.report)).text(), end="")
    return 0


def _diff(chosen: argparse.Namespace) -> int:
    from . import compat
    from .reporting.diff import diff, replayed_here
    from .reporting.report import read

    here = {name: compat.version(name) or "" for name in compat.LIBRARIES}
    changes = list(diff(read(chosen.old), read(chosen.new), here, replayed_here))
    print(*(changes or ["no verdict changed"]), sep="\n")
    return 1 if changes else 0


def _page(chosen: argparse.Namespace) -> int:
    from . import catalogue, recipes
    from .matrix import page as releases

    pages = {"catalogue": catalogue, "recipes": recipes, "releases": releases}
    print(pages[chosen.command].page(), end="")
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
    from .replaying import replay

    return replay(chosen.witnesses)


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
