"""The command `first-bad`: finds the first affected release of each finding of a package."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from packaging.specifiers import SpecifierSet

from treelaws import compat
from treelaws.core.departures.finding import SEVERITIES, Finding
from treelaws.core.departures.lines import lines_of
from treelaws.core.files import replace_text
from treelaws.findings.listing import chosen
from treelaws.releases.environments.environments import Wanted, environment
from treelaws.releases.environments.folders import cache_folder
from treelaws.releases.environments.index import OLDEST, releases
from treelaws.releases.environments.requirements import BadRequest
from treelaws.reproduce.witness import witness_of_departure

from .bisection import BAD, GOOD, SKIPPED, Trial
from .command import add_trial_options
from .trials import Trials, judged

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
    add_trial_options(parser)


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
    versions = [one.version for one in releases(package, options.versions, options.python)]
    every = {one.id: _trials(options, one) for one in found}
    for version in versions:
        _try(options, version, [one for one in every.values() if version not in one.remembered])
        answers = Counter(one.remembered[version].answer for one in every.values())
        told = f"{answers[BAD]} affect it, {answers[GOOD]} do not, {answers[SKIPPED]} cannot run"
        print(f"{package} {version}: {told}", flush=True)
    for one in found:
        results = {version: every[one.id].remembered[version] for version in versions}
        first = first_bad(results, compat.specifier(one.versions.get(package, "")))
        print(f"{one.id}: {first or 'no release is affected'}")
        if first and options.write:
            write(one, package, first)
    return 0


def _trials(options: argparse.Namespace, found: Finding) -> Trials:
    """Return the trials of a finding, with the cached answers."""
    # Of its departures, the one with the widest range of releases.
    departure = min(found.departures, key=lambda one: len("".join(one.versions.values())))
    others = [f"{name}>={oldest}" for name, oldest in OLDEST.items() if name != options.package]
    return Trials(
        departure.name,
        witness_of_departure(departure),
        options.package,
        (*options.beside, *others),
        options.python,
        options.cache or cache_folder(),
        options.fresh,
    )


def _try(options: argparse.Namespace, version: str, trials: Sequence[Trials]) -> None:
    """Run the witnesses of several findings with a release, in one process."""
    if not trials:
        return
    first = trials[0]
    wanted = Wanted((f"{options.package}=={version}",), first.extra, options.python)
    there = environment(wanted, cache=first.cache / "environments", fresh=options.fresh)
    names = [one.reference for one in trials]
    ended = there.run(["-m", "treelaws", "replay", *names], _SECONDS)
    for one in trials:
        one.remember(version, judged(ended, one.reference))


def first_bad(trials: Mapping[str, Trial], affected: SpecifierSet) -> str:
    """Return the first of the last affected releases, as findings record it.

    Args:
        trials: the result with each release, the oldest first; skipped ones decide nothing.
        affected: the releases that the finding names; others may have another bug.

    Returns:
        The release, with `<=` if no older release could run; empty if no release is affected.
    """
    ran = [(version, one.answer) for version, one in trials.items() if one.answer in (BAD, GOOD)]
    bad = [index for index, one in enumerate(ran) if one[1] == BAD and one[0] in affected]
    if not bad:
        return ""
    first = bad[-1]
    while first and ran[first - 1][1] == BAD and ran[first - 1][0] in affected:
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
