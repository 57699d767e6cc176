"""`--known-update`: appends entries for new failures to a file of known departures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from treelaws.children.told import Told
    from treelaws.core.failure import Breach

_OPTION = "--known-update"
# A process that runs tests sends candidates as properties of this name.
_CANDIDATE = "treelaws.candidate"


def target(config: pytest.Config) -> Path | None:
    """Return the file that `--known-update` writes to, or `None` without the option.

    Raises:
        pytest.UsageError: no file is named, or it cannot be written.
    """
    told = config.getoption("known_update")
    if told is None:
        return None
    known = config.getoption("known") or []
    if not told and not known:
        cure = f"write {_OPTION}=known.toml, or give --known known.toml, too"
        raise pytest.UsageError(f"{_OPTION}: no file to write to; {cure}")
    path = Path(told or known[-1])
    if path.suffix != ".toml":
        # The text after the option is most likely meant as an argument of pytest.
        cure = f"write {_OPTION}=known.toml, or put the option last"
        raise pytest.UsageError(f"{_OPTION}: {path} is not a TOML file; {cure}")
    if not path.parent.is_dir():
        problem = f"the folder {path.parent} does not exist; create it"
        raise pytest.UsageError(f"{_OPTION}: {path}: {problem}")
    return path


def files(config: pytest.Config) -> list[Path]:
    """Return the files to read: those of `--known`, and the one to update.

    Raises:
        pytest.UsageError: as `target`.
    """
    paths = [Path(path) for path in config.getoption("known") or []]
    updated = target(config)
    if updated is None:
        return paths
    # A file that does not exist yet is created at the end.
    others = [path for path in paths if path.absolute() != updated.absolute()]
    return [*others, updated] if updated.exists() else others


def send(
    config: pytest.Config, report: pytest.TestReport, *breaches: tuple[Breach, Breach]
) -> None:
    """Send the candidates of breaches of a law with the report of pytest, if the option is given.

    Args:
        config: configuration of the run.
        report: report of the test that found them.
        breaches: each breach with the smallest input, and with the one that was found.
    """
    if config.getoption("known_update", None) is None or breaches[0][0].law.advisory:
        return
    from treelaws.findings.candidates import candidate_of

    found = [candidate_of(*pair).told() for pair in breaches]
    report.user_properties.append((_CANDIDATE, json.dumps(found)))


def send_told(config: pytest.Config, report: pytest.TestReport, told: Told) -> None:
    """Send the candidates of a law that ran in a child process, if the option is given.

    Args:
        config: configuration of the run.
        report: report of the test.
        told: the outcome.
    """
    if told.candidates and not told.advisory and config.getoption("known_update", None) is not None:
        report.user_properties.append((_CANDIDATE, json.dumps(told.candidates)))


class Updater:
    """Collects candidates from every process and writes them at the end of the run.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        # Tests may change the working directory.
        self._path, self._file = path, path.absolute()
        self._found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._lines: list[str] = []
        self._ran = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a candidate, before other plugins print the properties."""
        self._ran = True
        sent = [pair for pair in report.user_properties if pair[0] == _CANDIDATE]
        report.user_properties = [pair for pair in report.user_properties if pair not in sent]
        for _, text in sent:
            contents = [json.loads(one) for one in json.loads(str(text))]
            place = (contents[0]["law"], contents[0]["subject"])
            self._found.setdefault(place, contents)

    def pytest_sessionfinish(self) -> None:
        """Write them sorted, so that the order of the tests makes no difference."""
        self._lines = list(self._written()) if self._found else []

    def _written(self) -> Iterator[str]:
        from treelaws.core.departures import known
        from treelaws.findings.candidates import Candidate
        from treelaws.findings.writing import append

        found = [Candidate(**one) for place in sorted(self._found) for one in self._found[place]]
        fit = [one for one in found if not one.problem]
        try:
            names = append(self._file, fit, {one.name for one in known.departures()}) if fit else []
        except (OSError, ValueError) as raised:
            yield f"{_OPTION}: {self._path}: cannot be written: {raised}"
            return
        if names:
            counted = f"{len(names)} candidate{'' if len(names) == 1 else 's'}"
            written = f"{counted} written to {self._path}"
            yield f"{_OPTION}: {written}; fill in the blank reasons before the next run"
            yield from (f"  {name}" for name in names)
        for one in found:
            if one.problem:
                yield f"{_OPTION}: {one.law} [{one.subject}] is not written: {one.problem}"

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the written entries and the next step."""
        nothing = f"{_OPTION}: nothing written: this run found no new failure"
        for line in self._lines or [nothing] * self._ran:
            terminalreporter.write_line(line)
