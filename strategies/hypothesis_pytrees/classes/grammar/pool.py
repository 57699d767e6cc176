"""The classes of a run: together they have each pair of traits that one class may have."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator, Mapping

from .bases import BASES, SUBCLASSED
from .construction import CONSTRUCTION
from .fields import FIELDS
from .members import MEMBERS
from .traits import Trait, fit
from .writing import SHAPES, Grown, Placed, levels_of

TRAITS: tuple[Trait, ...] = (*FIELDS, *CONSTRUCTION, *MEMBERS, *BASES, *SUBCLASSED)
# The environment variable that says which classes inputs have. With `--hypothesis-seed`, pytest
# sets it to the seed if the laws' plugin is loaded.
SEED_VARIABLE = "HYPOTHESIS_PYTREES_CLASSES"
# Traits of one class. More make it slow to read, and a known departure of one hides the others.
_MOST = 7


def alone() -> Iterator[Grown]:
    """Yield a class for each trait, simple ones first."""
    for trait in TRAITS:
        yield Grown.of("child" if trait.of_two else "single", (Placed(trait, 0),))


def of_run() -> Iterator[Grown]:
    """Yield the classes with several traits of this run."""
    yield from together(os.environ.get(SEED_VARIABLE, ""))


def together(seed: str) -> Iterator[Grown]:
    """Yield classes with several traits, until each pair of traits that fit has met.

    Args:
        seed: any text; another one gives other classes, with the same pairs and other triples.
    """
    random_ = random.Random(seed)
    named: dict[str, list[Trait]] = {}
    for trait in TRAITS:
        named.setdefault(trait.name, []).append(trait)
    fitting = {
        one: {other for other in named if fit((named[one][0], named[other][0]))} for one in named
    }
    left = {one: set(others) for one, others in fitting.items()}
    while any(left.values()):
        names = _names(fitting, left, random_)
        for one, other in itertools.permutations(names, 2):
            left[one].discard(other)
        traits = [random_.choice(named[name]) for name in names]
        shapes = [one for one in SHAPES if one != "single" or not any(t.of_two for t in traits)]
        shape = random_.choice(shapes)
        yield Grown.of(
            shape, tuple(Placed(one, random_.choice(levels_of(shape, one))) for one in traits)
        )


def _names(
    fitting: Mapping[str, set[str]], left: Mapping[str, set[str]], random_: random.Random
) -> list[str]:
    """Return traits that fit together: two that have not met, and what meets most others."""
    first = random_.choice([name for name, others in left.items() if others])
    names, fit_all = [first], fitting[first]
    while len(names) < _MOST:
        new = {one: sum(name in left[one] for name in names) for one in sorted(fit_all)}
        most = max(new.values(), default=0)
        if not most:
            break
        names.append(random_.choice([one for one, count in new.items() if count == most]))
        fit_all = fit_all & fitting[names[-1]]
    return names
