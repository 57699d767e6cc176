"""The command `past-bugs`: checks that laws find the bugs of past releases, and only there."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from treelaws.releases.environments.environments import environment
from treelaws.releases.environments.folders import cache_folder
from treelaws.releases.environments.requirements import BadRequest

from .checks import Check, Row
from .table import DEFAULT, Entry, read_entries

_ALL, _NOT_ALL, _CANNOT, _STOPPED = 0, 1, 2, 130
_SEEDS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "file", type=Path, nargs="?", default=DEFAULT, help="table of bugs; default: %(default)s"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="ID", help="only this entry; repeatable"
    )
    parser.add_argument(
        "--seeds", type=int, default=_SEEDS, metavar="N", help="searches; default: %(default)s"
    )
    parser.add_argument("--report", type=Path, metavar="DIR", help="keep witnesses and scripts")
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help=f"of resolved versions; default: {cache_folder()}"
    )
    parser.add_argument("--fresh", action="store_true", help="resolve the versions again")


def run(chosen: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 where each bug is found on its bad side alone, 1 where one is not, 2 where one could not
        be checked and the others are right, 130 where it was stopped.

    Raises:
        BadRequest: the table, an entry or the number of seeds is invalid.
    """
    if chosen.seeds < 1:
        raise BadRequest(f"--seeds {chosen.seeds}: at least one search is needed")
    entries = read_entries(chosen.file, chosen.only)
    width = max((len(entry.id) for entry in entries), default=0)
    print(_line("bug", "bad", "good", "script", "law", width))
    rows = []
    try:
        for entry in entries:
            rows.append(_row(entry, chosen))
            print(_told(rows[-1], chosen.seeds, width), flush=True)
    except KeyboardInterrupt:
        print(f"stopped after {len(rows)} of {len(entries)}", file=sys.stderr)
        return _STOPPED
    right = sum(row.right for row in rows)
    print(f"{right} of {len(rows)} are found where they were and only there")
    if right == len(rows):
        return _ALL
    return _CANNOT if all(row.right or row.problem for row in rows) else _NOT_ALL


def _row(entry: Entry, chosen: argparse.Namespace) -> Row:
    cache = (chosen.cache or cache_folder()) / "environments"
    bad, good = (environment(w, cache=cache, fresh=chosen.fresh) for w in (entry.bad, entry.good))
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.report / entry.id if chosen.report else Path(temporary)
        return Check(entry, bad, good, chosen.seeds, folder.resolve()).row()


def _told(row: Row, seeds: int, width: int) -> str:
    if row.problem:
        return f"{row.id:{width}}  cannot be checked: {row.problem}"
    codes = "/".join("-" if code is None else str(code) for code in row.scripts)
    bad, good = (f"{found}/{seeds}" for found in (row.bad, row.good))
    return _line(row.id, bad, good, codes, row.law or "none finds it", width)


def _line(name: str, bad: str, good: str, script: str, law: str, width: int) -> str:
    return f"{name:{width}}  {bad:5}  {good:5}  {script:6}  {law}"
