"""Writes values that fit a type hint."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import enum
import itertools
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from .inferred_arrays import is_jaxtyping_array, of_jaxtyping

# Where a child stands in the text of an argument: any tree, or a leaf that is an array.
TREE, ARRAY = "$tree", "$array"
_LITERALS: Mapping[Any, Sequence[str]] = {
    int: ("3", "0", "1", "2"),
    float: ("0.5", "-0.0", "1.0", "2.0"),
    bool: ("True", "False"),
    complex: ("2j",),
    str: ("'text'", "''"),
    bytes: ("b'bytes'",),
    None: ("None",),
    type(None): ("None",),
    np.ndarray: ("np.float32([1.0, 2.0])", "np.float32([[1.0, 2.0], [3.0, 4.0]])"),
    np.dtype: ("np.dtype('float32')",),
    type: ("float", "int"),
    Any: (TREE,),
    object: (TREE,),
    jax.Array: (ARRAY,),
    dict: (f"{{'a': {TREE}, 'b': {TREE}}}", "{}"),
    list: (f"[{TREE}, {TREE}]", "[]"),
    tuple: (f"({TREE}, {TREE})", "()"),
}
# These work on numbers and arrays, and a copy or a pickle of them is the same function.
_FUNCTIONS = ("operator.neg", "operator.add")
_WRAPPERS = (typing.Annotated, typing.Final, typing.ClassVar)
_DEEPEST = 3

# Returns a definition of a class and the expression that names it.
Define = Callable[[Any], tuple[str, str]]
# Returns the texts of calls of a class.
Calls = Callable[[type, "Values"], Iterator[str]]


class Values:
    """Texts of values for the hints of one call.

    Args:
        define: defines another class that a hint names; `None` if hints may name none.
        calls: writes calls of such a class.
        first: size of the first named axis of an array, at least 1.
    """

    def __init__(self, define: Define | None, calls: Calls, first: int) -> None:
        self._define, self._calls, self._first = define, calls, first
        self._sizes: dict[str, int] = {}
        self._inside: list[type] = []
        self.definitions: dict[str, str] = {}

    def texts(self, hint: Any) -> Iterator[str]:
        """Yield texts of values that fit a hint; none if the hint says nothing."""
        if isinstance(hint, dataclasses.InitVar):
            hint = hint.type
        hint = getattr(hint, "__value__", hint) if _is_alias(hint) else hint
        if isinstance(hint, (str, typing.ForwardRef)):
            return
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            yield from itertools.chain.from_iterable(map(self.texts, inner))
        elif origin in _WRAPPERS or isinstance(hint, typing.NewType):
            yield from self.texts(inner[0] if inner else hint.__supertype__)
        elif origin is typing.Literal:
            yield from itertools.chain.from_iterable(map(self._literal, inner))
        elif origin is not None:
            yield from self._of_container(origin, inner)
        elif isinstance(hint, typing.TypeVar):
            bounds = hint.__constraints__ or (hint.__bound__ or Any,)
            yield from itertools.chain.from_iterable(map(self.texts, bounds))
        elif is_jaxtyping_array(hint):
            yield from of_jaxtyping(hint, self._sizes, self._first)
        elif getattr(hint, "__module__", "") == "jaxtyping" and hint.__name__.startswith("PyTree"):
            yield from self._of_tree(getattr(hint, "leaftype", Any))
        elif hint in _LITERALS:
            yield from _LITERALS[hint]
        elif isinstance(hint, type):
            yield from self._of_class(hint)

    def _literal(self, value: Any) -> Iterator[str]:
        yield from self._members([value]) if isinstance(value, enum.Enum) else [repr(value)]

    def _members(self, members: Sequence[enum.Enum]) -> Iterator[str]:
        called = self._named(type(members[0])) if members else ""
        yield from (f"{called}[{member.name!r}]" for member in members if called)

    def _named(self, found: type) -> str:
        if self._define is None:
            return ""
        text, called = self._define(found)
        self.definitions[called] = text
        return called

    def _of_tree(self, leaf: Any) -> Iterator[str]:
        for text in self.texts(leaf):
            yield text if text == TREE else f"{{'a': {text}, 'b': [{text}]}}"

    def _of_class(self, found: type) -> Iterator[str]:
        if issubclass(found, enum.Enum):
            yield from self._members(list(found)[:2])
        elif issubclass(found, np.generic):
            yield f"np.{found.__name__}(1)"
        elif typing.is_typeddict(found):
            hints = typing.get_type_hints(found)
            for row in zip(*map(self._cycled, hints.values()), strict=False):
                items = zip(hints, row, strict=True)
                yield f"{{{', '.join(f'{key!r}: {text}' for key, text in items)}}}"
        elif found in (collections.abc.Callable, types.FunctionType):
            yield from _FUNCTIONS
        elif found.__module__ == "collections.abc":
            yield from self._of_container(found, (Any, Any))
        elif found not in self._inside and len(self._inside) < _DEEPEST:
            self._inside.append(found)
            texts = list(self._calls(found, self))
            self._inside.pop()
            called = self._named(found) if texts else ""
            yield from (f"{called}{text}" for text in texts if called)

    def _of_container(self, origin: Any, inner: Sequence[Any]) -> Iterator[str]:
        if origin is collections.abc.Callable:
            count = len(inner[0]) if inner and isinstance(inner[0], list) else 1
            yield _FUNCTIONS[min(max(count, 1), len(_FUNCTIONS)) - 1]
        elif origin is type:
            chosen = (
                inner[0] if isinstance(inner[0], type) and inner[0] not in (Any, object) else float
            )
            named = chosen.__name__ if chosen.__module__ == "builtins" else self._named(chosen)
            yield from filter(None, [named])
        elif origin is tuple and inner[-1:] != (...,):
            for row in zip(*map(self._cycled, inner), strict=False):
                yield f"({''.join(text + ', ' for text in row)})"
        elif origin in (tuple, list, collections.deque) or _is_any(origin, _SEQUENCES):
            opening, closing = _BRACKETS.get(origin, ("(", ")"))
            texts = (f"{opening}{text}, {text}{closing}" for text in self.texts(inner[0]))
            yield from _and_empty(texts, f"{opening}{closing}")
        elif origin in (set, frozenset) or _is_any(origin, _SETS):
            name = "set" if origin is set else "frozenset"
            texts = (f"{name}(({text},))" for text in self.texts(inner[0]) if "$" not in text)
            yield from _and_empty(texts, f"{name}()")
        elif origin in _MAPPINGS:
            keys = ("'key'" if "$" in key else key for key in self.texts(inner[0]))
            pairs = zip(keys, self._cycled(inner[1]), strict=False)
            made = _MAPPINGS[origin].format
            yield from _and_empty((made(f"{{{key}: {value}}}") for key, value in pairs), made("{}"))
        elif isinstance(origin, type):
            yield from self._of_class(origin)

    def _cycled(self, hint: Any) -> Iterator[str]:
        """Yield two texts that fit a hint, one of them twice if there is only one, or none."""
        texts = list(self.texts(hint))
        return itertools.islice(itertools.cycle(texts), 2 if texts else 0)


def _and_empty(texts: Iterator[str], empty: str) -> Iterator[str]:
    """Yield texts of a container, and then that of an empty one if anything may stand in it."""
    text = ""
    for text in texts:
        yield text
    if text:
        yield empty


_BRACKETS = {list: ("[", "]"), collections.deque: ("collections.deque([", "])")}
_SEQUENCES = ("Sequence", "Iterable", "Collection", "MutableSequence")
_SETS = ("Set", "MutableSet")
_MAPPINGS = {
    dict: "{}",
    collections.abc.Mapping: "{}",
    collections.abc.MutableMapping: "{}",
    collections.OrderedDict: "collections.OrderedDict({})",
    collections.defaultdict: "collections.defaultdict(None, {})",
}


def _is_any(origin: Any, names: Sequence[str]) -> bool:
    return any(origin is getattr(collections.abc, name) for name in names)


def _is_alias(hint: Any) -> bool:
    return type(hint).__name__ == "TypeAliasType"
