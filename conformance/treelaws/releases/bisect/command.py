"""The command `bisect`: finds the release of a package that introduced or fixed a bug."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from treelaws import compat
from treelaws.releases.environments.folders import cache_folder
from treelaws.releases.environments.index import OLDEST, releases, uploaded
from treelaws.releases.environments.options import add_environment_options
from treelaws.releases.environments.requirements import BadRequest, exact
from treelaws.reproduce.named import departure_named
from treelaws.reproduce.witness import find

from .bisection import Bisection, Change
from .trials import Trials

_FOUND, _NO_CHANGE, _STOPPED = 0, 1, 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("witness", help="file of a witness, or name of a known departure")
    parser.add_argument("--package", required=True, help="package whose releases run")
    parser.add_argument("--good", default="", metavar="V", help="a release without the bug")
    parser.add_argument("--bad", default="", metavar="V", help="a release with the bug")
    parser.add_argument(
        "--versions",
        default="",
        metavar="SPEC",
        help="only these releases, such as '>=0.12,<0.13'; default: all that the suite supports",
    )
    add_trial_options(parser)


def add_trial_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that run a witness in other releases."""
    add_environment_options(parser)
    parser.add_argument(
        "--cache",
        type=Path,
        help=f"folder of resolved versions and answers; default: {cache_folder()}",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="resolve all versions and run all trials again"
    )


def run(chosen: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if a change was found, 1 if there is none, 130 if the command was stopped.

    Raises:
        BadWitness: the witness does not exist.
        BadRequest: a release, a pin, a package or a Python does not exist, or no release can run.
    """
    witness, package = find(chosen.witness), chosen.package
    versions = [found.version for found in releases(package, chosen.versions, chosen.python)]
    if len(versions) < 2:
        limits = chosen.versions or f">={OLDEST.get(package, 0)}"
        raise BadRequest(
            f"--package {package}: {len(versions)} of its releases meet {limits!r}; two are needed"
        )
    for pin in filter(None, map(exact, chosen.beside)):
        # Without this check, each release would be skipped because of the pin.
        uploaded(*pin)
    cache = chosen.cache or cache_folder()
    pins = tuple(chosen.beside)
    attempt = Trials(chosen.witness, witness, package, pins, chosen.python, cache, chosen.fresh)
    print(f"{witness.law} [{witness.subject}], {len(versions)} releases of {package}", flush=True)
    if attempt.remembered:
        print(f"{len(attempt.remembered)} answers are taken from an earlier run: {attempt.file}")
    search = Bisection(versions, attempt, lambda line: print(f"{package} {line}", flush=True))
    found = witness.versions.get(package) or _departing(chosen.witness, package, versions)
    try:
        changes = search.changes(chosen.good, chosen.bad, found)
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on from {attempt.file}", file=sys.stderr)
        return _STOPPED
    for line in _result(package, search, changes):
        print(line)
    return _FOUND if changes else _NO_CHANGE


def _departing(name: str, package: str, versions: list[str]) -> str:
    """Return the newest release that a known departure covers, or an empty text."""
    found = departure_named(name)
    spec = found.versions.get(package) if found else None
    met = list(compat.specifier(spec).filter(versions)) if spec else []
    return str(met[-1]) if met else ""


def _result(package: str, search: Bisection, changes: list[Change]) -> list[str]:
    lines = _skipped(package, search)
    for change in changes:
        lines += [f"{package}: {change}", *_beside(search, package, change)]
    if not changes:
        tried = [v for v in search.versions if v in search.trials and v not in search.skipped()]
        answer = search.trials[tried[-1]].answer
        both = "at both ends" if len(tried) > 1 else "where it can run"
        ends = " and ".join(dict.fromkeys((tried[0], tried[-1])))
        lines.append(f"{package}: no change to find: {answer} {both}, {ends}")
    return lines


def _skipped(package: str, search: Bisection) -> list[str]:
    versions: dict[str, list[str]] = {}
    for version, why in search.skipped().items():
        versions.setdefault(why, []).append(version)
    return [f"skipped {package} {', '.join(those)}: {why}" for why, those in versions.items()]


def _beside(search: Bisection, package: str, change: Change) -> list[str]:
    """Return a line about other libraries that changed, which may be the cause."""
    old, new = (search.trials[version].versions for version in (change.last, change.first))
    names = [name for name in old if name != package and name in new and old[name] != new[name]]
    pairs = [f"{name} {old[name]} -> {new[name]}" for name in names]
    return [f"other libraries differ too: {', '.join(pairs)}; pin them by --with"] if pairs else []
