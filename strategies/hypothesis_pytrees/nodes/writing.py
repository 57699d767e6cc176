"""Writes registered nodes with the traits that they are given."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Sequence

from hypothesis_pytrees.classes.grammar.shapes import SHAPES, Placed
from hypothesis_pytrees.classes.grammar.writing import Grown, Style

from .class_text import class_text
from .layout import Layout, storage_of
from .parts import CHILDREN, NodeTrait
from .registration import REGISTRATIONS

# Stands for the part of the names that tells classes apart.
_ID = "<id>"
# What decides the name of a kind: laws draw nodes by it, so that no smaller kind may have another.
_STAYING = frozenset(trait.name for trait in REGISTRATIONS)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class GrownNode(Grown):
    """A kind of registered nodes, whose classes are written from traits."""

    @property
    def parts(self) -> int:
        """How many choices `part` takes: one for each trait that may go, and one for the shape."""
        return sum(one.trait.name not in _STAYING for one in self.placed) + 1

    def part(self, kept: Sequence[bool]) -> Grown:
        """Return the kind with some of the traits.

        Args:
            kept: whether each trait stays that may go, then whether the shape does.
        """
        *choices, shape = kept
        left = iter(choices)
        stay = [one.trait.name in _STAYING or next(left) for one in self.placed]
        return super().part([*stay, shape])


def write_node(style: Style, shape: str, placed: tuple[Placed, ...]) -> Grown:
    """Return the kind of a registered node with these traits.

    Args:
        style: how its classes are written.
        shape: a key of `SHAPES`.
        placed: the traits, each in a class of the shape.
    """
    layouts = list(_layouts(style, shape, placed))
    texts = [class_text(one) for one in layouts]
    name = _unique(shape, placed, "".join(texts))
    features = [feature for one in placed for feature in one.trait.features.split()]
    features += ["derived"] * (shape != "single") + ["bare-subclass"] * (shape == "bare")
    features += [layouts[-1].key_type] * layouts[-1].keyed
    shared = dict.fromkeys(text for one in placed for text in one.trait.definitions)
    return GrownNode(
        layouts[-1].registration,
        layouts[-1].call().replace(_ID, name),
        (*shared, *(text.replace(_ID, name) for text in texts)),
        tuple(f"{style.prefix}{one}" for one in dict.fromkeys(features)),
        needs=tuple(since for one in placed for since in one.trait.needs),
        style=style,
        shape=shape,
        placed=placed,
    )


def _layouts(style: Style, shape: str, placed: Sequence[Placed]) -> Iterator[Layout]:
    every = [one.trait for one in placed if isinstance(one.trait, NodeTrait)]
    levels = [_level(one, shape, every) for one in placed]
    last = len(SHAPES[shape]) - 1
    parent, inherited = "", []
    for level in range(last + 1):
        own = [trait for trait, place in zip(every, levels, strict=True) if place == level]
        name = f"{style.name}{'' if level == last else 'Base'}{_ID}"
        yield Layout(name, parent, inherited, own, every)
        parent, inherited = name, [*inherited, *own]


def _level(one: Placed, shape: str, every: Sequence[NodeTrait]) -> int:
    """Return the class of the shape in which a trait stands."""
    trait = one.trait
    assert isinstance(trait, NodeTrait)
    if shape == "child" and CHILDREN in trait.body:
        return 1
    # The class that makes the container of the children makes the whole of it; and the first class
    # of dataclasses has their only `__post_init__`.
    converts = trait.setup or any(part.stored != "{}" for part in trait.parts)
    is_dataclass = any("dataclass" in other.has for other in every)
    first = trait.parts if storage_of(every).written else converts and is_dataclass
    return 0 if first or trait.storage else one.level


def _unique(shape: str, placed: Sequence[Placed], text: str) -> str:
    """Return a name of its own for a text: of its trait if there is one."""
    if shape == "single" and len(placed) < 2:
        words = placed[0].trait.name.split("-") if placed else ["plain"]
        return "".join(f"{word[:1].upper()}{word[1:]}" for word in words)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
