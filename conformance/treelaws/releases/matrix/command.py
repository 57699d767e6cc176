"""The command `matrix`: the suite on many releases."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from treelaws.core import settings
from treelaws.core.files import replace_text
from treelaws.releases.environments.index import OLDEST
from treelaws.releases.environments.options import add_environment_options

from .page import FOLDER
from .running import combinations, run_all
from .status import changed, text

_HELD, _CHANGED = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--package", required=True, help="package whose releases run")
    parser.add_argument(
        "--versions",
        default="",
        metavar="SPEC",
        help="releases such as '>=0.12', or '0.11.8,0.12.0'; default: all that the suite supports",
    )
    add_environment_options(parser, several="repeatable, one run for each")
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path("reports", "runs", "matrix"),
        metavar="DIR",
        help="folder for the report of each run, from which a stopped matrix continues; "
        "default: %(default)s",
    )
    parser.add_argument(
        "--status",
        type=Path,
        metavar="DIR",
        help="write DIR/<package>.toml, from which the page of releases is made; "
        f"the suite's own is {FOLDER.parent.name}/{FOLDER.name}",
    )
    parser.add_argument("--laws-profile", default="default", help="as of pytest")
    parser.add_argument("--hypothesis-seed", default="0", help="as of pytest; default: 0")
    parser.add_argument("--laws", action="append", default=[], metavar="ID", help="as of pytest")


def run(chosen: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if no release breaks a law, 1 if one does or could not run.

    Raises:
        BadRequest: a release, a pin, a package or a Python does not exist.
    """
    package = chosen.package
    versions = chosen.versions or f">={OLDEST.get(package, '0')}"
    asked = combinations(package, versions, chosen.beside, chosen.python)
    options = [
        f"--all-breaches={settings.ALL_BREACHES}",
        f"--laws-profile={chosen.laws_profile}",
        f"--hypothesis-seed={chosen.hypothesis_seed}",
    ]
    options += [f"--laws={pattern}" for pattern in chosen.laws]
    tell = functools.partial(print, file=sys.stderr, flush=True)
    results = list(run_all(asked, chosen.runs, options, tell))
    for one in changed(results):
        beside = f" beside {one.beside}" if one.beside else ""
        good = f"first good {one.first_good}" if one.first_good else "not fixed"
        known = f" ({one.departure})" if one.departure else ""
        print(f"{one.law} [{one.subject}]{known}{beside}: first bad {one.first_bad}, {good}")
    if chosen.status is not None:
        replace_text(chosen.status / f"{package}.toml", text(package, results))
    whole = all(result.report is not None and not result.problem for result in results)
    return _HELD if whole and not changed(results) else _CHANGED
