"""Running a law: one case, or a search over a subject's cases."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable

import hypothesis
from hypothesis import Phase, assume, given, seed
from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Namespace, Recipe
from hypothesis_pytrees.core.prior_operations import has_prior_operation
from treelaws.compat import jax_caches
from treelaws.core.departures import known

from . import rejection
from .failure import Breach, UnexpectedError
from .law import Case, Law
from .mismatch import Mismatch
from .profiles import settings_for
from .subject import Subject


def run(law: Law, subject: Subject, recipe: Recipe, namespace: Namespace | None = None) -> None:
    """Check a law on one recipe.

    Args:
        law: the law.
        subject: what to try it on.
        recipe: the input.
        namespace: where the classes of the recipe live; default the subject's own.

    Raises:
        Breach: the law does not hold; `UnexpectedError` where something unexpected was raised.
    """
    jax_caches.forget_many()
    try:
        law(subject.lib, Case(recipe, namespace or subject.namespace))
    except Mismatch as mismatch:
        raise Breach(law, subject, recipe, mismatch) from mismatch
    except HypothesisException:
        raise
    except Exception as raised:
        raise UnexpectedError(law, subject, recipe, raised) from raised


def hunt(law: Law, subject: Subject, recipe: Recipe) -> None:
    """Check a law on one drawn recipe, unless a known departure covers it.

    A departure of an ancestor covers it too: what a broken round trip does to `tree_at` is no
    second finding. Nor is a tree that does not survive its history (a copy, a pickle) an input:
    the laws of copies report that, once. Nor is a user's node that rejects the leaves which the
    law substitutes (see `rejection`), nor a tree that holds one where that is known to depart by
    itself; what a tree without any shows is found on the library alone.
    """
    if subject.guest is not None and subject.guest.kind not in recipe.features:
        return
    assume(not known.covering((law, *law.ancestors), subject, recipe.features))
    assume(not _holds_departing_guest(subject, recipe.features))
    try:
        run(law, subject, recipe)
    except UnexpectedError as error:
        assume(not error.building or not has_prior_operation(recipe.features))
        if not rejection.rejected(error):
            raise


def _holds_departing_guest(subject: Subject, features: Iterable[str]) -> bool:
    """Say whether a tree holds a guest that is known to depart by itself in such a case."""
    held, guest = set(features), subject.guest
    if guest is None or guest.kind not in held:
        return False
    return known.covering(subject.guest_laws(), guest, held)


def search(
    law: Law,
    subject: Subject,
    *,
    examples: int | None = None,
    start: int | None = None,
    shrink: bool = False,
) -> Breach | None:
    """Look for a breach.

    Args:
        law: the law.
        subject: what to try it on.
        examples: how many cases at most; default that of the profile `default`.
        start: seed of the search; default the same inputs each time.
        shrink: make its input small; default `False`.

    Returns:
        The first breach, or `None`.
    """
    base = settings_for("default", law.weight)
    options = hypothesis.settings(
        base,
        max_examples=examples or base.max_examples,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        database=None,
        derandomize=start is None,
    )

    def attempt(recipe: Recipe) -> None:
        hunt(law, subject, recipe)

    test = given(law.strategy(subject))(attempt)
    if start is not None:
        test = seed(start)(test)
    try:
        options(test)()
    except Breach as breach:
        return breach
    return None


def draw_cases(law: Law, subject: Subject, count: int) -> list[Recipe]:
    """Draw so many cases of a law, the same each time."""
    recipes: list[Recipe] = []

    def keep(recipe: Recipe) -> None:
        recipes.append(recipe)

    options = hypothesis.settings(
        settings_for("default"),
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        derandomize=True,
    )
    options(given(law.strategy(subject))(keep))()
    return recipes


@functools.cache
def cached_search(law: Law, subject: Subject) -> Breach | None:
    """Search for a breach once, with the same inputs each time."""
    return search(law, subject)


def root_breach(law: Law, subject: Subject, *, apart_from: Collection[Law] = ()) -> Breach | None:
    """Give the breach behind a breach, that of the nearest ancestor first, or `None`.

    The ancestors are searched here and now, so that the verdict depends neither on the order of
    tests nor on the worker that ran them. Last comes the law itself, on a library whose trees hold
    no user's nodes.

    Args:
        law: the broken law.
        subject: what broke it.
        apart_from: ancestors that are known to hold.
    """
    for parent in law.ancestors:
        asked = parent not in apart_from and not subject.missing(parent.needs)
        if asked and (breach := cached_search(parent, subject)):
            return breach
    return cached_search(law, subject.host) if subject.host is not None else None
