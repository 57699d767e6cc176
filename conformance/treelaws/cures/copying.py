"""Cures of copies and pickles that fail in a method of the class, or on an attribute."""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable, Iterator
from typing import Any

from treelaws.comparison.contents import contents

from .cure import Cure
from .methods import Method, passed_through, raised_in, watched
from .witness import Part

_REDUCE = "https://docs.python.org/3/library/pickle.html#pickling-class-instances"
_WAYS: tuple[Callable[[Any], Any], ...] = (
    copy.copy,
    copy.deepcopy,
    lambda node: pickle.loads(pickle.dumps(node)),
)
_DOES = {
    "__getattr__": (
        "is called before any attribute is set, and for names such as __deepcopy__; let it raise "
        "AttributeError for a name that begins with an underscore"
    ),
    "__setattr__": (
        "is called to set the slots of the copy; write a __setstate__ that sets them with "
        "object.__setattr__, or a __reduce__ that calls the constructor"
    ),
    "__new__": (
        "is called without arguments; write a __getnewargs__ that returns its arguments, or a "
        "__reduce__ that calls the constructor"
    ),
}


def cures(part: Part) -> Iterator[Cure]:
    """Yield the cure of a copy or a pickle that was seen to fail.

    Args:
        part: a node of the witness.
    """
    for way in _WAYS:
        node = part.build()
        copied, error, ran = watched(functools.partial(way, node))
        if error is None and type(copied) is type(node):
            continue
        if error is not None:
            ran = list(dict.fromkeys(raised_in(error)))
        ours = [method for method in ran if method.of_user and method.owner]
        at_fault = next((one for one in reversed(ours) if one.code.co_name in _DOES), None)
        if at_fault is not None:
            yield _of_method(part, type(node), at_fault, error)
        elif error is not None:
            yield from _of_new(node, error)
            yield from _of_attributes(node, error)


def _of_method(part: Part, kind: type, method: Method, error: Exception | None) -> Cure:
    said = f"raised {type(error).__name__}" if error else "gave the copy of an attribute"
    text = (
        f"{method.described(part.recipe)} {said} while a {kind.__name__} was copied: it "
        f"{_DOES[method.code.co_name]} ({_REDUCE})"
    )
    laws = () if error else ("node.copies.*",)
    return Cure(text, laws, functools.partial(passed_through, method))


def _of_new(node: Any, error: Exception) -> Iterator[Cure]:
    """Yield the cure of a `__new__` with arguments, which a copy calls without them."""
    kind = type(node)
    frames = [one.code.co_name for one in raised_in(error)]
    owner = next((base for base in kind.__mro__ if "__new__" in vars(base)), object)
    if isinstance(error, TypeError) and frames[-1] == "__newobj__" and owner is not object:
        text = (
            f"{owner.__name__}.__new__ raised TypeError while a {kind.__name__} was copied: it "
            f"{_DOES['__new__']} ({_REDUCE})"
        )
        yield Cure(text, raises=functools.partial(_alike, error))


def _of_attributes(node: Any, error: Exception) -> Iterator[Cure]:
    kind = type(node).__name__
    for name, value in contents(node).items():
        if name.startswith("[") or callable(value):
            continue
        own = watched(functools.partial(copy.deepcopy, value))[1]
        own = own or watched(functools.partial(pickle.dumps, value))[1]
        if own is not None and _alike(own, error):
            text = (
                f"{kind}.{name} holds a {type(value).__name__}, which cannot be copied or pickled; "
                f"leave it out in a __getstate__ of {kind}, and make it again in a __setstate__ "
                f"({_REDUCE})"
            )
            yield Cure(text, raises=functools.partial(_alike, error))


def _alike(error: Exception, cause: BaseException) -> bool:
    return type(error) is type(cause) and str(error) == str(cause)
