"""Subjects that entries name and nobody has registered."""

from __future__ import annotations

import contextlib
import importlib
import operator

from treelaws.core.departures import known
from treelaws.subjects.registry import load, registered


def register_named() -> None:
    """Register the subjects that users' entries name, as `--subject` does, where they import.

    One file serves runs of parts of a project, then, and only what leads nowhere is left.
    """
    for found in known.added():
        name = reference(found.subject)
        if ":" in name and registered(name) is None:
            # What cannot be loaded is reported as unknown.
            with contextlib.suppress(LookupError):
                load(name)


def imports(subject: str) -> bool:
    """Say whether a subject's name is that of an object which can be imported, or mixed in."""
    module, colon, name = reference(subject).partition(":")
    if not colon:
        return False
    try:
        operator.attrgetter(name)(importlib.import_module(module))
    except Exception:
        # A module may raise anything; then the name leads nowhere.
        return False
    return True


def reference(subject: str) -> str:
    """Give `package.module:object` of a subject's name, or of the guest of a mixture's."""
    return subject.rpartition(" with ")[2]
