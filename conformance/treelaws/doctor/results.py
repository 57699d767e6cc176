"""Results of checks, one line each."""

from __future__ import annotations

import dataclasses

OK, NOTE, PROBLEM = "ok", "note", "problem"


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of one check.

    Args:
        level: `OK`; `NOTE` for information; `PROBLEM` for anything that distorts a run.
        about: the thing that was checked.
        message: the observation, and the fix of a problem.
    """

    level: str
    about: str
    message: str

    def __str__(self) -> str:
        # One line, also if an error message has several.
        return f"{self.level:8} {' '.join(f'{self.about}: {self.message}'.split())}"


def ok(about: str, told: str) -> Result:
    """Return a result without a problem."""
    return Result(OK, about, told)


def note(about: str, told: str) -> Result:
    """Return a result that is worth knowing."""
    return Result(NOTE, about, told)


def problem(about: str, told: str) -> Result:
    """Return a result that distorts a run."""
    return Result(PROBLEM, about, told)


def reason(raised: BaseException) -> str:
    """Return the type and the first line of an error."""
    lines = [line.strip() for line in str(raised).splitlines() if line.strip()]
    return f"{type(raised).__name__}: {lines[0]}" if lines else type(raised).__name__
