"""Chooses the cures that a report prints: those that explain the failure, the likeliest first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TypeAlias

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
    try:
        parts = parts_of(breach.recipe, breach.subject.namespace)
    except Exception:
        # An input that cannot be built, or a node that cannot be flattened, has no parts to try.
        return
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
