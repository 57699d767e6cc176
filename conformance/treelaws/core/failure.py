"""The report of a broken law: its promise, the minimal input, the difference, the versions."""

from __future__ import annotations

import contextlib
import functools
import shlex
import textwrap
import traceback
from collections.abc import Iterator
from pathlib import Path

from hypothesis_pytrees import Recipe
from treelaws.compat.environment import environment

from . import settings
from .addresses import address
from .departures import known
from .law import Law
from .limits.time_limit import Expired, errors_ignored, limited
from .mismatch import are_brief, message
from .object_addresses import without_addresses
from .subject import Subject

# The column in which the values of a report begin.
_COLUMN = 10
# Time limit of the advice below a failure.
_ADVICE_SECONDS = 5.0


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
        return without_addresses(str(self.cause))

    @property
    def case(self) -> str:
        """The input and the difference, as the report prints them."""
        source = textwrap.indent(self.recipe.source().rstrip(), "    ")
        return "\n\n".join([f"minimal input:\n{source}", self.difference, *self._covered()])

    def _covered(self) -> Iterator[str]:
        """Say which known departures cover the input: they record another way to break the law."""
        if settings.within_known:
            held = self.recipe.features
            covering = known.those_covering((self.law,), self.subject, held)
            if names := ", ".join(sorted({one.finding or one.name for one in covering})):
                yield f"known departures cover this input and record another breach: {names}"

    def __str__(self) -> str:
        head = f"{self.law.id} {self.verb} for {self.subject.name}"
        return head if are_brief() else self._report(head)

    def _report(self, head: str) -> str:
        law, asked = self.law, self.subject.guest or self.subject
        command = f"pytest --pyargs treelaws --laws $law --subject {asked.name}"
        command = (asked.rerun or command).replace("$law", law.id)
        if settings.within_known and command.startswith("pytest"):
            command += " --all-breaches"
        if settings.seed and command.startswith("pytest"):
            command += f" --hypothesis-seed={shlex.quote(settings.seed)}"
        promise = [
            f"  {law.statement}",
            f"  level {law.level}, promised by {law.source}",
            f"  law at {' or '.join(filter(None, (law.location, address(law))))}",
        ]
        parts = [
            head,
            "\n".join(promise),
            self.case,
            *self.advice,
            environment(),
            f"rerun: {command}",
        ]
        return "\n\n".join(parts)

    @functools.cached_property
    def advice(self) -> tuple[str, ...]:
        """How to fix the subject, one paragraph each; empty if nothing seen explains the breach."""
        lines: list[str] = []
        if self.subject.advice is not None:
            # It runs the user's code again, which may raise or not end; the report needs none.
            with (
                contextlib.suppress(Expired),
                errors_ignored(),
                limited(_ADVICE_SECONDS),
            ):
                lines.extend(map(without_addresses, self.subject.advice(self)))
        return tuple(lines)


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
        text = without_addresses(message(raised, indent=_COLUMN))
        return f"  raised  {type(raised).__name__}: {text}\n  at      {place}"


class DidNotEnd(Breach):
    """A case of the law took more time or memory than its limit; `cause` says where it ran."""

    @functools.cached_property
    def advice(self) -> tuple[str, ...]:
        # A cure would run the same code.
        return ()

    @property
    def verb(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return f"{self.cause},"

    @property
    def difference(self) -> str:
        return f"  {self.cause}; `--case-time` sets the limit"


class EndedProcess(DidNotEnd):
    """A case of the law ended the child process in which it ran; `cause` says how and where."""

    @property
    def difference(self) -> str:
        return f"  {self.cause}"
