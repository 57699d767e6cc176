"""The law mechanism: a law is one function; everything else is derived from it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Namespace, Recipe
from hypothesis_pytrees.trees.trees import mixed_in

from . import settings
from .settings import EDITIONS, LEVELS
from .subject import Subject

_PACKAGE = Path(__file__).resolve().parents[2]

CaseStrategy = st.SearchStrategy[Recipe] | Callable[[Subject], st.SearchStrategy[Recipe]]


class Case:
    """The names that a recipe binds, as attributes.

    Args:
        recipe: text whose statements bind the names.
        namespace: where its classes live; default the installed libraries.
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

    def rebuild(self) -> Case:
        """Execute the same text again: equal values that share no object with this case."""
        return Case(self.recipe, self._namespace)


@dataclasses.dataclass(frozen=True, eq=False)
class Law:
    """A fact that a document promises, and the function that checks it on one case.

    Args:
        topic: the group of laws that it belongs to.
        check: the law itself; takes the library under test and a `Case`.
        statement: the fact in one sentence.
        source: link to the text that promises it.
        case: strategy of recipes that bind the names which the law reads, or a function that
            makes it for a subject.
        needs: claims that a subject must meet.
        level: `"must"`, `"should"` or `"observed"`.
        weight: factor on the profile's number of examples; below 1 for laws that compile.
        parents: laws of the same subject that must hold for this one to mean anything.
        since: the edition that brought the law.
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
        """Stable name, independent of the file that the law stands in."""
        return f"{self.topic.id}.{self.name}"

    @property
    def sentence(self) -> str:
        """The statement with its first word as a sentence has it; a name in code stays."""
        first = self.statement.split()[0]
        capital = self.statement[0].upper() if first.isalpha() else self.statement[0]
        return f"{capital}{self.statement[1:]}."

    @property
    def location(self) -> str:
        """File and line of the law."""
        file = Path(self.check.__code__.co_filename).resolve()
        # From the package on, so that a clone and an installed suite print the same.
        base = _PACKAGE if _PACKAGE in file.parents else Path.cwd()
        short = file.relative_to(base) if base in file.parents else file
        return f"{short.as_posix()}:{self.check.__code__.co_firstlineno}"

    @property
    def advisory(self) -> bool:
        """Whether a breach is reported and fails nothing: observed, or newer than the edition."""
        newer = EDITIONS.index(self.since) > EDITIONS.index(settings.edition)
        return newer or self.level == "observed"

    @functools.cached_property
    def ancestors(self) -> tuple[Law, ...]:
        """Parents, their parents and so on, nearest first."""
        found = dict.fromkeys(self.parents)
        for parent in self.parents:
            found.update(dict.fromkeys(parent.ancestors))
        return tuple(found)

    # Asked for each case of a test; made anew, each is validated anew.
    @functools.lru_cache(maxsize=64)  # noqa: B019 (laws live as long as the process)
    def strategy(self, subject: Subject) -> st.SearchStrategy[Recipe]:
        """Give the strategy of its cases for a subject."""
        found = self.case if isinstance(self.case, st.SearchStrategy) else self.case(subject)
        return found if subject.guest is None else _with_guest(subject.guest, found)

    def __call__(self, lib: Any, case: Any) -> None:
        """Check the law on one case."""
        self.check(lib, case)


@st.composite
def _with_guest(draw: st.DrawFn, guest: Subject, strategy: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw from a law's strategy, with the guest's nodes among those that trees may hold."""
    with mixed_in(guest.kinds):
        return draw(strategy)


class Topic:
    """A group of laws about one thing; calling it makes the decorator of a law.

    Args:
        id: prefix of its laws' ids, for example `"equinox.filter"`.
        title: heading in catalogues.
        family: which subjects it applies to: `"jax"`, `"equinox"` or `"node"`.
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
            ValueError: no source, or a level or edition that does not exist.
        """
        if not source:
            raise ValueError(f"law {statement!r} cites nothing: no source, no law")
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
                raise ValueError(f"law id {law.id!r} is taken; name the fact differently")
            _BY_ID[law.id] = law
            return law

        return decorate


_BY_ID: dict[str, Law] = {}


def defined() -> dict[str, Law]:
    """Give the laws of every module that was imported, by id; `treelaws.laws` imports them all."""
    return dict(_BY_ID)
