"""Checks laws on shared recipes, and searches for what fails."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from hypothesis.errors import UnsatisfiedAssumption

from hypothesis_pytrees import Recipe
from treelaws.compat.hypothesis import same_draws, seeded
from treelaws.core.examples.profiles import examples_of, settings_for
from treelaws.core.failure import Breach
from treelaws.core.law import Law, fits_guest
from treelaws.core.limits.time_limit import Expired
from treelaws.core.search import search
from treelaws.core.stopped import NoInput, no_place, stopped
from treelaws.core.subject import Subject

from .built_cases import BuiltCases
from .drawn_recipes import DrawnRecipes, fixed_seed, most_examples, sharers, spread

# If known departures cover more of the recipes, a law draws others.
_ENOUGH = 0.75


def held_on(law: Law, subject: Subject, recipes: Sequence[Recipe], cases: BuiltCases) -> int:
    """Return on how many recipes a law holds; 0 if that is too few to say that it holds.

    Known departures may cover some. On a user's node type, a law must decide one case at least.

    Raises:
        Breach: it does not hold on one.
    """
    held = decided = 0
    for recipe in recipes:
        with seeded(), contextlib.suppress(UnsatisfiedAssumption):
            decided += cases.hunt(law, subject, recipe)
            held += 1
    enough = held >= _ENOUGH * len(recipes) and (decided or subject.users is None)
    return held if enough else 0


def find_breach(
    law: Law, subject: Subject, drawn: DrawnRecipes, *, profile: str, shrink: bool = False
) -> Breach | None:
    """Search for a breach, as `search` does, on recipes that laws of the subject share.

    Args:
        law: the law.
        subject: the subject to run it on.
        drawn: the recipes of the laws that were searched before.
        profile: name of the profile.
        shrink: shrink the input of the breach; default `False`.

    Raises:
        NoInput: a user's node type has no input for the law, or rejects almost every one.
    """
    case, guest = same_draws(law.case), subject.guest
    if guest is not None and (case, guest) in drawn.without_place:
        raise NoInput(no_place(guest))
    try:
        return _found(law, subject, drawn, profile=profile, shrink=shrink)
    except NoInput:
        if guest is not None and not fits_guest(law, subject):
            drawn.without_place.add((case, guest))
        raise


def _found(
    law: Law, subject: Subject, drawn: DrawnRecipes, *, profile: str, shrink: bool
) -> Breach | None:
    examples = examples_of(law, subject, profile=profile)
    if len(sharers(law)) < 2:
        return search(law, subject, examples=examples, shrink=shrink)
    most = most_examples(law, subject, profile=profile)
    options, start = settings_for(profile, most), fixed_seed(subject)
    try:
        shared = drawn.of(law, subject, start=start, options=options)
        recipes = spread(shared.recipes, examples)
        if held_on(law, subject, recipes, shared.cases):
            return None
    except Breach as breach:
        again = search(law, subject, examples=most, start=start, shrink=shrink)
        return again or breach
    except Expired as expired:
        return stopped(law, subject, expired)
    return search(law, subject, examples=examples, shrink=shrink)
