"""Writes `eqx.Module` classes with the traits that they are given."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import textwrap
from collections.abc import Iterator, Sequence

from hypothesis_pytrees.core.kinds import Kind

from .traits import CLASS, Trait

# Stands for the part of the names that tells classes apart.
_ID = "<id>"
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


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Grown(Kind):
    """A kind of module whose classes are written from traits.

    Args:
        shape: a key of `SHAPES`.
        placed: the traits, each in a class of the shape.
    """

    shape: str = "single"
    placed: tuple[Placed, ...] = ()

    @classmethod
    @functools.cache
    def of(cls, shape: str, placed: tuple[Placed, ...]) -> Grown:
        """Write the kind of a shape with these traits."""
        texts = [_text(shape, level, placed) for level in range(len(SHAPES[shape]))]
        shared = dict.fromkeys(text for one in placed for text in one.trait.definitions)
        name = _unique(shape, placed, "".join(texts))
        classes = [text.replace(_ID, name) for text in texts]
        features = [feature for one in placed for feature in one.trait.features.split()]
        call = f"{_name(shape, len(texts) - 1)}({', '.join(_arguments(shape, placed))})"
        return cls(
            "module",
            call.replace(_ID, name),
            (*shared, *classes),
            tuple(f"module:{one}" for one in dict.fromkeys([*features, *_of_all(shape, placed)])),
            needs=tuple(since for one in placed for since in one.trait.needs),
            shape=shape,
            placed=placed,
        )

    @property
    def parts(self) -> int:
        """How many choices `part` takes: one for each trait, and one for the shape."""
        return len(self.placed) + 1

    def part(self, kept: Sequence[bool]) -> Grown:
        """Return the kind with some of the traits.

        Args:
            kept: whether each trait stays, then whether the shape does; else the traits stand in
                one class, or in a class and a subclass.
        """
        *traits, shape = kept
        left = tuple(itertools.compress(self.placed, traits))
        if shape:
            return Grown.of(self.shape, left)
        simple = "child" if any(one.trait.of_two for one in left) else "single"
        return Grown.of(simple, tuple(Placed(one.trait, 0) for one in left))


def _alone(placed: Sequence[Placed]) -> tuple[str, tuple[Placed, ...]]:
    """Return the shape of a class with the first of these traits alone, and where it stands."""
    first = tuple(Placed(one.trait, 0) for one in placed[:1])
    return ("child" if any(one.trait.of_two for one in first) else "single"), first


def _unique(shape: str, placed: Sequence[Placed], text: str) -> str:
    """Return a name of its own for a text: of its trait if there is one."""
    if placed and (shape, placed) == _alone(placed):
        words = placed[0].trait.features.split()[-1 if placed[0].trait.name == "static" else 0]
        return "".join(word.capitalize() for word in words.split("-"))
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _name(shape: str, level: int) -> str:
    last = level == len(SHAPES[shape]) - 1
    return f"{'Drawn' if last else ('Base', 'Left', 'Right')[level]}{_ID}"


def _arguments(shape: str, placed: Sequence[Placed]) -> Iterator[str]:
    yield "$0"
    children = 0
    for one in placed:
        if one.trait.passed:
            text = one.trait.passed.replace(CLASS, _name(shape, one.level))
            for _ in range(text.count("$")):
                children += 1
                text = text.replace("$", f"#{children}", 1)
            yield text.replace("#", "$")


def _text(shape: str, level: int, placed: Sequence[Placed]) -> str:
    here = [one.trait for one in placed if one.level == level]
    last = level == len(SHAPES[shape]) - 1
    below = [one.trait for one in placed if last and one.trait.of_two]
    parents = [_as_base(shape, int(parent), placed) for parent in SHAPES[shape][level]]
    bases = [
        *(trait.base for trait in here if trait.base and not trait.last),
        *(parents or ["eqx.Module"]),
        *(trait.base for trait in here if trait.base and trait.last),
        *(trait.keyword_below for trait in below if trait.keyword_below),
    ]
    lines = [
        *([] if parents else ["x: typing.Any"]),
        *(trait.body.strip("\n") for trait in here if trait.body),
        *(trait.below.strip("\n") for trait in below if trait.below),
    ]
    name = _name(shape, level)
    body = _apart(lines).replace(CLASS, name) or "pass"
    return f"class {name}({', '.join(bases)}):\n{textwrap.indent(body, '    ')}\n"


def _as_base(shape: str, level: int, placed: Sequence[Placed]) -> str:
    """Return how the classes below one name it."""
    forms = (one.trait.base_below for one in placed if one.level == level)
    return next(filter(None, forms), "{}").format(_name(shape, level))


def _of_all(shape: str, placed: Sequence[Placed]) -> Iterator[str]:
    """Yield the features of a class that follow from its traits together."""
    traits = [one.trait for one in placed]
    if shape != "single":
        yield "inherited"
    if shape == "diamond":
        yield "diamond"
    if shape == "bare":
        yield "bare-subclass"
    # `__init__` sets what it is passed; what has a default stays an attribute of the class.
    every = {feature for trait in traits for feature in trait.has}
    if {"__init__", "default"} <= every:
        yield "default-unset"


def _apart(lines: Sequence[str]) -> str:
    """Join the parts of a body, with an empty line around methods."""
    text = ""
    for one, other in itertools.pairwise(["", *lines]):
        text += other if not one else ("\n\n" if "\n" in one + other else "\n") + other
    return text
