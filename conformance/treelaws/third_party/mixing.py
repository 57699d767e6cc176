"""Libraries whose trees hold somebody else's nodes: `equinox with mine.nodes:Box`."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator

from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.trees import mixed_in

from .. import fitted, known
from ..failure import Breach, UnexpectedError
from ..law import Law, all_laws
from ..subjects import Subject, subject

# The libraries whose laws are about trees of every kind.
_HOSTS = ("jax", "equinox", "nnx")
# A law that draws none in so many trees has no place for them.
_TRIALS = 12


def mixtures(guest: Subject) -> Iterator[Subject]:
    """Give the subjects of the installed libraries with a node subject in their trees."""
    for name in _HOSTS if guest.kinds else ():
        host = subject(name)
        if not host.absent:
            yield dataclasses.replace(
                host, name=f"{name} with {guest.name}", base=name, guest=guest
            )


@st.composite
def holding(draw: st.DrawFn, guest: Subject, strategy: st.SearchStrategy[Recipe]) -> Recipe:
    """Draw from a strategy whose trees may hold the guest's nodes.

    Args:
        guest: a node subject.
        strategy: of a law.
    """
    with mixed_in(guest.kinds):
        return draw(strategy)


def obstacle(law: Law, mixture: Subject) -> tuple[str, str] | None:
    """Tell why a law cannot be tried on a mixture: the verdict and the reason; else `None`.

    Args:
        law: of the host's family.
        mixture: one of `mixtures`.
    """
    guest = mixture.guest
    assert guest is not None
    for alone in _alone(guest):
        if name := known.covering_every_case((alone, *alone.ancestors), guest):
            return "known", f"the known departure {name} covers every case of {guest.name}"
    if cause := broken_alone(guest):
        return "blocked", f"{cause} is broken for {guest.name}"
    if not _has_room(law, mixture):
        return "skipped", f"no tree of this law holds a {guest.kind} that takes its leaves"
    return None


def departs(guest: Subject, features: Iterable[str]) -> bool:
    """Say whether a tree holds a guest that is known to depart by itself in such a case.

    Args:
        guest: a node subject.
        features: of the tree.
    """
    held = set(features)
    return guest.kind in held and known.covering(_alone(guest), guest, held)


@functools.cache
def broken_alone(guest: Subject) -> str:
    """Name the first law that a node type must keep by itself and breaks; empty where none.

    Those of which a known departure covers every case are left out.
    """
    from ..running import broken

    for law in _alone(guest):
        known_whole = known.covering_every_case((law, *law.ancestors), guest)
        if not known_whole and broken(law, guest):
            return law.id
    return ""


def _alone(guest: Subject) -> Iterator[Law]:
    """Give the laws that a node type must keep by itself."""
    for law in all_laws().values():
        alone = law.topic.id in ("node.flatten", "node.aux") and law.level == "must"
        if alone and not guest.missing(law.needs):
            yield law


@functools.cache
def _has_room(law: Law, mixture: Subject) -> bool:
    assert mixture.guest is not None
    kind = mixture.guest.kind
    from ..running import drawn

    held = (recipe for recipe in drawn(law, mixture, _TRIALS) if kind in recipe.features)
    return any(_is_tried(law, mixture, recipe) for recipe in held)


def _is_tried(law: Law, mixture: Subject, recipe: Recipe) -> bool:
    """Say whether a case comes to a verdict, and is not passed over for what the guest refuses."""
    from ..running import run

    try:
        run(law, mixture, recipe)
    except UnexpectedError as error:
        return not fitted.refused(error)
    except (Breach, HypothesisException):
        return True
    return True
