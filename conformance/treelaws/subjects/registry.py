"""The registered subjects: from the suite, from entry points, and from users."""

from __future__ import annotations

import functools
import importlib
import operator
from typing import Any

from treelaws import compat
from treelaws.core import subject as added
from treelaws.core.subject import Subject

from . import builtin
from .user import mixtures
from .user.making import subject_of

ENTRY_POINTS = "treelaws.subjects"


def register(found: Any, *, name: str = "", instances: Any = None) -> Subject:
    """Register a subject, so that the tests of every applicable law run on it.

    A user's node type is also mixed into the trees of the installed libraries.

    Args:
        found: a `Subject`, a node class, a list of instances, a function that returns an instance,
            or a library.
        name: its name in reports; default `package.module:object`.
        instances: how to create instances of a class if its type hints do not say so.

    Raises:
        ValueError: another subject has that name.
        LookupError: `found` is nothing that laws can run on.
    """
    made = added.add(subject_of(found, name=name, instances=instances))
    for mixture in mixtures.mixtures(made) if made.kinds else ():
        added.replace(mixture)
    return made


def subjects(family: str | None = None) -> list[Subject]:
    """Return the registered subjects, of one family or all.

    Raises:
        LookupError: an entry point names a subject that cannot be loaded.
    """
    builtin.load()
    _load_entry_points()
    return [one for one in added.known().values() if family is None or one.family == family]


@functools.cache
def _load_entry_points() -> None:
    """Register the subjects of the entry points in the group `treelaws.subjects`."""
    place = ""
    try:
        for point in compat.entry_points(ENTRY_POINTS):
            place = f"entry point {point.name!r} in {ENTRY_POINTS}"
            load(point.value)
    except LookupError as raised:
        raise LookupError(f"{place}: {raised.args[0]}") from raised


def registered(name: str) -> Subject | None:
    """Return the subject of that name, or `None` if it is not registered."""
    builtin.load()
    return added.find(name)


def subject(name: str) -> Subject:
    """Return the subject of that name.

    Raises:
        LookupError: it is not registered.
    """
    found = registered(name)
    if found is None:
        raise LookupError(f"unknown subject {name!r}; known: {', '.join(added.known())}")
    return found


def load(reference: str) -> Subject:
    """Return a subject by name, or register the object at `package.module:object` as one.

    Raises:
        LookupError: the reference names nothing, or an object that laws cannot run on.
    """
    if ":" not in reference or registered(reference) is not None:
        return subject(reference)
    module, _, name = reference.partition(":")
    try:
        found = operator.attrgetter(name)(importlib.import_module(module))
    except Exception as raised:
        reason = f"{type(raised).__name__}: {(str(raised).splitlines() or [''])[0]}"
        raise LookupError(f"subject {reference!r} cannot be imported: {reason}") from raised
    return register(subject_of(found, name=reference))
