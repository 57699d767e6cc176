"""Notes the features of each input on which a law runs."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hypothesis_pytrees import Recipe
from treelaws.core import stopped
from treelaws.core.law import Law
from treelaws.draws.drawn_recipes import key_of

# By family: how often inputs had exactly these features.
Seen = dict[str, Counter[tuple[str, ...]]]


class InputRecorder:
    """Notes the inputs of the laws that run while it is active."""

    def __init__(self) -> None:
        self._seen: Seen = {}

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Note inputs in the body of a `with` block."""
        before = stopped.announce

        def note(law: Law, recipe: Recipe) -> None:
            before(law, recipe)
            self._seen.setdefault(family(law), Counter())[tuple(sorted(recipe.features))] += 1

        stopped.announce = note
        try:
            yield
        finally:
            stopped.announce = before

    def counts(self) -> Any:
        """Return what was noted, each feature as its number in a list."""
        return packed(self._seen)


@functools.cache
def family(law: Law) -> str:
    """Return the id of the first law of its module that draws from the same strategy."""
    module = vars(sys.modules[law.check.__module__])
    laws = (found for found in module.values() if isinstance(found, Law))
    return next(found.id for found in laws if key_of(found) == key_of(law))


def packed(seen: Mapping[str, Mapping[tuple[str, ...], int]]) -> Any:
    """Return the inputs as JSON can hold them: each feature as its number in a list."""
    features = sorted({one for inputs in seen.values() for names in inputs for one in names})
    numbers = {name: number for number, name in enumerate(features)}
    families = {
        name: [[count, [numbers[one] for one in names]] for names, count in inputs.items()]
        for name, inputs in seen.items()
    }
    return {"features": features, "families": families}


def unpacked(told: Mapping[str, Any]) -> Seen:
    """Return the inputs that `packed` was given.

    Raises:
        KeyError, TypeError, ValueError, IndexError: it is not from `packed`.
    """
    names: list[str] = told["features"]
    seen: Seen = {}
    for name, inputs in told["families"].items():
        counts = seen.setdefault(name, Counter())
        for count, held in inputs:
            counts[tuple(names[one] for one in held)] += int(count)
    return seen


def joined(parts: Iterable[Mapping[str, Any]]) -> Any:
    """Return what several processes noted as one."""
    whole: Seen = {}
    for part in parts:
        for name, inputs in unpacked(part).items():
            whole.setdefault(name, Counter()).update(inputs)
    return packed(whole)
