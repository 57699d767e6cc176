"""The faults that no law notices for a reason, as `argued.toml` states them."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
from collections.abc import Sequence
from pathlib import Path

from treelaws.compat import toml

FILE = Path(__file__).with_name("argued.toml")


@dataclasses.dataclass(frozen=True)
class Argument:
    """Why no law has to notice some faults of some functions.

    Args:
        functions: names or patterns of functions, with their libraries.
        faults: names of faults.
        reason: one sentence.
        unless: names or patterns of functions that it is not about; default none.
    """

    functions: tuple[str, ...]
    faults: tuple[str, ...]
    reason: str
    unless: tuple[str, ...] = ()

    def covers(self, function: str, fault: str) -> bool:
        """Return whether it is about a fault of a function."""
        named, excepted = (
            any(fnmatch.fnmatchcase(function, one) for one in names)
            for names in (self.functions, self.unless)
        )
        return named and not excepted and fault in self.faults


@functools.cache
def arguments() -> Sequence[Argument]:
    """Return the arguments of the committed table."""
    table = toml.loads(FILE.read_text(encoding="utf-8"))
    return [
        Argument(
            tuple(one["functions"]),
            tuple(one["faults"]),
            one["reason"],
            tuple(one.get("unless", ())),
        )
        for one in table["argued"]
    ]
