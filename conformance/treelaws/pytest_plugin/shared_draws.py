"""Tests of laws that read the same cases share what is drawn for the first of them."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import TYPE_CHECKING

import pytest

from .items import is_law, key_of as about, params

if TYPE_CHECKING:
    import hypothesis

    from treelaws.core.law import Law
    from treelaws.core.subject import Subject
    from treelaws.draws.drawn_recipes import DrawnRecipes

# The tests of the laws that share recipes run one after the other.
_MOST_KEPT = 8


class SharedDraws:
    """Checks laws on recipes that were drawn once for all laws with the same strategy.

    If a law does not hold on all of them, a search of its own draws the same recipes again, so
    that Hypothesis shrinks, reports and saves what fails.

    Args:
        seed: value of `--hypothesis-seed`, from which all searches of the run start; `None`
            without it.
    """

    def __init__(self, seed: str | None) -> None:
        self._start = seed
        self._drawn: DrawnRecipes | None = None
        # Not from the generator of the process, which Hypothesis seeds.
        self._random = random.SystemRandom().getrandbits(64)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort the tests of laws so that those with the same recipes follow each other."""
        slots = [index for index, item in enumerate(items) if _searches(item)]
        groups: dict[Hashable, list[pytest.Item]] = {}
        for index in slots:
            groups.setdefault(_key(items[index]), []).append(items[index])
        ordered = (item for group in groups.values() for item in group)
        for index, item in zip(slots, ordered, strict=True):
            items[index] = item

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Check a law on shared recipes; `None` if it needs recipes of its own.

        Raises:
            Breach: the law does not hold.
        """
        if not _searches(pyfuncitem):
            return None
        law, subject = _of(pyfuncitem)
        if self._repeats():
            from hypothesis import seed

            # Hypothesis would draw the same for each subject.
            seed(self._seed(law.id, subject))(pyfuncitem.function)
        return self._checked(pyfuncitem, law, subject)

    def _checked(self, item: pytest.Function, law: Law, subject: Subject) -> bool | None:
        from treelaws.compat.hypothesis import has_saved_examples
        from treelaws.core.examples.profiles import examples_of, settings_for
        from treelaws.draws.drawn_recipes import DrawnRecipes, most_examples, sharers, spread
        from treelaws.draws.holding import held_on
        from treelaws.pytest_plugin.law_tests import held_examples

        # Also of those that do not run, on which the recipes must not depend.
        if len(sharers(law)) < 2 or subject.users is not None:
            return None
        examples = examples_of(law, subject)
        # With a seed, Hypothesis replays no saved examples.
        if self._start is None and has_saved_examples(item.function, settings_for().database):
            return None
        most = settings_for(examples=most_examples(law, subject), regions=True)
        self._drawn = self._drawn or DrawnRecipes(_MOST_KEPT)
        start = self._seed(law.topic.id, subject)
        shared = self._drawn.of(law, subject, start=start, options=most)
        try:
            recipes = spread(shared.recipes, examples)
            held = held_on(law, subject, recipes, shared.cases)
            held_examples[law.id, subject.name] += held
            return bool(held) or None
        except Exception as raised:
            _search(item, law, shared.start, most)
            raise raised

    def _repeats(self) -> bool:
        """Return whether the inputs of the run are those of another run."""
        from treelaws.core import settings

        return self._start is not None or settings.profile == "ci"

    def _seed(self, about: str, subject: Subject) -> int:
        """Return the seed of a search, which differs from subject to subject."""
        from treelaws.draws.drawn_recipes import seed_of

        start = self._start if self._repeats() else self._random
        return seed_of(f"{about} {subject.name} {start}")


def _searches(item: pytest.Item) -> bool:
    """Return whether an item is the test of a law on random cases, made by `law_tests`."""
    return is_law(item) and set(params(item)) == {"subject"}


def _of(item: pytest.Item) -> tuple[Law, Subject]:
    from treelaws.laws import law_named
    from treelaws.subjects.registry import subject as subject_named

    id, name, _ = about(item)
    return law_named(id), subject_named(name)


def _key(item: pytest.Item) -> Hashable:
    from treelaws.draws.drawn_recipes import key_of

    law, subject = _of(item)
    return key_of(law), subject.name


def _search(
    item: pytest.Function, law: Law, start: int | str, options: hypothesis.settings
) -> None:
    """Search again from a seed, as the test of the law.

    Raises:
        Breach: the law does not hold.
    """
    from treelaws.compat.hypothesis import share_saved_examples
    from treelaws.pytest_plugin.law_tests import search_test

    test = search_test(law, options, start=start)
    share_saved_examples(test, item.function)
    test(item.instance, subject=params(item)["subject"])
