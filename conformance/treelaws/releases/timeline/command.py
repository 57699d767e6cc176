"""The command `timeline`: a fixed set of operations, timed on the last releases of a library."""

from __future__ import annotations

import argparse
import fnmatch
import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import treelaws
from treelaws import compat
from treelaws.core.errors import BadInput
from treelaws.core.files import replace_text
from treelaws.releases.environments.environments import Wanted, environment
from treelaws.releases.environments.folders import suite_folder
from treelaws.releases.environments.index import OLDEST, chosen_releases, releases
from treelaws.releases.environments.interpreters import interpreter
from treelaws.releases.environments.options import add_environment_options
from treelaws.releases.environments.requirements import BadRequest, exact

from . import status
from .picture import picture

_SAME, _CHANGED = 0, 1
_LAST, _ROUNDS = 10, 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--package", required=True, choices=sorted(OLDEST), help="library whose releases are timed"
    )
    parser.add_argument(
        "--versions",
        default="",
        metavar="SPEC",
        help=f"releases such as '>=0.12', or '0.11.8,0.12.0'; default: the last {_LAST}",
    )
    add_environment_options(
        parser,
        default="JAX as it is installed here; others are as of the upload date of the release",
    )
    parser.add_argument(
        "--cases",
        action="append",
        default=[],
        metavar="NAME",
        help="time only these cases, with * for any text; repeatable; default: all of the set",
    )
    parser.add_argument(
        "--rounds",
        type=_rounds,
        default=_ROUNDS,
        metavar="N",
        help=f"processes of each release, at least {_ROUNDS}; default: {_ROUNDS}",
    )
    parser.add_argument(
        "--status",
        type=Path,
        metavar="DIR",
        help="write DIR/<package>.toml, from which the page is made; the suite's own is "
        "reports/timeline",
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the releases as SVG")


def _rounds(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < _ROUNDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {_ROUNDS}")
    return number


def run(chosen: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if no release is slower than the one before it and each could be timed, 1 otherwise.

    Raises:
        BadInput: a release, a pin, a case or a Python does not exist, or `perf/` is missing.
    """
    timing = _timing()
    cases = _cases(timing.CASES[chosen.package], chosen.cases)
    beside = _beside(chosen.package, chosen.beside)
    tell = functools.partial(print, file=sys.stderr, flush=True)
    versions, problems = _installed(chosen, beside, timing.Version, tell)
    found = timing.timeline(versions, cases, rounds=chosen.rounds, tell=tell)
    found.problems.update(problems)
    for step in found.steps:
        print(step)
    for release, problem in found.problems.items():
        print(f"{release}: {problem}")
    python = interpreter(chosen.python).version
    text = status.text(chosen.package, found, beside=beside, rounds=chosen.rounds, python=python)
    if chosen.status is not None:
        replace_text(chosen.status / f"{chosen.package}.toml", text)
    if chosen.picture is not None:
        replace_text(chosen.picture, picture(status.parsed(text)))
    slower = any(step.comparison.verdict == "slower" for step in found.steps)
    # A release may lack a case of the set.
    return _CHANGED if slower or set(found.problems) - set(found.releases) else _SAME


def _timing() -> Any:
    """Import what times operations, which only a clone has."""
    folder = Path(treelaws.__file__).resolve().parents[2] / "perf"
    if not (folder / "pytree_timing").is_dir():
        raise BadInput(f"timeline needs {folder}, which only a clone of treelaws has")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module("pytree_timing.timeline")


def _cases(known: Sequence[str], patterns: Sequence[str]) -> list[str]:
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            raise BadInput(f"--cases {pattern}: no such case; there are {', '.join(known)}")
    wanted = {case for pattern in patterns or ["*"] for case in fnmatch.filter(known, pattern)}
    return [case for case in known if case in wanted]


def _beside(package: str, pins: Sequence[str]) -> tuple[str, ...]:
    """Return the pins of other packages: the same for every release."""
    named = {}
    for pin in pins:
        one = exact(pin)
        if one is None or one[0] == package:
            raise BadRequest(f"--with {pin}: name a release of another package, as in jax==0.7.2")
        named[one[0]] = pin
    # Other packages have narrow bounds in some releases.
    if "jax" not in (package, *named):
        named["jax"] = f"jax=={compat.version('jax')}"
    return tuple(named.values())


def _installed(
    chosen: argparse.Namespace,
    beside: tuple[str, ...],
    version: Callable[..., Any],
    tell: Callable[[str], None],
) -> tuple[list[Any], dict[str, str]]:
    """Install the releases, and return what runs them, and why others cannot be installed."""
    if chosen.versions:
        names = chosen_releases(chosen.package, chosen.versions, chosen.python)
    else:
        known = releases(chosen.package, "", chosen.python)
        names = [found.version for found in known[-_LAST:]]
    versions, problems = [], {}
    for name in names:
        there = environment(Wanted((f"{chosen.package}=={name}",), beside, chosen.python))
        if there.problem:
            problems[name] = there.problem.splitlines()[0]
            tell(f"{name}: {problems[name]}")
            continue
        # A process reads its tables by a module of the suite.
        versions.append(version(name, there.command, (suite_folder(),), there.variables))
    return versions, problems
