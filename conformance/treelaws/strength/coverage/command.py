"""`python -m treelaws coverage`: which public functions and options no law calls.

With `--inputs`: which features of inputs never meet.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from treelaws.compat import version
from treelaws.core.errors import BadInput
from treelaws.strength.pairs import told
from treelaws.strength.pairs.pairs import dimension

from .inventory import inventory
from .places import MODULES
from .recorder import Calls, joined
from .table import Entry, entries, reason, write

_GAP, _COMPLETE = 1, 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="counts that `pytest --calls FILE` wrote; default: run all laws; with --inputs: what "
        "`pytest --inputs FILE` wrote",
    )
    parser.add_argument(
        "--library",
        action="append",
        default=[],
        help=f"only this library: {', '.join(MODULES)}; repeatable",
    )
    parser.add_argument("--all", action="store_true", help="print every function, not gaps alone")
    parser.add_argument("--record", action="store_true", help="write strength/coverage/table.json")
    parser.add_argument(
        "--inputs",
        action="store_true",
        help="print pairs of features that no input has although each is frequent",
    )
    parser.add_argument(
        "--dimension",
        action="append",
        default=[],
        metavar="NAME",
        help="with --inputs: only features such as NAME:value; repeatable",
    )
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes; default: %(default)s"
    )


def run(options: argparse.Namespace) -> int:
    """Print what no law calls or passes, or which features never meet.

    Returns:
        0 if each gap has a reason, else 1; with `--inputs` 0.

    Raises:
        BadInput: an option or a file is invalid.
    """
    if options.inputs:
        return _inputs(options)
    if options.dimension:
        raise BadInput("--dimension needs --inputs")
    for name in options.library:
        if name not in MODULES:
            raise BadInput(f"--library {name!r} is not known; choose from {', '.join(MODULES)}")
    libraries = options.library or list(MODULES)
    calls = joined(map(_read, options.files)) if options.files else _counted(options.workers)
    found = {library: entries(inventory(library), calls) for library in libraries}
    if options.record:
        write(found, {name: str(version(name)) for name in libraries})
    gaps = 0
    for library, listed in found.items():
        printed = list(lines(listed, everything=options.all))
        missing = sum(1 for one in listed for gap in one.gaps() if not reason(gap))
        called = sum(1 for one in listed if one.calls)
        print(f"{library}: laws call {called} of {len(listed)}; {missing} gaps without a reason")
        for line in printed:
            print(f"  {line}")
        gaps += missing
    return _GAP if gaps else _COMPLETE


def _inputs(options: argparse.Namespace) -> int:
    """Print which features of inputs never meet."""
    if not options.files:
        raise BadInput("--inputs needs a FILE; `pytest conformance/ --inputs FILE` writes it")
    if others := [f"--{name}" for name in ("library", "all", "record") if getattr(options, name)]:
        raise BadInput(f"--inputs takes no {' and no '.join(others)}")
    seen = told.read(options.files)
    wanted = frozenset(options.dimension)
    have = {dimension(one) for inputs in seen.values() for names in inputs for one in names}
    if unknown := sorted(wanted - have):
        raise BadInput(f"--dimension {unknown[0]!r}: no input has one; {', '.join(sorted(have))}")
    print("\n".join(told.lines(seen, wanted)))
    return _COMPLETE


def lines(listed: Sequence[Entry], *, everything: bool = False) -> Iterator[str]:
    """Give a line for each gap, or for every function and parameter."""
    for one in listed:
        gaps = [gap for gap in one.gaps() if everything or not reason(gap)]
        if everything and one.calls:
            yield f"{one.name}: {one.calls} calls"
            for name, kinds in one.parameters.items():
                if kinds:
                    told = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
                    yield f"  {name}: {told}"
        yield from (f"{gap}: {reason(gap) or 'no law calls it'}" for gap in gaps)


def _read(file: Path) -> Calls:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as raised:
        raise BadInput(f"{file}: not counts of `pytest --calls FILE`: {raised}") from None


def _counted(workers: int) -> Calls:
    """Return the counts of a run of all laws."""
    if workers < 1:
        raise BadInput(f"--workers {workers}: give a number from 1 on")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "calls.json")
        command = [sys.executable, "-m", "pytest", "-q", "--pyargs", "treelaws.tests"]
        command += ["--calls", str(file), "-p", "no:cacheprovider"]
        command += ["-n", str(workers)] if workers > 1 else []
        subprocess.run(command, check=False, stdout=sys.stderr)
        return _read(file)
