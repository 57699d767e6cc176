"""The command `carried`: what one release wrote, another reads."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import filelock

from treelaws import compat
from treelaws.core.errors import BadInput
from treelaws.core.files import replace_text
from treelaws.releases.environments.index import OLDEST
from treelaws.releases.environments.options import add_environment_options

from . import status
from .asked import Asked
from .cases import DIED, LOADS, WRONG
from .checkpoint import checked
from .differing import differing
from .outcomes import UNDECIDED
from .pairs import ALL, NEIGHBOURS, pairs, sides
from .promises import PROMISES
from .running import Result, run_all
from .windows import promised

_READS, _DIFFERS = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--package", help="package whose releases write and read")
    parser.add_argument(
        "--from",
        dest="writers",
        default="",
        metavar="SPEC",
        help="releases such as '>=0.12', or '0.11.8,0.12.0', or 'installed'; default: all that the "
        "suite supports",
    )
    parser.add_argument(
        "--to", dest="readers", default="", metavar="SPEC", help="as --from; default: the same"
    )
    parser.add_argument(
        "--pairs",
        choices=(NEIGHBOURS, ALL),
        default=NEIGHBOURS,
        help="neighbours: each release and the next one, and the oldest and the newest; all: each "
        "of --from with each of --to; in both directions; default: %(default)s",
    )
    parser.add_argument(
        "--laws", action="append", default=[], metavar="ID", help="as of pytest; default: all"
    )
    add_environment_options(parser)
    parser.add_argument(
        "--examples", type=_count, default=20, metavar="N", help="cases of each law; default: 20"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the cases; default: 0")
    parser.add_argument(
        "--workers", type=_count, default=os.cpu_count() or 1, help="default: number of cores"
    )
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path("reports", "runs", "carried"),
        metavar="DIR",
        help="folder of the files, from which a stopped run continues; default: %(default)s",
    )
    parser.add_argument(
        "--status",
        type=Path,
        metavar="DIR",
        help="write DIR/<package>.toml, from which the page is made; the suite's own is "
        "reports/carried",
    )
    parser.add_argument(
        "--subject",
        metavar="MODULE:NAME",
        help="with --file: a function that makes the model, or the model, of a checkpoint",
    )
    parser.add_argument(
        "--file",
        type=Path,
        metavar="PATH",
        help="with --subject: the checkpoint, which the installed releases read",
    )


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return number


def run(chosen: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if everything loads; 1 if something loads wrong, ends the process, or does not load
        although that is promised, or if a release could not run.

    Raises:
        BadInput: the options contradict each other, or a release, a law, a file or a subject does
            not exist.
    """
    if chosen.subject or chosen.file:
        if not (chosen.subject and chosen.file) or chosen.package:
            raise BadInput("give --subject and --file together, or --package without them")
        return checked(chosen.subject, chosen.file)
    if not chosen.package:
        raise BadInput("give --package, or --subject and --file")
    return _across(chosen)


def _across(chosen: argparse.Namespace) -> int:
    package = chosen.package
    asked = Asked(package, tuple(chosen.laws), chosen.examples, chosen.seed, chosen.runs)
    asked.words()
    first = chosen.writers or f">={OLDEST.get(package, '0')}"
    writers, readers = (
        sides(package, one, chosen.beside, chosen.python)
        for one in (first, chosen.readers or first)
    )
    tell = functools.partial(print, file=sys.stderr, flush=True)
    chosen_pairs = pairs(writers, readers, chosen.pairs)
    if not chosen_pairs:
        raise BadInput(f"--from {first}: one release alone has nothing to read; give another --to")
    with _alone(chosen.runs, package):
        results = list(run_all(chosen_pairs, asked, chosen.workers, tell))
    for line in told(results):
        print(line)
    if chosen.status is not None:
        version = compat.version("treelaws") or ""
        replace_text(chosen.status / f"{package}.toml", status.text(asked, results, version))
    return _DIFFERS if any(map(_is_bad, results)) else _READS


@contextlib.contextmanager
def _alone(folder: Path, package: str) -> Iterator[None]:
    """Keep other runs of the package out of a folder: each would remove the other's files.

    Raises:
        BadInput: another run is at work there, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(folder / f"{package}.lock")
        lock.acquire(timeout=0)
    except filelock.Timeout:
        told = f"--runs {folder}: another run of {package} is at work there; give another folder"
        raise BadInput(told) from None
    except OSError as raised:
        raise BadInput(f"--runs {folder}: cannot be written: {raised.strerror}") from raised
    try:
        yield
    finally:
        lock.release()


def _is_bad(result: Result) -> bool:
    return bool(result.problem) or any(
        one.outcome in (WRONG, DIED)
        or (one.outcome not in (LOADS, *UNDECIDED) and promised(one.case.law, result))
        for one in result.outcomes
    )


def told(results: Sequence[Result]) -> list[str]:
    """Return a line for each outcome that is not `loads`, with the number of its cases and pairs.

    Args:
        results: of all pairs.
    """
    lines = []
    for one in differing(results):
        covered = any(promised(one.law, each) for each in results if each.pair in one.pairs)
        note = f" (promised: {PROMISES[one.law].text})" if covered else ""
        first = one.first.told.splitlines()[0] if one.first.told else ""
        shown = ", ".join(one.pairs[:3]) + (" ..." if len(one.pairs) > 3 else "")
        lines.append(f"{one.first.outcome}: {one.law}{note}: {first} [{shown}]")
    return lines
