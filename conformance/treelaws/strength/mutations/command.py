"""`python -m treelaws mutate`: change the source of a library, and see which laws notice."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from pathlib import Path

from treelaws.core.errors import BadInput

from . import jobs
from .book import Book
from .extras import tool
from .modules import modules_named
from .mutants import draw
from .processes import can_fork
from .running import Laws
from .summary import left_out, lines, survived
from .unexecuted import unexecuted

_KILLED, _SURVIVED, _STOPPED = 0, 1, 130
_FOLDER = Path("reports", "runs", "mutate")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "--module",
        dest="modules",
        action="append",
        required=True,
        metavar="NAME",
        help="module, or package with all its modules, such as equinox._tree; repeatable for "
        "modules of one library",
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="mutants of each module; default: all"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample; default: 0")
    parser.add_argument(
        "--laws", action="append", default=[], metavar="ID", help="as of pytest; default: all"
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes at once; default: number of cores",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="file of results, from which a stopped run goes on; "
        f"default: {_FOLDER.as_posix()}/LIBRARY.jsonl",
    )


def run(chosen: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if every mutant was killed, 1 if one was not, 130 if the command was stopped.

    Raises:
        BadInput: an option has an invalid value, or a tool is not installed.
    """
    _check(chosen)
    found = {name: modules_named(name) for name in chosen.modules}
    libraries = list(dict.fromkeys(modules[0].library for modules in found.values()))
    if len(libraries) > 1:
        raise BadInput(f"--module: {' and '.join(libraries)} are two libraries; name one at a time")
    (library,) = libraries
    file = chosen.out or _FOLDER / f"{library}.jsonl"
    book = Book(file)
    asked = {name: draw(modules, chosen.sample, chosen.seed) for name, modules in found.items()}
    jobs.preload(library)
    tell = functools.partial(print, file=sys.stderr, flush=True)
    laws = Laws(library, chosen.laws, book, chosen.workers, tell)
    try:
        clean = laws.measure()
        laws.judge([one for mutants in asked.values() for one in mutants], clean)
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on from {file}", file=sys.stderr)
        return _STOPPED
    for line in left_out(book.topics):
        print(line, file=sys.stderr)
    print("\n".join(lines(asked, book.mutants)))
    for modules in found.values():
        for line in unexecuted(modules, clean):
            print(line)
    return _SURVIVED if survived(asked, book.mutants) else _KILLED


def _check(chosen: argparse.Namespace) -> None:
    for option in ("sample", "workers"):
        value = getattr(chosen, option)
        if value is not None and value < 1:
            raise BadInput(f"--{option}: {value} is below 1")
    for name in ("coverage", "libcst", "mutmut.mutation.mutators"):
        tool(name)
    if not can_fork():
        raise BadInput("mutate needs a system that can fork processes, such as Linux or macOS")
