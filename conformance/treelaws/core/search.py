"""Run a law on one case, or search the cases of a subject for a breach."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Iterable

import hypothesis
from hypothesis import Phase, given, seed
from hypothesis.errors import Flaky, Unsatisfiable, UnsatisfiedAssumption

from hypothesis_pytrees import Namespace, Recipe
from hypothesis_pytrees.core.prior_operations import has_prior_operation
from treelaws.compat import jax_caches
from treelaws.core.departures import known, ways
from treelaws.core.departures.departure import Departure

from . import conditions, rejection, settings, stopped
from .examples.profiles import NO_HEALTH_CHECKS, examples_of, settings_for
from .failure import Breach, DidNotEnd, UnexpectedError
from .law import Case, Law
from .limits.time_limit import Expired, ends_the_run, limited
from .mismatch import Mismatch, brief
from .stopped import (
    NO_INPUT,
    Counted,
    Enough,
    NoInput,
    breaks,
    did_not_end,
    found_so_far,
    keep_shortest,
    no_input,
    seconds_for,
)
from .subject import Subject


def run(
    law: Law,
    subject: Subject,
    recipe: Recipe,
    namespace: Namespace | None = None,
    *,
    build: Callable[[Recipe, Namespace | None], Case] = Case,
) -> None:
    """Check a law on one recipe.

    Args:
        law: the law.
        subject: the subject to run it on.
        recipe: the input.
        namespace: the module that holds the classes of the recipe; default that of the subject.
        build: makes the case of a recipe; default a new one.

    Raises:
        Breach: the law does not hold; `UnexpectedError` if it raised an undocumented exception,
            `DidNotEnd` if it took longer than the time limit of a case.
    """
    jax_caches.forget_many()
    stopped.announce(law, recipe)
    try:
        with limited(seconds_for(subject)):
            law(subject.lib, build(recipe, namespace or subject.namespace))
    except Mismatch as mismatch:
        raise Breach(law, subject, recipe, mismatch) from mismatch
    except Expired as expired:
        raise did_not_end(law, subject, expired, recipe) from None
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        raise UnexpectedError(law, subject, recipe, raised) from raised


def hunt(
    law: Law,
    subject: Subject,
    recipe: Recipe,
    *,
    build: Callable[[Recipe, Namespace | None], Case] = Case,
) -> bool:
    """Check a law on one drawn recipe, and return whether it decided it; `build` is that of `run`.

    It does not if a known departure covers the recipe; with `--all-breaches`, if it breaks there in
    the way that the departure records, or as in an earlier search.

    A known departure of an ancestor covers the recipe too: a broken round trip also breaks
    `tree_at`, and is reported once. These recipes are rejected as well:

    - a tree that cannot be built because a copy or a pickle of it fails, which the laws about
      copies report;
    - a user's node that rejects the leaves that the law substitutes (see `rejection`);
    - a tree that holds a user's node with a known departure;
    - an instance that does not meet a condition of the law (see `conditions`).

    A tree without the user's node is ignored: the library alone is searched separately.
    """
    if subject.guest is not None and subject.guest.kind not in recipe.features:
        return False
    if conditions.unmet(recipe):
        return False
    own = () if settings.within_known else (law,)
    _reject_if(known.covering((*own, *law.ancestors), subject, recipe.features))
    _reject_if(_holds_departing_guest(subject, recipe.features))
    try:
        run(law, subject, recipe, build=build)
    except Breach as breach:
        if isinstance(breach, UnexpectedError):
            _reject_if(breach.building and has_prior_operation(recipe.features))
        if rejection.rejected(breach) or ways.is_passed(breach):
            return False
        if ways.is_recorded(breach, witnessed):
            # Without other inputs, each one decides that nothing else breaks.
            _reject_if(known.covering_every_case((law,), subject) is None)
            return False
        if isinstance(breach, DidNotEnd):
            # Not an `Exception`, so that Hypothesis does not run the case again to shrink it.
            raise Expired(str(breach.cause)).with_breach(breach) from None
        keep_shortest(breach)
        # Hypothesis and pytest print each traceback, source and causes, which takes longer than
        # the search; the report of a breach has what it says.
        raise breach.with_traceback(None) from None
    return True


def witnessed(law: Law, subject: Subject, found: Departure) -> Breach | None:
    """Return the breach of a law by the witness of a known departure, or `None`."""
    try:
        run(law, subject, found.recipe)
    except Breach as breach:
        return breach
    return None


def _reject_if(covered: bool) -> None:
    # `assume` does so only while Hypothesis draws.
    if covered:
        raise UnsatisfiedAssumption


def _holds_departing_guest(subject: Subject, features: Iterable[str]) -> bool:
    """Return whether a tree holds a guest with a known departure for such a case."""
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
    """Search for a breach.

    Args:
        law: the law.
        subject: the subject to run it on.
        examples: maximum number of cases; default that of the profile `default`.
        start: seed of the search; by default the inputs are the same each time.
        shrink: shrink the input of the breach; default `False`.

    Returns:
        The first breach, or `None`. A case that does not end is one, too; it is not shrunk, and
        while a breach is shrunk, it ends the shrinking.

    Raises:
        NoInput: a user's node type has no input for the law, or rejects almost every one.
    """
    base = settings_for("default", regions=bool(known.applying(law.id)))
    examples = examples or examples_of(law, subject, profile="default")
    counted = Counted(law, subject, examples)
    options = hypothesis.settings(
        base,
        max_examples=counted.most,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        database=None,
        derandomize=start is None,
    )

    def attempt(recipe: Recipe) -> None:
        decided = hunt(law, subject, recipe)
        if not breaks(law, subject):
            counted.add(decided)

    test = given(law.strategy(subject))(attempt)
    if start is not None:
        test = seed(start)(test)
    found_so_far(law, subject)
    try:
        with brief(), contextlib.suppress(Enough):
            options(test)()
        counted.check()
    except Breach as breach:
        found_so_far(law, subject)
        return breach
    except Expired as expired:
        return stopped.stopped(law, subject, expired)
    except Flaky:
        # The node differs from run to run; the breach that was found is still a breach.
        if breach := found_so_far(law, subject):
            return breach
        raise
    except NO_INPUT as raised:
        if subject.users is None:
            raise
        raise NoInput(no_input(law, subject)) from raised
    return None


def draw_cases(law: Law, subject: Subject, count: int, *, start: int | None = None) -> list[Recipe]:
    """Return this many cases of a law; none if its strategy rejects all.

    Args:
        law: the law.
        subject: the subject to draw them for.
        count: their number, at least 1.
        start: seed of the draws; by default they are the same each time.
    """
    recipes: list[Recipe] = []

    def keep(recipe: Recipe) -> None:
        recipes.append(recipe)

    options = hypothesis.settings(
        settings_for("default"),
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        derandomize=start is None,
        suppress_health_check=NO_HEALTH_CHECKS,
    )
    # The search reports a user's node type without inputs, or with one that does not end.
    theirs = (*NO_INPUT, Expired) if subject.users is not None else (Unsatisfiable,)
    with contextlib.suppress(*theirs):
        test = given(law.strategy(subject))(keep)
        options(test if start is None else seed(start)(test))()
    return recipes


@functools.cache
def cached_search(law: Law, subject: Subject) -> Breach | None:
    """Search with the same inputs each time and keep the result; without inputs nothing breaks.

    What breaks only where known departures cover it is not what breaks other laws elsewhere.
    """
    with settings.outside_known(), contextlib.suppress(NoInput):
        return search(law, subject)
    return None


def root_breach(law: Law, subject: Subject, *, apart_from: Collection[Law] = ()) -> Breach | None:
    """Return the breach that causes a breach, that of the nearest ancestor first, or `None`.

    The ancestors are searched right here, so that the verdict does not depend on the order of
    tests or on the worker that runs them. For trees with a user's nodes, the law itself is then
    searched on the library alone.

    Args:
        law: the broken law.
        subject: the subject that broke it.
        apart_from: ancestors already searched, which are not searched again.
    """
    for parent in law.ancestors:
        asked = parent not in apart_from and not subject.missing(parent.needs)
        if asked and (breach := cached_search(parent, subject)):
            return breach
    return cached_search(law, subject.host) if subject.host is not None else None
