"""Subjects: the libraries and node types that laws run on, and the abilities they claim."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Namespace, Recipe
from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.availability import absence
from treelaws.compat import devices

if TYPE_CHECKING:
    from treelaws.children.hazard import Hazard


@dataclasses.dataclass(frozen=True, eq=False)
class Subject:
    """One library or node type under test.

    A library subject claims the public names that its release has by
    `hypothesis_pytrees/core/names.json`; if such a name is missing, its laws fail. A variant of a
    library claims the names that it has. A node subject claims the names it lists, and dotted names
    of its library, such as `tree_util.flatten_one_level_with_keys`.

    Args:
        name: as in test ids, for example `"equinox"` or `"namedtuple"`.
        family: which topics of laws apply, such as `"jax"`, `"equinox"` or `"node"`.
        library: function that returns the module the law calls as `lib`; called once, on first use.
        claims: abilities besides the public names of the library, or a function that takes the
            library and returns them.
        kind: for a node subject: the feature of recipes that hold such a node.
        instances: for a node subject: returns the strategy of recipes of its instances; takes the
            keyword options of `hypothesis_pytrees.trees`.
        libraries: modules that recipe text gets under names of `hypothesis_pytrees.recipe.IMPORTS`.
        base: name of the subject whose known departures it shares; default its own. For a user's
            node class, the one whose library registers the class, such as `"eqx.Module"`.
        requires: top-level module that it needs, for example `"equinox"`.
        refusal: returns why it cannot run although its module imports, or `""`.
        kinds: for a user's node subject: how its instances are written.
        part_of: for a subject of the suite: which of `LIBRARIES` it belongs to.
        guest: for a library subject: the user's node subject that its trees hold.
        host: for a library subject with a guest: the same library without one.
        guest_laws: for a library subject with a guest: returns the laws that the guest must keep
            by itself.
        advice: for a node subject: takes a `Breach` and returns the cures printed below it.
        rerun: for a user's subject whose name `--subject` cannot find: the command that runs the
            law `$law` again; default `--subject` with its name.
        hazard: for a user's node subject: why its laws run in child processes; default `None`:
            they do not.
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
    advice: Callable[[Any], Iterable[str]] | None = None
    rerun: str = ""
    hazard: Hazard | None = None

    @functools.cached_property
    def absent(self) -> str:
        """Why laws cannot run on the subject here; empty if they can."""
        reason = absence(self.requires) if self.requires else ""
        return reason or (self.refusal() if self.refusal else "")

    @property
    def home(self) -> str:
        """The entry of `LIBRARIES` it belongs to; for a user's subject, the module it requires."""
        return self.part_of or self.requires

    @property
    def shipped(self) -> bool:
        """Whether it ships with the suite."""
        return bool(self.part_of)

    @property
    def users(self) -> Subject | None:
        """The user's node type under test, itself or as a guest; `None` without one."""
        if self.guest is not None or self.shipped or self.family != "node":
            return self.guest
        return self

    @property
    def library_name(self) -> str:
        """The library that a breach is about; its own name for a node type."""
        return self.name if self.family == "node" else self.base or self.name

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
        """The namespace of its recipes; `None` for the installed libraries."""
        return Namespace(**self.libraries) if self.libraries else None

    def missing(self, needs: Iterable[str]) -> list[str]:
        """Return the needs that the subject does not claim, sorted."""
        return [need for need in sorted(needs) if not self._has(need)]

    def _has(self, need: str) -> bool:
        if need == devices.NEED:
            return not devices.lacking()
        if need in self.abilities:
            return True
        if self.family == "node" and "." not in need:
            return False
        # A variant of a library may stand for any release.
        if self.shipped or self.family == "node":
            name = f"{names.MODULES.get(self.family)}.{need}"
            if names.since(name) is not None:
                return names.has(name)
        return value_of(self.lib, need, _MISSING) is not _MISSING


def value_of(library: Any, name: str, default: Any = None) -> Any:
    """Return what a dotted name of a library stands for; the default if it has none."""
    try:
        return operator.attrgetter(name)(library)
    except AttributeError:
        return default


_MISSING = object()
_SUBJECTS: dict[str, Subject] = {}


def add(subject: Subject) -> Subject:
    """Register a subject under its name.

    Raises:
        ValueError: another subject has that name.
    """
    if _SUBJECTS.setdefault(subject.name, subject) is not subject:
        raise ValueError(f"a subject named {subject.name!r} is already registered; choose another")
    return subject


def replace(subject: Subject) -> None:
    """Register a subject under its name, in place of the one registered before."""
    _SUBJECTS[subject.name] = subject


def known() -> dict[str, Subject]:
    """Return the registered subjects by name; `treelaws.subjects` adds those of the suite."""
    return dict(_SUBJECTS)


def find(name: str) -> Subject | None:
    """Return the subject registered under a name, or `None`."""
    return _SUBJECTS.get(name)
