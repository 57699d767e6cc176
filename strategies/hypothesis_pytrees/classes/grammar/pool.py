"""Grammars: all classes of a library that have one trait, and some that have several."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import os
import random
from collections.abc import Iterator, Mapping

from hypothesis_pytrees.core.releases import Since

from .shapes import Placed, levels_of, shapes_of
from .traits import Trait, fit
from .writing import Grown, Style, unset_by, write

# The environment variable that says which classes inputs have. With `--hypothesis-seed`, pytest
# sets it to the seed if the laws' plugin is loaded.
SEED_VARIABLE = "HYPOTHESIS_PYTREES_CLASSES"


@dataclasses.dataclass(frozen=True)
class Grammar:
    """The classes that the traits of a library make.

    Args:
        style: how they are written.
        traits: the traits, simple ones first.
        inherited: names of traits of which each two stand in a class and its subclass, both ways.
        often: names of traits that half of the classes have that they fit.
        most: traits of one class, beside these. More make fewer classes, which are slow to read,
            and a known departure of one trait hides the others.
        unset: a number of fields that a class leaves at their defaults in some releases alone, and
            these releases; default any number in all.
    """

    style: Style
    traits: tuple[Trait, ...]
    inherited: frozenset[str] = frozenset()
    often: tuple[str, ...] = ()
    most: int = 7
    unset: tuple[int, Since] | None = None

    def alone(self) -> Iterator[Grown]:
        """Yield a class for each trait."""
        for trait in self.traits:
            shape = "child" if trait.of_two else "single"
            yield write(self.style, shape, (Placed(trait, 0),))

    def above_and_below(self) -> Iterator[Grown]:
        """Yield a class and a subclass for each two of the traits that are inherited."""
        chosen = [one for one in self.traits if one.name in self.inherited and not one.of_two]
        first = {one.name: one for one in reversed(chosen)}.values()
        for above, below in itertools.permutations(first, 2):
            if fit((above, below)):
                yield write(self.style, "child", (Placed(above, 0), Placed(below, 1)))

    def of_run(self) -> Iterator[Grown]:
        """Yield the classes with several traits of this run."""
        yield from self.together(os.environ.get(SEED_VARIABLE, ""))

    def together(self, seed: str) -> Iterator[Grown]:
        """Yield classes with several traits, until each pair of traits that fit has met.

        Args:
            seed: any text; another one gives other classes, with the same pairs and other triples.
        """
        random_ = random.Random(seed)
        named: dict[str, list[Trait]] = {}
        for trait in self.traits:
            named.setdefault(trait.name, []).append(trait)
        fitting = {
            one: {other for other in named if fit((named[one][0], named[other][0]))}
            for one in named
        }
        left = {one: set(others) for one, others in fitting.items()}
        while any(left.values()):
            names = _names(fitting, left, random_, self.most)
            for name in self.often:
                if fitting[name] >= {*names} and random_.random() < 0.5:
                    names.append(name)
            if self.unset and len(left_unset := _unset(names, named)) == self.unset[0]:
                found = self._written(names, named, random_)
                yield dataclasses.replace(found, needs=(*found.needs, self.unset[1]))
                names.remove(left_unset[-1])
            for one, other in itertools.permutations(names, 2):
                left[one].discard(other)
            yield self._written(names, named, random_)

    def _written(
        self, names: list[str], named: Mapping[str, list[Trait]], random_: random.Random
    ) -> Grown:
        traits = [random_.choice(named[name]) for name in names]
        shape = random_.choice(shapes_of(traits, self.style.shapes))
        places = [random_.choice(levels_of(shape, one)) for one in traits]
        return write(self.style, shape, tuple(map(Placed, traits, places)))


def _unset(names: list[str], named: Mapping[str, list[Trait]]) -> list[str]:
    """Return those of the traits that leave a field unset."""
    return [one.name for one in unset_by([named[name][0] for name in names])]


def _names(
    fitting: Mapping[str, set[str]], left: Mapping[str, set[str]], random_: random.Random, most: int
) -> list[str]:
    """Return traits that fit together: two that have not met, and what meets most others."""
    first = random_.choice([name for name, others in left.items() if others])
    names, fit_all, new = [first], fitting[first], collections.Counter(left[first])
    while len(names) < most:
        best = max((new[one] for one in fit_all), default=0)
        if not best:
            break
        names.append(random_.choice(sorted(one for one in fit_all if new[one] == best)))
        new.update(left[names[-1]])
        fit_all = fit_all & fitting[names[-1]]
    return names
