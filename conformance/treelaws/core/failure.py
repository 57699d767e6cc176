"""The report of a broken law: its promise, the minimal input, the difference, the versions."""

from __future__ import annotations

import contextlib
import re
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path

from hypothesis_pytrees import Recipe
from treelaws.compat.environment import environment

from .addresses import address
from .law import Law
from .mismatch import first_line
from .subject import Subject
from .time_limit import Expired, limited

# Time limit of the advice below a failure.
_ADVICE_SECONDS = 5.0
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


class Breach(AssertionError):
    """A law does not hold for a subject; `str()` gives the whole report.

    Args:
        law: the law.
        subject: the library or node type that breaks it.
        recipe: the input.
        cause: the difference, or the unexpected error.
    """

    verb = "is broken"

    def __init__(self, law: Law, subject: Subject, recipe: Recipe, cause: BaseException) -> None:
        self.law, self.subject, self.recipe, self.cause = law, subject, recipe, cause
        super().__init__(law.id, subject.name)

    @property
    def difference(self) -> str:
        """The values got and wanted, or the error raised; the same in each run."""
        return _numbered(str(self.cause))

    def __str__(self) -> str:
        law, asked = self.law, self.subject.guest or self.subject
        promise = [
            f"  {law.statement}",
            f"  level {law.level}, promised by {law.source}",
            f"  law at {' or '.join(filter(None, (law.location, address(law))))}",
        ]
        parts = [
            f"{law.id} {self.verb} for {self.subject.name}",
            "\n".join(promise),
            "minimal input:\n" + textwrap.indent(self.recipe.source().rstrip(), "    "),
            self.difference,
            *self._advice(),
            environment(),
            f"rerun: pytest --pyargs treelaws --laws {law.id} --subject {asked.name}",
        ]
        return "\n\n".join(parts)

    def _advice(self) -> Iterator[str]:
        if self.subject.advice is None:
            return
        # Advice runs the user's code again, which may raise or not end; the report needs no advice.
        lines: list[str] = []
        with contextlib.suppress(Exception, SystemExit, Expired), limited(_ADVICE_SECONDS):
            lines.extend(self.subject.advice(self.recipe, self.subject.namespace))
        yield from lines


class UnexpectedError(Breach):
    """A step of the law raised an undocumented exception."""

    verb = "met an unexpected error"

    @property
    def building(self) -> bool:
        """Whether building the input raised, before the law itself ran."""
        frames = traceback.extract_tb(self.cause.__traceback__)
        return all(frame.name != self.law.name for frame in frames)

    @property
    def difference(self) -> str:
        raised = self.cause
        frame = traceback.extract_tb(raised.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"
        message = _numbered(first_line(raised))
        return f"  raised  {type(raised).__name__}: {message}\n  at      {place}"


class DidNotEnd(Breach):
    """A case of the law took more time or memory than its limit; `cause` says where it ran."""

    def _advice(self) -> Iterator[str]:
        # It would run the same code.
        yield from ()

    @property
    def verb(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return f"{self.cause},"

    @property
    def difference(self) -> str:
        return f"  {self.cause}; `--case-time` sets the limit"


def _numbered(text: str) -> str:
    """Replace the addresses of objects, which differ between runs, by 0x1, 0x2 and so on."""
    numbers: dict[str, int] = {}
    return _ADDRESS.sub(lambda found: f"0x{numbers.setdefault(found[0], len(numbers) + 1)}", text)
