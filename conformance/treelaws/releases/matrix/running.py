"""Runs the suite for combinations of releases, each in its own environment."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from treelaws.releases.environments.environments import Environment, Wanted, environment
from treelaws.releases.environments.index import chosen_releases
from treelaws.releases.environments.requirements import BadRequest
from treelaws.reporting.report import BadReport, Report, fingerprint, read
from treelaws.subjects.registry import subjects

# One run on two cores takes minutes; a compiler that hangs must not stop the others.
_SECONDS = 3600.0


@dataclasses.dataclass(frozen=True)
class Combination:
    """A release of the package under test, with other pins.

    Args:
        package: the package under test.
        version: its release.
        beside: further pins, such as `"jax==0.5.3"`; empty for the newest ones at its upload date.
        python: version of a Python or path of its executable; empty for the running one.
    """

    package: str
    version: str
    beside: str = ""
    python: str = ""

    @property
    def wanted(self) -> Wanted:
        """The environment that it needs."""
        extra = (self.beside,) if self.beside else ()
        return Wanted((f"{self.package}=={self.version}",), extra, self.python)

    @property
    def name(self) -> str:
        """Name of its folder of reports."""
        return "-".join(filter(None, (self.package, self.version, self.beside.replace("==", "-"))))


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of a combination.

    Args:
        combination: the combination.
        report: report of the run; `None` if it could not run.
        problem: why it could not run, or why the report is incomplete.
    """

    combination: Combination
    report: Report | None
    problem: str = ""


def combinations(
    package: str, versions: str, besides: Sequence[str], python: str
) -> list[Combination]:
    """List the combinations, the oldest release first.

    Args:
        package: the package under test.
        versions: a specifier such as `">=0.11.8"`, or releases with commas between them.
        besides: pins, each beside every release; empty for the newest ones at its upload date.
        python: version of a Python or path of its executable; empty for the running one.

    Raises:
        BadRequest: no subject needs the package, or the index has no such release.
    """
    _subjects_of(package)
    pairs = [
        (version, beside)
        for version in chosen_releases(package, versions, python)
        for beside in besides or ("",)
    ]
    return [Combination(package, version, beside, python) for version, beside in pairs]


def run_all(
    chosen: Sequence[Combination],
    folder: Path,
    options: Sequence[str],
    tell: Callable[[str], None],
) -> Iterator[Result]:
    """Run the suite for each combination; if one cannot run, the others still do.

    Args:
        chosen: what to run.
        folder: where the reports are kept; what has a whole report of this suite with these
            options is not run again.
        options: further options of pytest.
        tell: takes a line of progress.
    """
    for number, combination in enumerate(chosen, 1):
        tell(f"[{number}/{len(chosen)}] {combination.wanted} ...")
        result = _run(combination, folder / combination.name, options)
        tell(f"[{number}/{len(chosen)}] {combination.wanted}: {_told(result)}")
        yield result


def _told(result: Result) -> str:
    if result.report is None:
        return result.problem
    counts = ", ".join(f"{count} {verdict}" for verdict, count in result.report.counts.items())
    return f"{counts}{'; ' if result.problem else ''}{result.problem}"


def _run(combination: Combination, folder: Path, options: Sequence[str]) -> Result:
    arguments = _arguments(combination.package, folder, options)
    asked = folder / "asked.txt"
    if asked.exists() and asked.read_text(encoding="utf-8") == "\n".join(arguments):
        done = _read(combination, folder, "")
        if done.report is not None and done.report.complete and _of_this_suite(done.report):
            return done
    there = environment(combination.wanted)
    if there.problem:
        return Result(combination, None, f"cannot be installed: {there.problem}")
    folder.mkdir(parents=True, exist_ok=True)
    asked.unlink(missing_ok=True)
    result = _ran(combination, there, folder, arguments)
    asked.write_text("\n".join(arguments), encoding="utf-8")
    return result


def _of_this_suite(report: Report) -> bool:
    return report.suite["fingerprint"] == fingerprint()


def _arguments(package: str, folder: Path, options: Sequence[str]) -> list[str]:
    named = [word for name in _subjects_of(package) for word in ("--subject", name)]
    start = ["-m", "pytest", "-q", "-p", "treelaws.plugin", "-p", "no:cacheprovider"]
    return [*start, "--pyargs", "treelaws", "-n", "2", "--report", str(folder), *named, *options]


def _subjects_of(package: str) -> list[str]:
    chosen = [found.name for found in subjects() if found.requires == _module(package)]
    if not chosen:
        names = sorted({found.requires or "jax" for found in subjects()})
        raise BadRequest(
            f"--package {package}: no subject needs it; choose from {', '.join(names)}"
        )
    return chosen


def _module(package: str) -> str:
    return "" if package == "jax" else package


def _ran(
    combination: Combination, there: Environment, folder: Path, arguments: Sequence[str]
) -> Result:
    ended = there.run(arguments, _SECONDS)
    if ended.code not in (0, 1):
        return _read(combination, folder, f"cannot be run: {ended.reason}")
    return _read(combination, folder, "")


def _read(combination: Combination, folder: Path, problem: str) -> Result:
    try:
        report = read(folder)
    except BadReport as raised:
        return Result(combination, None, problem or str(raised))
    if not report.complete:
        return Result(combination, report, problem or "the run ended before all tests had run")
    return Result(combination, report, problem)
