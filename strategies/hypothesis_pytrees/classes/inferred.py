"""Infers the kinds of a user's class from its signature and its type hints."""

from __future__ import annotations

import inspect
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis_pytrees.core.kinds import Kind

from .inferred_signature import NothingInferred, signature_of
from .inferred_trials import Trials
from .inferred_values import ARRAY, Define, Values

_CHILD = re.compile(r"\$(?:tree|array)")
_MOST = 6
# Calls that are tried at most, diagonal ones first.
_CALLS = 120
# Sizes of the first named axis of an array, one for each kind of call.
_FIRST_SIZES = (2, 3)


def kinds_of_class(
    found: type, *, name: str, called: str, definition: str, define: Define | None = None
) -> tuple[Kind, ...]:
    """Return kinds that call a class with arguments inferred from its type hints.

    An argument hinted as `Any`, or as a bare container, takes children that are any tree; one
    hinted as `jax.Array` takes an array; one hinted with jaxtyping gets an array of that shape and
    dtype; numbers, text, flags, members of enums, instances of other classes and containers of
    these, empty ones included, take a few values. Optional arguments are left out once and given
    otherwise. Nothing is built, so the constructor may reject the values.

    Args:
        found: the class.
        name: name of the kinds.
        called: text that calls the class, for example `"Box"`.
        definition: text that binds it.
        define: returns the definition and the name of another class; default `None`: hints that
            name one say nothing.

    Returns:
        At most six kinds.

    Raises:
        NothingInferred: an argument has no hint, or one that says nothing about its values.
    """
    calls = _kinds(found, name, called, definition, define)
    return tuple(itertools.islice(calls, _count(found, define)))


def instances_of_class(
    found: type, *, name: str, called: str, definition: str, define: Define | None = None
) -> tuple[Kind, ...]:
    """Return kinds that call a class with arguments that its constructor accepts.

    The kinds of `kinds_of_class` are built with many children. Those that the constructor rejects
    are left out; one that it accepts with few children becomes instances without children.

    Args:
        found: the class, which the default namespace knows.
        name: name of the kinds.
        called: text that calls the class.
        definition: text that binds it.
        define: as for `kinds_of_class`.

    Returns:
        At least one and at most six kinds.

    Raises:
        NothingInferred: an argument has no usable hint, or the constructor rejects every call.
    """
    trials, wanted = Trials(), _count(found, define)
    accepted: list[Kind] = []
    for kind in itertools.islice(_kinds(found, name, called, definition, define), _CALLS):
        accepted += trials.accepted(kind)
        if len(accepted) >= wanted:
            break
    if not accepted:
        raise NothingInferred(trials.reason(found))
    return tuple(accepted[:_MOST])


def never_given(found: type, *, define: Define | None = None) -> list[str]:
    """Return the names of arguments that no inferred call gives, since no hint says how.

    Args:
        found: the class.
        define: as for `kinds_of_class`.

    Raises:
        NothingInferred: as `kinds_of_class`.
    """
    _, choices, _ = _choices(found, define, _FIRST_SIZES[0])
    return [name for name, texts in choices.items() if not any(texts)]


def _count(found: type, define: Define | None) -> int:
    """Return the number of kinds that a class needs to have each value of each hint once."""
    by_size = [_choices(found, define, first)[1] for first in _FIRST_SIZES]
    texts = [{text for choices in by_size for text in choices[name]} for name in by_size[0]]
    return min(_MOST, max(map(len, texts), default=1))


def _choices(
    found: type, define: Define | None, first: int, values: Values | None = None
) -> tuple[list[inspect.Parameter], dict[str, list[str]], Values]:
    """Return the arguments of a constructor, and the texts of each; "" leaves one out."""
    values = values or Values(define, _calls, first)
    parameters = signature_of(found)
    choices: dict[str, list[str]] = {}
    for one in parameters:
        hinted = one.annotation is not one.empty
        texts = list(dict.fromkeys(values.texts(one.annotation))) if hinted else []
        variadic = one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        optional = one.default is not one.empty or variadic
        if not texts and not optional:
            raise NothingInferred(_reason(found, one))
        # Variadic arguments are given first, since many classes have no others.
        choices[one.name] = [*texts, ""] if variadic else [*[""] * optional, *texts]
    return parameters, choices, values


def _reason(found: type, one: inspect.Parameter) -> str:
    hint = one.annotation
    told = "has no type hint" if hint is one.empty else f"is hinted as {_shown(hint)}"
    return f"argument {one.name!r} of {found.__qualname__} {told}"


def _shown(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) else str(hint)


def _kinds(
    found: type, name: str, called: str, definition: str, define: Define | None
) -> Iterator[Kind]:
    by_size = [_choices(found, define, first) for first in _FIRST_SIZES]
    rows = [_rows(list(choices.values())) for _, choices, _ in by_size]
    seen: set[str] = set()
    for each in itertools.zip_longest(*rows):
        for row, (parameters, _, values) in zip(each, by_size, strict=True):
            text = f"{called}{_call(parameters, row)}" if row is not None else ""
            if text and text not in seen:
                seen.add(text)
                definitions = [
                    text_of
                    for other, text_of in values.definitions.items()
                    if re.search(rf"\b{re.escape(other)}\b", text)
                ]
                yield _kind(name, text, tuple(dict.fromkeys((*definitions, definition))))


def _rows(choices: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield rows of one text per argument: each text soon, then arguments combined anew."""
    for index in range(max(map(len, choices), default=1)):
        yield tuple(texts[index % len(texts)] for texts in choices)
    for place, texts in enumerate(choices):
        for text in texts[1:]:
            yield tuple(text if at == place else one[0] for at, one in enumerate(choices))
    generator = random.Random(0)
    for _ in range(_CALLS if choices else 0):
        yield tuple(generator.choice(texts) for texts in choices)


def _call(parameters: Sequence[inspect.Parameter], row: Sequence[str]) -> str:
    """Return the arguments of a call, in parentheses."""
    given = dict(zip((one.name for one in parameters), row, strict=True))
    listed = [one for one in parameters if one.kind is one.VAR_POSITIONAL and given[one.name]]
    by_place = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    if any(not given[one.name] for one in by_place):
        # Behind an argument that is left out, no further ones can be given by their places.
        listed = []
    texts: list[str] = []
    for one in parameters:
        text = given[one.name]
        if one.kind is one.VAR_POSITIONAL:
            texts += [text, text] if listed else []
        elif text and one.kind is one.VAR_KEYWORD:
            texts += [f"a={text}", f"b={text}"]
        elif text and (one.kind is one.POSITIONAL_ONLY or (listed and one in by_place)):
            texts.append(text)
        elif text:
            texts.append(f"{one.name}={text}")
    return f"({', '.join(texts)})"


def _calls(found: type, values: Values) -> Iterator[str]:
    """Yield calls of a class that the hint of an argument names; none if nothing is known."""
    try:
        parameters, choices, _ = _choices(found, None, 1, values)
    except NothingInferred:
        return
    if inspect.isabstract(found):
        return
    rows = list(itertools.islice(_rows(list(choices.values())), 2))
    yield from dict.fromkeys(_call(parameters, row) for row in rows)


def _kind(name: str, text: str, definitions: tuple[str, ...]) -> Kind:
    # Arrays go everywhere; where one argument wants them, the others get them, too.
    takes = "array" if ARRAY in text else ""
    numbers = itertools.count()
    return Kind(name, _CHILD.sub(lambda _: f"${next(numbers)}", text), definitions, takes=takes)


__all__ = ["NothingInferred", "instances_of_class", "kinds_of_class", "never_given"]
