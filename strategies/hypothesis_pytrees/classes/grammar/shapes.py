"""Shapes: how the classes that are written together inherit, and where traits stand in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .traits import Trait

# The shapes in which one class alone has a body, so that no trait fits that needs a subclass.
_ONE_BODY = ("single", "bare")
# How classes inherit, as the bases of each: one class, a subclass, a subclass without a body, ...
SHAPES: dict[str, tuple[tuple[str, ...], ...]] = {
    "single": ((),),
    "bare": ((), ("0",)),
    "child": ((), ("0",)),
    "grandchild": ((), ("0",), ("1",)),
    "diamond": ((), ("0",), ("0",), ("1", "2")),
}


@dataclasses.dataclass(frozen=True)
class Placed:
    """A trait and the class of a shape in which it stands.

    Args:
        trait: the trait.
        level: index of the class.
    """

    trait: Trait
    level: int


def shapes_of(traits: Sequence[Trait], shapes: Sequence[str]) -> list[str]:
    """Return the shapes in which traits may stand.

    Args:
        traits: the traits, which fit together.
        shapes: keys of `SHAPES` to choose from.
    """
    two = any(trait.of_two for trait in traits)
    one = any(trait.one_parent for trait in traits)
    fitting = (name for name in shapes if not two or name not in _ONE_BODY)
    return [name for name in fitting if not one or max(map(len, SHAPES[name])) == 1]


def levels_of(shape: str, trait: Trait) -> range:
    """Return the classes of a shape in which a trait may stand.

    Args:
        shape: a key of `SHAPES`.
        trait: the trait.
    """
    count = len(SHAPES[shape])
    if shape == "bare":
        return range(1)
    return range(max(count - 2, 0), count - 1) if trait.of_two else range(count)
