"""Flax: entries of a FrozenDict that are named as a parameter or a method of it."""

from __future__ import annotations

from hypothesis_pytrees.flax.named import named_entries
from treelaws.equality import equal

from .frozen_dict import law

_FROZEN = (
    "https://flax.readthedocs.io/en/latest/api_reference/flax.core.frozen_dict.html"
    "#flax.core.frozen_dict.FrozenDict"
)
# There `copy` had used the entries as keyword arguments.
_NAMES = "https://github.com/google/flax/issues/1420"


@law(
    "`FrozenDict(**entries)` takes every keyword that `dict(**entries)` takes",
    source=_FROZEN,
    level="should",
    needs={"core.FrozenDict"},
    case=named_entries(),
)
def keywords_are_those_of_dict(lib, case):
    equal(lib.core.FrozenDict(**case.entries), dict(**case.entries))
    equal(lib.core.FrozenDict({"first": 1}, **case.entries), {"first": 1, **case.entries})


@law(
    "`copy` and `pop` take entries of any name",
    source=_NAMES,
    level="should",
    needs={"core.freeze", "core.copy", "core.pop"},
    case=named_entries(),
)
def entries_of_any_name_are_copied_and_popped(lib, case):
    frozen = lib.core.freeze({"first": 1})
    for copied in (frozen.copy(case.entries), lib.core.copy(frozen, case.entries)):
        equal(copied, {"first": 1, **case.entries})
        for name, value in case.entries.items():
            rest = {key: kept for key, kept in copied.items() if key != name}
            for left, popped in (copied.pop(name), lib.core.pop(copied, name)):
                equal((left, popped), (rest, value))
