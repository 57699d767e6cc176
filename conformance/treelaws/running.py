"""Running a law: one case, or a search over a subject's cases."""

from __future__ import annotations

import functools

from hypothesis import Phase, assume, given, seed, settings
from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Namespace, Recipe
from hypothesis_pytrees.histories import has_history

from . import compiled, fitted, known
from .checks import LawBroken
from .failure import Breach, UnexpectedError
from .law import Case, Law
from .profiles import settings_for
from .subjects import Subject, subject as subject_named
from .third_party import mixing


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
    compiled.forget_many()
    try:
        law(subject.lib, Case(recipe, namespace or subject.namespace))
    except LawBroken as broken:
        raise Breach(law, subject, recipe, broken) from broken
    except HypothesisException:
        raise
    except Exception as raised:
        raise UnexpectedError(law, subject, recipe, raised) from raised


def hunt(law: Law, subject: Subject, recipe: Recipe) -> None:
    """Check a law on one drawn recipe, unless a known departure covers it.

    A departure of an ancestor covers it too: what a broken round trip does to `tree_at` is no
    second finding. Nor is a tree that does not survive its history (a copy, a pickle) an input:
    the laws of copies report that, once. Nor is somebody's node that refuses the leaves which the
    law wants in it (see `fitted`), nor a tree that holds one where that is known to depart by
    itself; what a tree without any shows is found on the library alone.
    """
    if subject.guest is not None and subject.guest.kind not in recipe.features:
        return
    assume(not known.covering((law, *law.ancestors), subject, recipe.features))
    if subject.guest is not None:
        assume(not mixing.departs(subject.guest, recipe.features))
    try:
        run(law, subject, recipe)
    except UnexpectedError as error:
        assume(not error.building or not has_history(recipe.features))
        if not fitted.refused(error):
            raise


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
    options = settings(
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


def drawn(law: Law, subject: Subject, count: int) -> list[Recipe]:
    """Draw so many cases of a law, the same each time."""
    recipes: list[Recipe] = []

    def keep(recipe: Recipe) -> None:
        recipes.append(recipe)

    options = settings(
        settings_for("default"),
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        derandomize=True,
    )
    options(given(law.strategy(subject))(keep))()
    return recipes


@functools.cache
def broken(law: Law, subject: Subject) -> Breach | None:
    """Search for a breach once, with the same inputs each time."""
    return search(law, subject)


def broken_ancestor(law: Law, subject: Subject) -> Breach | None:
    """Give the breach behind a breach, that of the nearest ancestor first, or `None`.

    The ancestors are searched here and now, so that the verdict depends neither on the order of
    tests nor on the worker that ran them.
    """
    for parent in law.ancestors:
        if not subject.missing(parent.needs) and (breach := broken(parent, subject)):
            return breach
    return broken_by_host(law, subject)


def broken_by_host(law: Law, subject: Subject) -> Breach | None:
    """Give the breach of the law by a library whose trees hold nobody else's nodes, or `None`.

    Args:
        law: of the library's family.
        subject: the library with somebody else's nodes; of any other subject there is none.
    """
    return broken(law, subject_named(subject.base)) if subject.guest is not None else None
