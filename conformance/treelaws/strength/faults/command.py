"""`python -m treelaws faults`: break each function that laws call, and see which law notices."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from treelaws.api.choosing import matching_laws
from treelaws.core import settings
from treelaws.core.errors import BadInput
from treelaws.core.examples import costs
from treelaws.core.law import Law

from .argued import arguments
from .matrix import MISSED, Cell
from .record import check, record, record_laws
from .results import Results
from .running import tried
from .summary import lines, summary

CASES = 10
_ALL = ["*"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("laws", nargs="*", default=_ALL, help="ids or patterns; default: all")
    parser.add_argument(
        "--cases",
        type=int,
        default=CASES,
        metavar="N",
        help="inputs a law; default: %(default)s",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="keep the results; a law found there is not rerun"
    )
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes; default: %(default)s"
    )
    parser.add_argument("--shard", metavar="I/N", help="only one of N parts; parts share a file")
    parser.add_argument(
        "--enough",
        type=int,
        metavar="N",
        help="skip what N laws have noticed before, cheap laws first; default: try everything",
    )
    parser.add_argument(
        "--again",
        type=int,
        metavar="N",
        help="then try what no law noticed with N inputs; default: do not",
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="write reports/faults.toml; with chosen laws, only what they notice",
    )
    parser.add_argument(
        "--by-law", action="store_true", help="also list what each law does not notice"
    )


def run(options: argparse.Namespace) -> int:
    """Run the laws and print what no law notices.

    Returns:
        0 if each fault is noticed or argued, else 1; also 1 if a law was left out.

    Raises:
        BadInput: an option or the file of results is invalid, or laws were left out that
            `--record` needs.
    """
    chosen = _laws(options)
    results = Results(options.out)
    left = [law for law in _share(chosen, options.shard) if law.id not in results.laws]
    how = {"cases": options.cases, "enough": options.enough, "workers": options.workers}
    for law, found in tried(left, results.cells, **how):
        results.add(law, found)
    untried = sum(law.id not in results.laws for law in left)
    if untried and options.record and options.laws == _ALL:
        raise BadInput(f"{untried} laws were left out, as told above; --record needs all of them")
    if options.again:
        how |= {"cases": options.again, "enough": 1}
        for law, found in tried(_missing(chosen, results.cells), results.cells, **how):
            results.add(law, found)
    ids = {law.id for law in chosen}
    matrix = [cell for cell in results.cells if cell.law in ids]
    told = summary(matrix, arguments())
    for line in (*lines(told), *(_by_law(matrix) if options.by_law else ())):
        print(line)
    if options.record:
        (record if options.laws == _ALL else record_laws)(matrix)
    return int(any(told.missed()) or untried > 0)


def _laws(options: argparse.Namespace) -> Sequence[Law]:
    """Return the chosen laws, cheap ones first."""
    for name in ("cases", "enough", "workers", "again"):
        number = getattr(options, name)
        if number is not None and number < 1:
            raise BadInput(f"--{name} {number}: give a number from 1 on")
    if options.record and options.shard:
        raise BadInput("--record needs all parts; leave --shard out")
    if options.record:
        check()
    try:
        chosen = matching_laws(options.laws, "observed")
    except ValueError as raised:
        raise BadInput(str(raised)) from None
    return sorted(chosen, key=lambda law: costs.read().of((law.id, "", ""), 1))


def _share(laws: Sequence[Law], shard: str | None) -> Sequence[Law]:
    if shard is None:
        return laws
    number, of = settings.parse_shard(shard)
    return laws[number - 1 :: of]


def _missing(laws: Sequence[Law], found: Sequence[Cell]) -> Sequence[Law]:
    """Return the laws that call a function with a fault that no law notices."""
    missed = {function for function, _ in summary(found, arguments()).missed()}
    calling = {cell.law for cell in found if cell.function in missed}
    return [law for law in laws if law.id in calling]


def _by_law(matrix: Sequence[Cell]) -> Iterator[str]:
    for cell in matrix:
        if cell.outcome == MISSED:
            yield f"{cell.law}: {cell.function}: {cell.fault}"
