"""Findings: one line for each thing that was looked at."""

from __future__ import annotations

import dataclasses

OK, NOTE, PROBLEM = "ok", "note", "problem"


@dataclasses.dataclass(frozen=True)
class Result:
    """What one check found.

    Args:
        level: `OK`; `NOTE` for what is worth knowing; `PROBLEM` for what spoils a run.
        about: what was looked at.
        message: what was found, and the cure of a problem.
    """

    level: str
    about: str
    message: str

    def __str__(self) -> str:
        # One line each, whatever an error message holds.
        return f"{self.level:8} {' '.join(f'{self.about}: {self.message}'.split())}"


def ok(about: str, told: str) -> Result:
    """Make a finding of what is well."""
    return Result(OK, about, told)


def note(about: str, told: str) -> Result:
    """Make a finding of what is worth knowing."""
    return Result(NOTE, about, told)


def problem(about: str, told: str) -> Result:
    """Make a finding of what spoils a run."""
    return Result(PROBLEM, about, told)


def reason(raised: BaseException) -> str:
    """Name an error and the first line of what it says."""
    lines = [line.strip() for line in str(raised).splitlines() if line.strip()]
    return f"{type(raised).__name__}: {lines[0]}" if lines else type(raised).__name__
