"""Laws: one decorated function each, from which tests, reports and pages are derived."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import reject, strategies as st

from hypothesis_pytrees import Kind, Namespace, Recipe
from hypothesis_pytrees.core.recipe import default_namespace
from hypothesis_pytrees.trees.trees import mixed_in

from . import settings
from .limits.time_limit import ends_the_run, limited
from .mismatch import first_line
from .settings import EDITIONS, LEVELS
from .subject import Subject

_PACKAGE = Path(__file__).resolve().parents[2]

CaseStrategy = st.SearchStrategy[Recipe] | Callable[[Subject], st.SearchStrategy[Recipe]]


class Case:
    """The names that a recipe binds, as attributes.

    Args:
        recipe: source text whose statements bind the names.
        namespace: the module that holds its classes; default the installed libraries.
    """

    def __init__(self, recipe: Recipe, namespace: Namespace | None = None) -> None:
        self.recipe = recipe
        self._namespace = namespace
        self._names = recipe.run(namespace)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._names[name]
        except KeyError:
            raise AttributeError(f"the case binds no {name!r}:\n{self.recipe.source()}") from None

    @property
    def bound(self) -> dict[str, Any]:
        """The names that its statements bind, without those of classes and libraries."""
        known = (self._namespace or default_namespace()).module.__dict__
        # New names are the last ones.
        last = itertools.takewhile(lambda name: name not in known, reversed(self._names))
        return {name: self._names[name] for name in last if name != "__builtins__"}

    def rebuild(self) -> Case:
        """Run the same text again; the values are equal and share no object with this case."""
        return Case(self.recipe, self._namespace)


@dataclasses.dataclass(frozen=True, eq=False)
class Law:
    """A documented promise, and the function that checks it on one case.

    Args:
        topic: the group of laws that it belongs to.
        check: the law itself; takes the library under test and a `Case`.
        statement: the promise in one sentence.
        source: link to the document that makes the promise.
        case: strategy of recipes that bind the names the law reads, or a function that takes a
            subject and returns such a strategy.
        needs: names that a subject must claim.
        level: `"must"`, `"should"` or `"observed"`.
        weight: factor on the number of examples that the measured time allows; above 1 where the
            inputs that matter are rare, below 1 where an example leaves something behind.
        parents: laws of the same subject that this one depends on.
        since: the edition that added the law.
    """

    topic: Topic
    check: Callable[[Any, Any], None]
    statement: str
    source: str
    case: CaseStrategy
    needs: frozenset[str]
    level: str
    weight: float
    parents: tuple[Law, ...]
    since: str

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.check.__name__

    @functools.cached_property
    def id(self) -> str:
        """Stable name; it does not change when the law moves to another file."""
        return f"{self.topic.id}.{self.name}"

    @property
    def sentence(self) -> str:
        """The statement as a sentence: capital letter, full stop; code at its start is kept."""
        first = self.statement.split()[0]
        capital = self.statement[0].upper() if first.isalpha() else self.statement[0]
        return f"{capital}{self.statement[1:]}."

    @property
    def location(self) -> str:
        """File and line of the law."""
        file = Path(self.check.__code__.co_filename).resolve()
        # Relative to the package, so that a clone and an installed suite print the same path.
        base = _PACKAGE if _PACKAGE in file.parents else Path.cwd()
        short = file.relative_to(base) if base in file.parents else file
        return f"{short.as_posix()}:{self.check.__code__.co_firstlineno}"

    @property
    def advisory(self) -> bool:
        """Whether a breach never fails the run: observed, or newer than the edition."""
        newer = EDITIONS.index(self.since) > EDITIONS.index(settings.edition)
        return newer or self.level == "observed"

    @functools.cached_property
    def ancestors(self) -> tuple[Law, ...]:
        """Parents, grandparents and so on, nearest first."""
        found = dict.fromkeys(self.parents)
        for parent in self.parents:
            found.update(dict.fromkeys(parent.ancestors))
        return tuple(found)

    # Called for each example; Hypothesis validates every new strategy object again.
    @functools.lru_cache(maxsize=64)  # noqa: B019 (laws live as long as the process)
    def strategy(self, subject: Subject) -> st.SearchStrategy[Recipe]:
        """Return the strategy that generates its cases for a subject."""
        found = self.case if isinstance(self.case, st.SearchStrategy) else self.case(subject)
        if subject.guest is not None:
            found = _with_guest(self, subject, subject.guest.kinds, found)
        return found if subject.users is None else _of_user_code(self, subject, found)

    def __call__(self, lib: Any, case: Any) -> None:
        """Check the law on one case."""
        self.check(lib, case)


# By law and subject: why an input could not be drawn.
_undrawn: dict[tuple[str, str], str] = {}


def why_undrawn(law: Law, subject: Subject) -> str:
    """Return the last error of user code while inputs of a law were drawn; empty without one."""
    return _undrawn.get((law.id, subject.name), "")


@st.composite
def _of_user_code(
    draw: st.DrawFn, law: Law, subject: Subject, strategy: st.SearchStrategy[Recipe]
) -> Recipe:
    """Draw within the time limit; an input is rejected if the user's code raises meanwhile.

    Strategies build, copy and compare instances to describe them. The laws about copies, equality
    and so on report what is wrong there.
    """
    try:
        with limited():
            return draw(strategy)
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        _undrawn[law.id, subject.name] = f"{type(raised).__name__}: {first_line(raised)}"
        reject()


# The laws, by id, and subjects, by name, of which some input had a tree that can hold other nodes;
# and those of which one had a place for a node of the guest.
_asking: set[tuple[str, str]] = set()
_fitting: set[tuple[str, str]] = set()


def asks_for_guest(law: Law, subject: Subject) -> bool:
    """Return whether some input so far had a tree that can hold other nodes."""
    return (law.id, subject.name) in _asking


def fits_guest(law: Law, subject: Subject) -> bool:
    """Return whether a node of the guest could have been drawn in some input so far."""
    return (law.id, subject.name) in _fitting


@st.composite
def _with_guest(
    draw: st.DrawFn,
    law: Law,
    subject: Subject,
    kinds: Sequence[Kind],
    strategy: st.SearchStrategy[Recipe],
) -> Recipe:
    """Draw from the strategy of a law, with the guest among the node types of its trees."""
    with mixed_in(kinds) as mixed:
        recipe = draw(strategy)
    if mixed.asked:
        _asking.add((law.id, subject.name))
    if mixed.fitted:
        _fitting.add((law.id, subject.name))
    return recipe


class Topic:
    """A group of laws about one thing; calling a topic returns the decorator for a law.

    Args:
        id: prefix of the ids of its laws, for example `"equinox.filter"`.
        title: heading in the catalogue of laws.
        family: family of the subjects that it applies to: `"jax"`, `"equinox"` or `"node"`.
    """

    def __init__(self, id: str, title: str, *, family: str) -> None:
        self.id, self.title, self.family = id, title, family

    def __call__(
        self,
        statement: str,
        *,
        source: str,
        case: CaseStrategy,
        needs: Iterable[str] = (),
        level: str = "must",
        weight: float = 1.0,
        parents: Iterable[Law] = (),
        since: str = EDITIONS[0],
    ) -> Callable[[Callable[[Any, Any], None]], Law]:
        """Turn a function into a law of this topic; the arguments are those of `Law`.

        Raises:
            ValueError: the source is empty, or the level or edition does not exist.
        """
        if not source:
            raise ValueError(f"law {statement!r} has no source; pass a link to the promise")
        if level not in LEVELS:
            raise ValueError(f"level {level!r} does not exist; choose from {', '.join(LEVELS)}")
        if since not in EDITIONS:
            raise ValueError(f"edition {since!r} does not exist; choose from {', '.join(EDITIONS)}")

        def decorate(check: Callable[[Any, Any], None]) -> Law:
            law = Law(
                self,
                check,
                statement,
                source,
                case,
                frozenset(needs),
                level,
                weight,
                tuple(parents),
                since,
            )
            if law.id in _BY_ID:
                raise ValueError(f"law id {law.id!r} is already taken; rename the function")
            _BY_ID[law.id] = law
            return law

        return decorate


_BY_ID: dict[str, Law] = {}


def defined() -> dict[str, Law]:
    """Return the laws of all modules imported so far, by id; `treelaws.laws` imports every law."""
    return dict(_BY_ID)
