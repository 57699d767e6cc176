"""Every object that can be reached from some values, to see whether a law changed one of them.

Objects are told apart by identity, so no code of theirs runs: no `__eq__`, no `__getattr__`.
"""

from __future__ import annotations

import collections
import contextlib
import enum
import functools
import gc
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np


class CannotTell(Exception):
    """The values hold an object that may change unseen, such as an iterator."""


class Held:
    """What values hold at the moment.

    Args:
        values: the values.

    Raises:
        CannotTell: they hold an object that may change unseen.
    """

    def __init__(self, values: Iterable[object]) -> None:
        # All objects stay alive, so that no other one gets the identity of one that is gone.
        self._seen: dict[int, Any] = {}
        self._read: list[tuple[_Reader, Any, Any]] = []
        todo = list(values)
        while todo:
            one = todo.pop()
            if id(one) in self._seen:
                continue
            self._seen[id(one)] = one
            if read := _reader(type(one)):
                content, more = read(one)
                todo += more
                if type(one) not in _CONSTANT:
                    self._read.append((read, one, content))

    def is_unchanged(self) -> bool:
        """Return whether each object still refers to the same ones."""
        return all(read(one)[0] == content for read, one, content in self._read)


# What has one of these types never changes, or belongs to the whole process.
_FIXED = (
    *(type, types.ModuleType, types.CodeType, enum.Enum, weakref.ref),
    *(np.generic, np.dtype, np.ufunc),
    *(jax.tree_util.PyTreeDef, jax.sharding.Sharding, jax.sharding.Mesh, jax.Device),
)
_PLAIN = frozenset(
    (str, bytes, int, bool, float, complex, type(None), type(Ellipsis), range, slice)
)
# Types written in C all of whose state the garbage collector sees, and bases of others.
_SEEN = frozenset(
    (
        *(object, dict, list, tuple, set, frozenset, functools.partial, types.CellType),
        *(types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType),
        *(types.MappingProxyType, property, classmethod, staticmethod),
        *(collections.deque, collections.OrderedDict, collections.defaultdict),
        *(BaseException, Exception),
    )
)
# They may hold what changes.
_CONSTANT = frozenset((tuple, frozenset, types.MethodType, types.BuiltinFunctionType))
_UNSEEN = frozenset((type(functools.cache(len)),))
_MADE_BY_CLASS_STATEMENT = 1 << 9

_Reader = Callable[[Any], tuple[Any, Sequence[Any]]]
# Weak, since some laws are about classes that are freed.
_readers: weakref.WeakKeyDictionary[type, _Reader | None] = weakref.WeakKeyDictionary()


def _reader(kind: type) -> _Reader | None:
    """Return the function that reads objects of a type; `None` if they never change.

    Raises:
        CannotTell: they may change unseen.
    """
    if kind not in _readers:
        _readers[kind] = _new_reader(kind)
    return _readers[kind]


def _new_reader(kind: type) -> _Reader | None:
    if kind in _PLAIN or issubclass(kind, _FIXED):
        return None
    if kind is types.FunctionType:
        return _function
    if issubclass(kind, np.ndarray):
        return _numbers
    if kind.__module__.partition(".")[0] == "jaxlib":
        return _of_jaxlib
    if not all(map(_is_seen, kind.__mro__)):
        raise CannotTell(f"objects of {kind.__qualname__} may change unseen")
    return _mapping if issubclass(kind, dict) else _references


def _is_seen(base: type) -> bool:
    if base in _SEEN or base in _PLAIN:
        return True
    module = sys.modules.get(base.__module__)
    if module is None or base in _UNSEEN or not base.__flags__ & _MADE_BY_CLASS_STATEMENT:
        return False
    file = getattr(module, "__file__", None)
    # The modules of recipes have no file, as those that are built into Python, which have a spec.
    return module.__spec__ is None if file is None else file.endswith(".py")


def _references(one: Any) -> tuple[Any, Sequence[Any]]:
    # From here on, Python keeps the attributes in this dict, not in the object itself.
    with contextlib.suppress(AttributeError):
        object.__getattribute__(one, "__dict__")
    found = gc.get_referents(one)
    return tuple(map(id, found)), found


def _mapping(one: Any) -> tuple[Any, Sequence[Any]]:
    # The garbage collector does not see keys that are strings.
    keys = tuple(map(id, dict.keys(one)))
    if type(one) is dict:
        values = list(dict.values(one))
        return (keys, tuple(map(id, values))), (*dict.keys(one), *values)
    state, found = _references(one)
    return (keys, state), found


def _function(one: Any) -> tuple[Any, Sequence[Any]]:
    found = (one.__defaults__, one.__kwdefaults__, one.__dict__, *(one.__closure__ or ()))
    return tuple(map(id, found)), found


def _numbers(one: Any) -> tuple[Any, Sequence[Any]]:
    if one.dtype.hasobject:
        raise CannotTell("an array of objects may change unseen")
    # Shape and strides can be assigned.
    return (np.ndarray.tobytes(one), one.shape, one.strides, one.dtype.str, one.flags.num), ()


def _of_jaxlib(one: Any) -> tuple[Any, Sequence[Any]]:
    # Of an array, whether its buffer was donated; of a compiled function, what it wraps.
    deleted = getattr(one, "is_deleted", None)
    wrapped = getattr(one, "__wrapped__", None)
    return deleted() if callable(deleted) else None, () if wrapped is None else (wrapped,)
