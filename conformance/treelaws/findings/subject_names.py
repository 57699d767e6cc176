"""Finds the subjects that entries name and that are not registered."""

from __future__ import annotations

import contextlib
import importlib
import operator

from treelaws.core.departures import known
from treelaws.subjects.registry import load, registered


def register_named() -> None:
    """Register the subjects in users' entries that can be imported, as `--subject` does.

    So one file serves runs of parts of a project, and only names that cannot be imported are left.
    """
    for found in known.added():
        name = reference(found.subject)
        if ":" in name and registered(name) is None:
            # A subject that cannot be loaded is reported as unknown.
            with contextlib.suppress(LookupError):
                load(name)


def imports(subject: str) -> bool:
    """Return whether the name of a subject leads to an object that can be imported."""
    module, colon, name = reference(subject).partition(":")
    if not colon:
        return False
    try:
        operator.attrgetter(name)(importlib.import_module(module))
    except Exception:
        # A module may raise anything when it is imported.
        return False
    return True


def reference(subject: str) -> str:
    """Return `package.module:object` from the name of a subject, or of the guest in a mixture."""
    return subject.rpartition(" with ")[2]
