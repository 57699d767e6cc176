"""The registered subjects: from the suite, from entry points, and from users."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.util
import operator
import sys
from pathlib import Path
from typing import Any

from treelaws import compat
from treelaws.core import subject as added
from treelaws.core.close_names import did_you_mean
from treelaws.core.subject import Subject

from . import builtin
from .user import mixtures
from .user.making import subject_of
from .user.several import Several, stand_for_several, subjects_of

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
    return _added(subject_of(found, name=name, instances=instances))


def register_all(found: Any, *, name: str = "", instances: Any = None) -> Several:
    """Register the subjects of a list of classes, of a module, or of what `register` takes.

    A class with the same instances may be registered again, for example by a second test.

    Raises:
        ValueError: another subject has the name of one of them.
        LookupError: laws can run on nothing of this.
    """
    several = subjects_of(found, name=name, instances=instances)
    made = (_registered_before(one) or _added(one) for one in several.subjects)
    return Several(tuple(made), several.untried)


def _registered_before(found: Subject) -> Subject | None:
    """Return the registered subject of that name if it has the same instances."""
    before = added.find(found.name)
    same = before is not None and found.kinds and _texts(before) == _texts(found)
    return before if before is found or same else None


def _texts(found: Subject) -> list[tuple[str, tuple[str, ...]]]:
    return [(kind.template, kind.definitions) for kind in found.kinds]


def _added(found: Subject) -> Subject:
    made = added.add(found)
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
        close = did_you_mean(name, added.known())
        libraries = [one.name for one in added.known().values() if one.family != "node"]
        cure = f"give package.module:Class, a node type such as dict, or {', '.join(libraries)}"
        raise LookupError(f"unknown subject {name!r}; {close or cure}")
    return found


def load(reference: str) -> Subject:
    """Return a subject by name, or register the object at `package.module:object` as one.

    Raises:
        LookupError: the reference names nothing, an object that laws cannot run on, or several
            subjects.
    """
    (*others, found) = load_all(reference).subjects
    if others:
        names = ", ".join(one.name for one in (*others, found))
        raise LookupError(f"{reference!r} stands for {names}; name one of them")
    return found


def load_all(reference: str) -> Several:
    """Return the subjects that a reference stands for, as `load` does; a module may have several.

    The current folder is searched for modules, too.

    Args:
        reference: a name, a module, or an object of one as `package.module:object`.

    Raises:
        LookupError: the reference names nothing, or an object that laws cannot run on.
    """
    if reference in _LOADED:
        return _LOADED[reference]
    module, colon, name = reference.partition(":")
    if registered(reference) is not None or not (_exists(module) or colon):
        return Several((subject(reference),), {})
    try:
        found: Any = importlib.import_module(module)
        found = operator.attrgetter(name)(found) if colon else found
    except Exception as raised:
        reason = f"{type(raised).__name__}: {(str(raised).splitlines() or [''])[0]}"
        raise LookupError(f"subject {reference!r} cannot be imported: {reason}") from raised
    if stand_for_several(found):
        made, untried = subjects_of(found)
        _LOADED[reference] = Several(tuple(map(_once, made)), untried)
        return _LOADED[reference]
    named = dataclasses.replace(subject_of(found, name=reference), rerun="")
    return Several((register(named),), {})


# Lists and modules by their references; a single subject is registered under its own.
_LOADED: dict[str, Several] = {}


def _once(found: Subject) -> Subject:
    """Register a subject, unless one of that name is registered."""
    return registered(found.name) or register(found)


def _exists(module: str) -> bool:
    """Return whether a module can be found; `pytest` alone does not search the current folder."""
    top, here = module.partition(".")[0], str(Path.cwd())
    if not top.isidentifier():
        return False
    if importlib.util.find_spec(top) is None and here not in sys.path:
        sys.path.append(here)
        importlib.invalidate_caches()
    return importlib.util.find_spec(top) is not None
