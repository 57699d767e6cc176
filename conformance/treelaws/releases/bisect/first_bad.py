"""The command `first-bad`: finds the first affected release of each finding of a package."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from treelaws.core.departures.departure import Departure
from treelaws.core.departures.finding import SEVERITIES, Finding
from treelaws.core.departures.lines import lines_of
from treelaws.core.files import replace_text
from treelaws.findings.listing import chosen
from treelaws.releases.environments.environments import Wanted, environment
from treelaws.releases.environments.folders import cache_folder
from treelaws.releases.environments.index import OLDEST, releases
from treelaws.releases.environments.requirements import BadRequest

from .bisection import BAD, GOOD, Trial
from .command import add_environment_options
from .trials import judged

_SECONDS = 1800.0
_SEVERE = ("wrong-result", "state-lost", "crash")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    packages = ", ".join(OLDEST)
    parser.add_argument("--package", required=True, help=f"library of the findings: {packages}")
    parser.add_argument(
        "--severity",
        action="append",
        default=[],
        help=f"repeatable; default: {', '.join(_SEVERE)}; allowed: {', '.join(SEVERITIES)}",
    )
    parser.add_argument(
        "--versions", default="", metavar="SPEC", help="only these releases, such as '>=0.12,<0.13'"
    )
    parser.add_argument("--write", action="store_true", help="write `first_bad` into the findings")
    add_environment_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Raises:
        BadChoice: no finding is of this package, or a severity is not valid.
        BadRequest: a release, a pin or a Python does not exist.
    """
    package = options.package
    if package not in OLDEST:
        raise BadRequest(f"--package {package!r} is not known; allowed: {', '.join(OLDEST)}")
    severities = options.severity or _SEVERE
    found = chosen(severities=severities, libraries=[package], every=True)
    witnesses = {one.id: _witness(one) for one in found}
    versions = [one.version for one in releases(package, options.versions, options.python)]
    trials: dict[str, dict[str, Trial]] = {id: {} for id in witnesses}
    for version in versions:
        answers = _tried(options, version, witnesses)
        for id, trial in answers.items():
            trials[id][version] = trial
        counts = [sum(one.answer == answer for one in answers.values()) for answer in (BAD, GOOD)]
        print(f"{package} {version}: {counts[0]} affect it, {counts[1]} do not", flush=True)
    for one in found:
        first = first_bad(trials[one.id])
        print(f"{one.id}: {first or 'no release is affected'}")
        if first and options.write:
            write(one, package, first)
    return 0


def _witness(found: Finding) -> Departure:
    """Return the departure that stands for a finding: one without limits, if there is one."""
    return min(found.departures, key=lambda one: len("".join(one.versions.values())))


def _tried(
    options: argparse.Namespace, version: str, witnesses: Mapping[str, Departure]
) -> dict[str, Trial]:
    """Run the witnesses of findings with a release of a package."""
    others = [f"{name}>={oldest}" for name, oldest in OLDEST.items() if name != options.package]
    wanted = Wanted((f"{options.package}=={version}",), (*options.pins, *others), options.python)
    cache = options.cache or cache_folder()
    there = environment(wanted, cache=cache / "environments", fresh=options.fresh)
    names = [one.name for one in witnesses.values()]
    ended = there.run(["-m", "treelaws", "replay", *names], _SECONDS)
    return {id: judged(ended, one.name) for id, one in witnesses.items()}


def first_bad(trials: Mapping[str, Trial]) -> str:
    """Return the first of the last releases that are all affected, as findings record it.

    Args:
        trials: the result with each release, the oldest first; skipped ones decide nothing.

    Returns:
        The release, with `<=` if no older release could run; empty if no release is affected.
    """
    ran = [(version, one.answer) for version, one in trials.items() if one.answer in (BAD, GOOD)]
    bad = [index for index, (_, answer) in enumerate(ran) if answer == BAD]
    if not bad:
        return ""
    first = bad[-1]
    while first and ran[first - 1][1] == BAD:
        first -= 1
    return ran[first][0] if first else f"<={ran[0][0]}"


def write(found: Finding, package: str, first: str) -> None:
    """Write the first affected release into the table of a finding.

    Args:
        found: the finding.
        package: the package of the release.
        first: the release, as `first_bad` returns it.
    """
    path = Path(found.file)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    start, end = lines_of("".join(lines), [found.id]) or (1, 0)
    told = f'first_bad = {{ {package} = "{first}" }}\n'
    own = list(_keys(lines[start - 1 : end]))
    if "first_bad" in own:
        lines[start - 1 + own.index("first_bad")] = told
    else:
        lines.insert(start + own.index("versions"), told)
    replace_text(path, "".join(lines))


def _keys(lines: Sequence[str]) -> Iterator[str]:
    """Yield the key that each line of a table starts with; empty for other lines."""
    quoted = ""
    for line in lines:
        match = re.match(r"(\w+) = ", line)
        yield match[1] if match and not quoted else ""
        for mark in ("'''", '"""'):
            if quoted in ("", mark) and line.count(mark) % 2:
                quoted = "" if quoted else mark
