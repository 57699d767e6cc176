"""Subjects: what is put under the laws, a library or a type of node, and what each can do."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Namespace, Recipe
from hypothesis_pytrees.usable import absence

from .chosen import LIBRARIES

ENTRY_POINTS = "treelaws.subjects"
_FILES = f"{__package__}.libraries."


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
        guest: for a library subject: the node subject that its trees hold.
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
    guest: Subject | None = None

    @functools.cached_property
    def absent(self) -> str:
        """Why the subject cannot be tried here; empty where it can."""
        reason = absence(self.requires) if self.requires else ""
        return reason or (self.refusal() if self.refusal else "")

    @property
    def home(self) -> str:
        """Which of `LIBRARIES` it belongs to; of a subject from elsewhere, what it requires."""
        return self._maker.removeprefix(_FILES) if self.shipped else self.requires

    @property
    def shipped(self) -> bool:
        """Whether it comes with the suite."""
        return self._maker.startswith(_FILES)

    @property
    def _maker(self) -> str:
        return getattr(self.library, "__module__", "")

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


def register(found: Any, *, name: str = "", instances: Any = None) -> Subject:
    """Make a subject known, so that the tests of every law that applies try it.

    A node type of somebody else's is mixed into the trees of the installed libraries, too.

    Args:
        found: a `Subject`, or what `third_party.subject_of` makes one of: a node class, a list of
            instances, a function that makes one, or a library.
        name: what it is called in reports; default `package.module:object`.
        instances: how instances of a class are made, where its type hints do not say so.

    Raises:
        ValueError: another subject has that name.
        LookupError: no subject can be made of what is given.
    """
    made = found
    if not isinstance(found, Subject):
        from .third_party import subject_of

        made = subject_of(found, name=name, instances=instances)
    if _SUBJECTS.setdefault(made.name, made) is not made:
        raise ValueError(f"a subject named {made.name!r} is registered already; choose another")
    if made.kinds:
        from .third_party.mixing import mixtures

        _SUBJECTS.update({mixture.name: mixture for mixture in mixtures(made)})
    return made


def subjects(family: str | None = None) -> list[Subject]:
    """List the registered subjects, of one family or all.

    Raises:
        LookupError: an installed distribution names a subject that cannot be loaded.
    """
    _import_libraries()
    _import_entry_points()
    return [s for s in _SUBJECTS.values() if family is None or s.family == family]


@functools.cache
def _import_libraries() -> None:
    for library in LIBRARIES:
        importlib.import_module(f"treelaws.libraries.{library}")


@functools.cache
def _import_entry_points() -> None:
    """Register what installed distributions name in the group `treelaws.subjects`."""
    from . import compat

    place = ""
    try:
        for point in compat.entry_points(ENTRY_POINTS):
            place = f"entry point {point.name!r} in {ENTRY_POINTS}"
            load(point.value)
    except LookupError as raised:
        raise LookupError(f"{place}: {raised.args[0]}") from raised


def registered(name: str) -> Subject | None:
    """Give the subject of that name, or `None` where nobody registered it."""
    _import_libraries()
    return _SUBJECTS.get(name)


def subject(name: str) -> Subject:
    """Give the subject of that name.

    Raises:
        LookupError: nobody registered it.
    """
    _import_libraries()
    if name not in _SUBJECTS:
        raise LookupError(f"unknown subject {name!r}; known: {', '.join(_SUBJECTS)}")
    return _SUBJECTS[name]


def load(reference: str) -> Subject:
    """Give a subject by name, or make and register one of the object at `package.module:object`.

    Raises:
        LookupError: the reference names nothing, or something that no subject can be made of.
    """
    _import_libraries()
    if ":" not in reference or reference in _SUBJECTS:
        return subject(reference)
    from .third_party import subject_of

    module, _, name = reference.partition(":")
    try:
        found = operator.attrgetter(name)(importlib.import_module(module))
    except Exception as raised:
        reason = f"{type(raised).__name__}: {(str(raised).splitlines() or [''])[0]}"
        raise LookupError(f"subject {reference!r} does not import: {reason}") from raised
    made = found if isinstance(found, Subject) else subject_of(found, name=reference)
    return register(made)
