"""Infers the kinds of a user's class from its signature and its type hints."""

from __future__ import annotations

import collections.abc
import contextlib
import inspect
import itertools
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from hypothesis_pytrees.core.kinds import Kind

# Where a child stands in the text of an argument: any tree, or a leaf that is an array.
_TREE, _ARRAY = "$tree", "$array"
_CHILD = re.compile(r"\$(?:tree|array)")
_LITERALS: Mapping[Any, Sequence[str]] = {
    int: ("3", "0"),
    float: ("0.5", "-0.0"),
    bool: ("True", "False"),
    complex: ("2j",),
    str: ("'text'", "''"),
    bytes: ("b'bytes'",),
    None: ("None",),
    type(None): ("None",),
    np.ndarray: ("np.float32([1.0, 2.0])",),
    Any: (_TREE,),
    object: (_TREE,),
    jax.Array: (_ARRAY,),
    dict: (f"{{'a': {_TREE}, 'b': {_TREE}}}",),
    list: (f"[{_TREE}, {_TREE}]",),
    tuple: (f"({_TREE}, {_TREE})",),
}
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_MOST = 4


class NothingInferred(TypeError):
    """If a constructor argument has no usable type hint, the error names it."""


def kinds_of_class(found: type, *, name: str, called: str, definition: str) -> tuple[Kind, ...]:
    """Return kinds that call a class with arguments inferred from its type hints.

    An argument hinted as `Any`, or as a bare container, takes children that are any tree; one
    hinted as `jax.Array`, or with jaxtyping, takes an array; numbers, text, flags and containers of
    these take a few values. Optional arguments are left out once and given otherwise.

    Args:
        found: the class.
        name: name of the kinds.
        called: text that calls the class, for example `"Box"`.
        definition: text that binds it.

    Returns:
        At most four kinds.

    Raises:
        NothingInferred: an argument has no hint, or one that says nothing about its values.
    """
    parameters, hints = _signature(found)
    choices: dict[str, Sequence[str]] = {}
    for one in parameters:
        texts = list(_texts(hints.get(one.name, one.annotation)))
        optional = one.default is not one.empty
        if not texts and not optional:
            raise NothingInferred(_reason(found, one, hints))
        choices[one.name] = (*[""] * optional, *texts) or ("",)
    count = min(_MOST, max(map(len, choices.values()), default=1))
    rows = [
        {key: texts[index % len(texts)] for key, texts in choices.items()} for index in range(count)
    ]
    return tuple(_kind(row, parameters, name, called, definition) for row in rows)


def _signature(found: type) -> tuple[list[inspect.Parameter], dict[str, Any]]:
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except ValueError as raised:
        raise NothingInferred(f"{found.__qualname__} has no signature") from raised
    hints: dict[str, Any] = {}
    for source in (found, found.__init__):
        # Hints for a type checker alone; the next source, or the annotation itself, may do.
        with contextlib.suppress(NameError, TypeError, AttributeError):
            hints |= typing.get_type_hints(source)
    return [one for one in parameters if one.kind not in _VARIADIC], hints


def _reason(found: type, one: inspect.Parameter, hints: Mapping[str, Any]) -> str:
    hint = hints.get(one.name, one.annotation)
    told = "has no type hint" if hint is one.empty else f"is hinted as {_shown(hint)}"
    return f"argument {one.name!r} of {found.__qualname__} {told}"


def _shown(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) else str(hint)


def _kind(
    row: Mapping[str, str],
    parameters: Sequence[inspect.Parameter],
    name: str,
    called: str,
    definition: str,
) -> Kind:
    arguments = [
        row[one.name] if one.kind is one.POSITIONAL_ONLY else f"{one.name}={row[one.name]}"
        for one in parameters
        if row[one.name]
    ]
    text = f"{called}({', '.join(arguments)})"
    # Arrays go everywhere; where one argument wants them, the others get them, too.
    takes = "array" if _ARRAY in text else ""
    numbers = itertools.count()
    return Kind(name, _CHILD.sub(lambda _: f"${next(numbers)}", text), (definition,), takes=takes)


def _texts(hint: Any) -> Iterator[str]:
    """Yield texts of values that fit a hint; none if the hint says nothing."""
    if isinstance(hint, str):
        return
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        yield from itertools.chain.from_iterable(map(_texts, inner))
    elif origin is typing.Annotated or isinstance(hint, typing.NewType):
        yield from _texts(inner[0] if inner else hint.__supertype__)
    elif origin is typing.Literal:
        yield from map(repr, inner)
    elif origin is not None:
        yield from _of_container(origin, inner)
    elif isinstance(hint, typing.TypeVar):
        yield _TREE
    elif "array_type" in vars(hint) if isinstance(hint, type) else False:
        # jaxtyping, which promises nothing about values.
        yield _ARRAY
    elif hint in _LITERALS:
        yield from _LITERALS[hint]


def _of_container(origin: Any, inner: Sequence[Any]) -> Iterator[str]:
    if origin is collections.abc.Callable:
        yield "jnp.tanh"
    elif origin is tuple and inner[-1:] != (...,):
        for row in zip(*map(_cycled, inner), strict=False):
            yield f"({''.join(text + ', ' for text in row)})"
    elif origin in (tuple, list, collections.abc.Sequence, collections.abc.Iterable):
        opening, closing = "[]" if origin is list else "()"
        yield from (f"{opening}{text}, {text}{closing}" for text in _texts(inner[0]))
    elif origin in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
        for key, value in zip(_texts(inner[0]), _cycled(inner[1]), strict=False):
            yield f"{{{key}: {value}}}"


def _cycled(hint: Any) -> Iterator[str]:
    """Yield two texts that fit a hint, one of them twice if there is only one, or none."""
    texts = list(_texts(hint))
    return itertools.islice(itertools.cycle(texts), 2 if texts else 0)
