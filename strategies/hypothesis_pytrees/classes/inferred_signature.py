"""Reads the arguments of a class's constructor and their type hints."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import typing
from collections.abc import Iterator, Mapping
from typing import Any

# Their constructors take what they hold, and say no more.
_CONTAINERS = (dict, list, tuple)
_VARIADIC = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


class NothingInferred(TypeError):
    """Type hints give no instance of a class; the message names the argument or the error."""


def signature_of(found: type) -> list[inspect.Parameter]:
    """Return the arguments of a constructor; their annotations are hints, not text.

    A hint in text form that names nothing here stays text. An argument of a `namedtuple` without
    hints is `Any`, since each value is allowed.

    Args:
        found: the class.

    Raises:
        NothingInferred: the class has no signature.
    """
    try:
        parameters = _parameters(found)
    except (TypeError, ValueError) as raised:
        raise NothingInferred(f"{found.__qualname__} has no signature") from raised
    hints: dict[str, Any] = {}
    for hinted, globals_, locals_ in _annotated(found):
        for name, hint in hinted.items():
            resolved = _resolved(hint, globals_, locals_)
            # The constructor of a named tuple sees no names of its file, its fields do.
            if name not in hints or not isinstance(resolved, (str, typing.ForwardRef)):
                hints[name] = resolved
    if issubclass(found, tuple) and hasattr(found, "_fields"):
        hints = dict.fromkeys(getattr(found, "_fields"), Any) | hints  # noqa: B009
    return [one.replace(annotation=hints.get(one.name, one.annotation)) for one in parameters]


def _parameters(found: type) -> list[inspect.Parameter]:
    held = next((one for one in _CONTAINERS if issubclass(found, one)), None)
    contents = [inspect.Parameter("contents", inspect.Parameter.POSITIONAL_ONLY, annotation=held)]
    if held and found.__new__ is held.__new__ and found.__init__ is held.__init__:
        return contents
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except ValueError:
        if held:
            return contents
        raise
    passes_on = bool(parameters) and {one.kind for one in parameters} <= _VARIADIC
    # The `__call__(cls, *args, **kwargs)` of a metaclass passes on what it gets.
    if passes_on and type(found).__call__ is not type.__call__:
        return list(inspect.signature(found.__init__).parameters.values())[1:]
    hinted = any(one.annotation is not one.empty for one in parameters)
    return contents if held and passes_on and not hinted else parameters


def _annotated(
    found: type,
) -> Iterator[tuple[Mapping[str, Any], dict[str, Any], dict[str, Any]]]:
    """Yield annotations with the names that they see: fields of bases first, constructors last."""
    for base in reversed(found.__mro__):
        module = sys.modules.get(base.__module__)
        seen = vars(module) if module else {}
        yield inspect.get_annotations(base), seen, dict(vars(base))
    for method in (found.__new__, found.__init__):
        function = inspect.unwrap(method)
        yield (
            getattr(function, "__annotations__", {}),
            getattr(function, "__globals__", {}),
            dict(vars(found)),
        )


def _resolved(hint: Any, globals_: dict[str, Any], locals_: dict[str, Any]) -> Any:
    """Return what a hint in text form names, or the text."""
    holder = type("Holder", (), {"__annotations__": {"hint": hint}})
    # A hint for a type checker alone may name anything.
    with contextlib.suppress(Exception):
        return typing.get_type_hints(holder, globals_, locals_, include_extras=True)["hint"]
    with contextlib.suppress(Exception):
        seen = {**_common(), **locals_}
        return typing.get_type_hints(holder, globals_, seen, include_extras=True)["hint"]
    return hint


@functools.cache
def _common() -> dict[str, Any]:
    """Return names that modules often import for a type checker alone."""
    names: dict[str, Any] = {}
    for module in ("typing", "collections.abc", "jaxtyping", "jax", "jax.typing"):
        loaded = sys.modules.get(module)
        wanted = ("Any", "Array", "ArrayLike", "Callable", "Mapping", "PRNGKeyArray", "PyTree")
        wanted += ("Optional", "Sequence", "Float", "Int", "Bool", "Iterable")
        names |= {name: getattr(loaded, name) for name in wanted if hasattr(loaded, name)}
    return names
