"""Checks that a law finds a bug of past releases in bad releases and not in good ones."""

from __future__ import annotations

import collections
import dataclasses
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from packaging.version import Version

from treelaws import compat
from treelaws.core.departures import known
from treelaws.core.files import replace_text
from treelaws.releases.environments.environments import Ended, Environment
from treelaws.reproduce.replay import FIXED

from .hunting import Request
from .table import Entry

# Searches for one law take minutes at most; those for all laws take an hour or two.
_SECONDS, _ALL_SECONDS, _SCRIPT_SECONDS = 1800.0, 4 * 3600.0, 120.0
# At most so many failures are shrunk until a script tells the releases apart.
_MOST_SHOWN = 3


@dataclasses.dataclass(frozen=True)
class Row:
    """The result of an entry.

    Args:
        id: its id.
        law: the law that found it, with its subject; empty if none did.
        bad: number of seeds that found it with the bad releases.
        good: number of seeds whose witness also fails the law with the good releases.
        scripts: exit codes of the script with the bad and the good releases, `None` for no run.
        problem: why it could not be checked; empty if it was.
    """

    id: str
    law: str = ""
    bad: int = 0
    good: int = 0
    scripts: tuple[int | None, int | None] = (None, None)
    problem: str = ""

    @property
    def right(self) -> bool:
        """Whether only the bad side shows the bug, and its script tells the two sides apart."""
        return self.bad > 0 and self.good == 0 and self.scripts == (1, 0)


@dataclasses.dataclass(frozen=True)
class Check:
    """The check of one entry.

    Args:
        entry: the entry.
        bad: environment with the bug.
        good: environment without it.
        seeds: number of searches.
        folder: folder for witnesses and scripts.
    """

    entry: Entry
    bad: Environment
    good: Environment
    seeds: int
    folder: Path

    def row(self) -> Row:
        """Search on both sides, and run the script of a find on both."""
        for side in (self.bad, self.good):
            if side.problem:
                return Row(self.entry.id, problem=f"{side.wanted}: {side.problem}")
        entry = self.entry
        # A bug may be known by now. A departure that the good releases share is another bug.
        old = [one.name for one in known.departures() if not _applies(one, self.good.versions)]
        laws, subjects = (entry.law,), (entry.subject,)
        request = Request(laws, subjects, tuple(range(self.seeds)), tuple(old), all_breaches=True)
        ended = self._hunt(self.bad, request, "bad")
        if ended.code != 0 or not ended.out:
            why = ended.reason if ended.code else f"no subject {entry.subject} for {entry.law}"
            return Row(entry.id, problem=f"no hunt with {self.bad.wanted}: {why}")
        found = self._fixed("bad")
        if not found:
            return Row(entry.id)
        (law, subject), seeds = max(found.items(), key=lambda item: len(item[1]))
        request = dataclasses.replace(request, laws=(law,), subjects=(subject,))
        plain = dataclasses.replace(request, forget=(), all_breaches=False)
        self._hunt(self.good, plain, "good")
        good = len(self._written("good"))
        return Row(entry.id, f"{law} [{subject}]", len(seeds), good, self._scripts(request, seeds))

    def _hunt(self, side: Environment, request: Request, name: str) -> Ended:
        path = self.folder / f"{name}.json"
        # A kept folder may contain the finds of another run.
        shutil.rmtree(self.folder / name, ignore_errors=True)
        replace_text(path, json.dumps(dataclasses.asdict(request), indent=1) + "\n")
        words = [
            "-W",
            "ignore",
            "-m",
            "treelaws.releases.past_bugs.hunting",
            str(path),
            str(self.folder / name),
        ]
        return side.run(words, _ALL_SECONDS if "*" in request.laws else _SECONDS)

    def _written(self, name: str) -> list[Path]:
        return sorted((self.folder / name).glob("*/*.json"))

    def _fixed(self, name: str) -> dict[tuple[str, str], list[int]]:
        """Return the seeds whose witnesses hold on the good side, by law and subject."""
        folder = self.folder / name
        ended = self.good.run(["-m", "treelaws", "replay", str(folder)], _SECONDS)
        found: dict[tuple[str, str], set[int]] = collections.defaultdict(set)
        for path in self._written(name):
            if f"{path.relative_to(folder)}: {FIXED}" in ended.out.splitlines():
                content = json.loads(path.read_text(encoding="utf-8"))
                found[content["law"], content["subject"]].add(int(path.parent.name))
        return {pair: sorted(seeds) for pair, seeds in found.items()}

    def _scripts(self, request: Request, seeds: Sequence[int]) -> tuple[int | None, int | None]:
        """Return the exit codes of the script of a find on both sides, without the suite."""
        codes: tuple[int | None, int | None] = (None, None)
        for seed in seeds[:_MOST_SHOWN]:
            name = f"script-{seed}"
            self._hunt(self.bad, dataclasses.replace(request, seeds=(seed,), show=True), name)
            for path in sorted((self.folder / name).glob("*/*.py")):
                codes = (_code(self.bad, path), _code(self.good, path))
                if codes == (1, 0):
                    return codes
        return codes


def _code(side: Environment, script: Path) -> int | None:
    return side.run([str(script)], _SCRIPT_SECONDS, suite=False).code


def _applies(departure: known.Departure, versions: Mapping[str, str]) -> bool:
    return all(
        package in versions
        and Version(versions[package]).base_version in compat.specifier(specifier)
        for package, specifier in departure.versions.items()
    )
