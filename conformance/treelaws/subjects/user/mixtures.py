"""Libraries whose trees hold a user's nodes: `equinox with mine.nodes:Box`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

from treelaws.core.law import Law
from treelaws.core.subject import Subject
from treelaws.laws import all_laws
from treelaws.subjects import builtin

# Libraries whose laws are about trees of any nodes.
_HOSTS = ("jax", "equinox", "nnx")


def mixtures(guest: Subject) -> Iterator[Subject]:
    """Yield a subject per installed library whose trees hold a user's nodes."""
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
    """Return the laws that a node type must keep before trees of libraries may hold it."""
    return tuple(
        law
        for law in all_laws().values()
        if law.topic.id in ("node.flatten", "node.aux")
        and law.level == "must"
        and not guest.missing(law.needs)
    )
