"""Subjects: what is put under the laws, a library or a type of node, and what each can do."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Namespace, Recipe
from hypothesis_pytrees.core.availability import absence


@dataclasses.dataclass(frozen=True, eq=False)
class Subject:
    """One thing under test.

    A library subject claims each public name that it has. A node subject claims what it lists, and
    dotted names of its library, such as `tree_util.flatten_one_level_with_keys`.

    Args:
        name: as it stands in test ids, for example `"equinox"` or `"namedtuple"`.
        family: which topics of laws apply, such as `"jax"`, `"equinox"` or `"node"`.
        library: the module that the law calls as `lib`; a function, called once when first needed.
        claims: names of abilities besides the library's public names, or a function that takes
            the library and gives them.
        kind: for a node subject: the feature by which a recipe shows that it holds such a node.
        instances: for a node subject: gives the strategy of its instances' recipes; takes the
            keyword options of `hypothesis_pytrees.trees`.
        libraries: what recipe text sees under the names of `hypothesis_pytrees.recipe.IMPORTS`.
        base: name of the subject whose known departures it shares; default its own.
        requires: top-level module without which it cannot be tried, for example `"equinox"`.
        refusal: tells why it cannot be tried here although its module imports, or gives `""`.
        kinds: for a node subject of somebody else's: how its instances are written.
        part_of: for a subject of the suite: which of `LIBRARIES` it belongs to.
        guest: for a library subject: the node subject that its trees hold.
        host: for a library subject with a guest: the same library without one.
        guest_laws: for a library subject with a guest: gives the laws that the guest must keep by
            itself.
        advice: for a node subject: gives the advice that is printed below a breach of a law.
    """

    name: str
    family: str
    library: Callable[[], Any]
    claims: frozenset[str] | Callable[[Any], frozenset[str]] = frozenset()
    kind: str = ""
    instances: Callable[..., st.SearchStrategy[Recipe]] | None = None
    libraries: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    base: str = ""
    requires: str = ""
    refusal: Callable[[], str] | None = None
    kinds: tuple[Kind, ...] = ()
    part_of: str = ""
    guest: Subject | None = None
    host: Subject | None = None
    guest_laws: Callable[[], Iterable[Any]] = tuple
    advice: Callable[[Recipe, Namespace | None], Iterable[str]] | None = None

    @functools.cached_property
    def absent(self) -> str:
        """Why the subject cannot be tried here; empty where it can."""
        reason = absence(self.requires) if self.requires else ""
        return reason or (self.refusal() if self.refusal else "")

    @property
    def home(self) -> str:
        """Which of `LIBRARIES` it belongs to; of a subject from elsewhere, what it requires."""
        return self.part_of or self.requires

    @property
    def shipped(self) -> bool:
        """Whether it comes with the suite."""
        return bool(self.part_of)

    @functools.cached_property
    def lib(self) -> Any:
        """The module under test."""
        return self.library()

    @functools.cached_property
    def abilities(self) -> frozenset[str]:
        """The names that it claims."""
        return self.claims(self.lib) if callable(self.claims) else self.claims

    @functools.cached_property
    def namespace(self) -> Namespace | None:
        """Where recipes are built for this subject; `None` for the installed libraries."""
        return Namespace(**self.libraries) if self.libraries else None

    def missing(self, needs: Iterable[str]) -> list[str]:
        """List the needs that the subject does not meet, in order."""
        return [need for need in sorted(needs) if not self._has(need)]

    def _has(self, need: str) -> bool:
        if need in self.abilities:
            return True
        if self.family == "node" and "." not in need:
            return False
        try:
            operator.attrgetter(need)(self.lib)
        except AttributeError:
            return False
        return True


_SUBJECTS: dict[str, Subject] = {}


def add(subject: Subject) -> Subject:
    """Make a subject known by its name.

    Raises:
        ValueError: another subject has that name.
    """
    if _SUBJECTS.setdefault(subject.name, subject) is not subject:
        raise ValueError(f"a subject named {subject.name!r} is registered already; choose another")
    return subject


def replace(subject: Subject) -> None:
    """Make a subject known by its name, in place of another that had it."""
    _SUBJECTS[subject.name] = subject


def known() -> dict[str, Subject]:
    """Give the subjects that were added, by name; `treelaws.subjects` adds those of the suite."""
    return dict(_SUBJECTS)


def find(name: str) -> Subject | None:
    """Give the subject that was added under a name, or `None`."""
    return _SUBJECTS.get(name)
