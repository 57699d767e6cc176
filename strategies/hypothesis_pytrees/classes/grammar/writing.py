"""Writes classes with the traits that they are given."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence

from hypothesis_pytrees.core.kinds import Kind

from .shapes import SHAPES, Placed
from .texts import apart, class_text, declared, initialiser, roles
from .traits import CLASS, Form, Trait

# Stands for the part of the names that tells classes apart.
_ID = "ID_OF_CLASS"


@dataclasses.dataclass(frozen=True)
class Style:
    """How a library's classes are written.

    Args:
        kind: the name of their kinds.
        prefix: what their features begin with, such as `"module:"`.
        form: how the library is told of a class that has no trait with another form.
        field: the line that declares the first field; empty if `__init__` sets it.
        name: what their names begin with.
        shapes: the keys of `SHAPES` that their classes may have.
        writer: what writes them in place of `write`.
    """

    kind: str
    prefix: str
    form: Form
    field: str
    name: str
    shapes: tuple[str, ...] = tuple(SHAPES)
    writer: Callable[[Style, str, tuple[Placed, ...]], Grown] | None = None


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Grown(Kind):
    """A kind whose classes are written from traits.

    Args:
        style: how they are written.
        shape: a key of `SHAPES`.
        placed: the traits, each in a class of the shape.
    """

    style: Style | None = None
    shape: str = "single"
    placed: tuple[Placed, ...] = ()

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
        assert self.style is not None
        if shape:
            return write(self.style, self.shape, left)
        simple = "child" if any(one.trait.of_two for one in left) else "single"
        return write(self.style, simple, tuple(Placed(one.trait, 0) for one in left))


@functools.cache
def write(style: Style, shape: str, placed: tuple[Placed, ...]) -> Grown:
    """Return the kind of a shape with these traits.

    Args:
        style: how its classes are written.
        shape: a key of `SHAPES`.
        placed: the traits, each in a class of the shape.
    """
    if style.writer is not None:
        return style.writer(style, shape, placed)
    texts = _texts(style, shape, placed)
    shared = dict.fromkeys(text for one in placed for text in one.trait.definitions)
    name = _unique(shape, placed, "".join(texts))
    features = [feature for one in placed for feature in one.trait.features.split()]
    features = [_form(style, placed).feature, *features, *_of_all(shape, placed)]
    call = f"{_name(style, shape, len(texts) - 1)}({', '.join(_arguments(style, shape, placed))})"
    return Grown(
        style.kind,
        call.replace(_ID, name),
        (*shared, *(text.replace(_ID, name) for text in texts)),
        tuple(f"{style.prefix}{one}" for one in dict.fromkeys(filter(None, features))),
        needs=tuple(since for one in placed for since in one.trait.needs),
        style=style,
        shape=shape,
        placed=placed,
    )


def _alone(placed: Sequence[Placed]) -> tuple[str, tuple[Placed, ...]]:
    """Return the shape of a class with the first of these traits alone, and where it stands."""
    first = tuple(Placed(one.trait, 0) for one in placed[:1])
    return ("child" if any(one.trait.of_two for one in first) else "single"), first


def _unique(shape: str, placed: Sequence[Placed], text: str) -> str:
    """Return a name of its own for a text: of its trait if there is one."""
    if placed and (shape, placed) == _alone(placed):
        return "".join(word.capitalize() for word in placed[0].trait.name.split("-"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _name(style: Style, shape: str, level: int) -> str:
    last = level == len(SHAPES[shape]) - 1
    return f"{style.name}{'Drawn' if last else ('Base', 'Left', 'Right')[level]}{_ID}"


def _arguments(style: Style, shape: str, placed: Sequence[Placed]) -> Iterator[str]:
    by_keyword = _form(style, placed).by_keyword or any(one.trait.by_keyword for one in placed)
    yield "x=$0" if by_keyword else "$0"
    children = 0
    for one in placed:
        if one.trait.passed:
            text = one.trait.passed.replace(CLASS, _name(style, shape, one.level))
            for _ in range(text.count("$")):
                children += 1
                text = text.replace("$", f"#{children}", 1)
            yield text.replace("#", "$")


def _form(style: Style, placed: Sequence[Placed]) -> Form:
    return next((one.trait.form for one in placed if one.trait.form), style.form)


def _texts(style: Style, shape: str, placed: Sequence[Placed]) -> list[str]:
    """Return the text of each class of a shape."""
    form, texts, fields = _form(style, placed), [], []
    for level, above in enumerate(SHAPES[shape]):
        here = [one.trait for one in placed if one.level == level]
        last = level == len(SHAPES[shape]) - 1
        below = [one.trait for one in placed if last and one.trait.of_two]
        parents = [_as_base(style, shape, int(parent), placed) for parent in above]
        bases = [
            *(trait.base for trait in here if trait.base and not trait.last),
            *(parents or filter(None, [form.root])),
            *(trait.base for trait in here if trait.base and trait.last),
            *(trait.keyword_below for trait in below if trait.keyword_below),
        ]
        options = [
            *(one.trait.option for one in placed if one.trait.everywhere or one.level == level),
            *(trait.option_below for trait in below),
        ]
        name = _name(style, shape, level)
        lines = [
            *([] if parents or not style.field else [style.field]),
            *(trait.body.strip("\n") for trait in here if trait.body),
            *([] if style.field else initialiser(here, first=not parents)),
            *(trait.below.strip("\n") for trait in below if trait.below),
        ]
        body = apart(lines, name)
        inherited = [fields[int(parent)] for parent in above]
        inherited += [{one.base_field: "data"} for one in here if one.base_field]
        # Only a decorator may list them.
        own = roles(name, body) if form.decorated else ()
        fields.append(dict(itertools.chain(*(one.items() for one in inherited), own)))
        unique = list(dict.fromkeys(filter(None, options)))
        texts.append(class_text(name, bases, unique, body, form, declared(fields[-1])))
    return texts


def _as_base(style: Style, shape: str, level: int, placed: Sequence[Placed]) -> str:
    """Return how the classes below one name it."""
    forms = (one.trait.base_below for one in placed if one.level == level)
    return next(filter(None, forms), "{}").format(_name(style, shape, level))


def _of_all(shape: str, placed: Sequence[Placed]) -> Iterator[str]:
    """Yield the features of a class that follow from its traits together."""
    traits = [one.trait for one in placed]
    if shape != "single":
        yield "inherited"
    if shape == "diamond":
        yield "diamond"
    if shape == "bare":
        yield "bare-subclass"
    if unset_by(traits):
        yield "default-unset"


def unset_by(traits: Sequence[Trait]) -> list[Trait]:
    """List the traits of one class with a field that stays an attribute of the class."""
    # An `__init__` of its own sets what it is passed.
    initialised = any("__init__" in trait.has for trait in traits)
    names = {"default", "default-unset"} if initialised else {"default-unset"}
    return [trait for trait in traits if names & trait.has]
