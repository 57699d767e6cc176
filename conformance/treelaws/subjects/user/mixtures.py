"""Libraries whose trees hold a user's nodes: `equinox with mine.nodes:Box`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

from treelaws.core.law import Law
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
from treelaws.subjects import builtin

# The libraries whose laws are about trees of every kind.
_HOSTS = ("jax", "equinox", "nnx")


def mixtures(guest: Subject) -> Iterator[Subject]:
    """Give the subjects of the installed libraries with a node subject in their trees."""
    for name in _HOSTS if guest.kinds else ():
        host = builtin.library(name)
        if not host.absent:
            yield dataclasses.replace(
                host,
                name=f"{name} with {guest.name}",
                base=name,
                guest=guest,
                host=host,
                guest_laws=functools.partial(laws_of, guest),
            )


def laws_of(guest: Subject) -> tuple[Law, ...]:
    """Give the laws that a node type must keep by itself before a library's trees may hold it."""
    return tuple(
        law
        for law in all_laws().values()
        if law.topic.id in ("node.flatten", "node.aux")
        and law.level == "must"
        and not guest.missing(law.needs)
    )
