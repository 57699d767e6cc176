"""Chooses the cures that a report prints: those that explain the failure, the likeliest first."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import TypeAlias

from hypothesis_pytrees import Namespace
from treelaws.core.failure import Breach

from . import aux_data, constructor, copying, flattening, key_paths, unrestored
from .cure import Cure
from .witness import Part, parts_of

Cause: TypeAlias = Callable[[Part], Iterator[Cure]]
_MOST = 2
# A cause comes before those that may follow from it.
CAUSES: tuple[Cause, ...] = (
    flattening.cures,
    key_paths.cures,
    aux_data.cures,
    unrestored.cures,
    constructor.cures,
    copying.cures,
)


def cures(breach: Breach) -> Iterator[str]:
    """Yield at most two cures of a breach of a node law; none if nothing seen explains it.

    Only the outermost node with a cause is named: the others may be unrelated.

    Args:
        breach: the breach.
    """
    # A shrunk input may define a class without its unused methods, under the name of the class.
    fresh = Namespace(**breach.subject.libraries)
    try:
        yield from _of_parts(breach, _parts(breach, breach.subject.namespace, fresh))
    finally:
        del sys.modules[fresh.module.__name__]


def _parts(breach: Breach, *namespaces: Namespace | None) -> list[Part]:
    """Return the parts of the witness in the first of the namespaces that can build it."""
    for namespace in namespaces:
        # An input that cannot be built, or a node that cannot be flattened, has no parts.
        with contextlib.suppress(Exception):
            return parts_of(breach.recipe, namespace)
    return []


def _of_parts(breach: Breach, parts: list[Part]) -> Iterator[str]:
    for part in parts:
        found = dict.fromkeys(
            str(cure) for cause in CAUSES for cure in _explaining(cause, part, breach)
        )
        if found:
            yield from list(found)[:_MOST]
            return


def _explaining(cause: Cause, part: Part, breach: Breach) -> Iterator[Cure]:
    """Yield the first cure of a kind of cause that explains a breach."""
    yield from itertools.islice((cure for cure in _seen(cause, part) if cure.explains(breach)), 1)


def _seen(cause: Cause, part: Part) -> Iterator[Cure]:
    try:
        yield from cause(part)
    except Exception:
        # A broken class may raise any error while it is tried; then nothing was seen.
        return
