"""The public functions, classes and methods of the installed libraries, with their parameters."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from treelaws.core.errors import BadInput

from .places import MODULES, OF_JAX

# Of the methods that Python calls, those that users call by name or by a call of the object.
_SPECIAL = ("__call__",)


class Public(NamedTuple):
    """A public function, class or method.

    Args:
        library: the key of `MODULES` under which it is listed.
        name: the dotted name, for example `jax.tree.map` or `flax.nnx.Rngs.fork`.
        value: the function or the class.
        parameters: the names of its parameters, those of the constructor for a class.
        owner: the class of a method; default it is none.
        aliases: other dotted names of the same object.
    """

    library: str
    name: str
    value: Any
    parameters: tuple[str, ...]
    owner: type | None = None
    aliases: tuple[str, ...] = ()


@functools.cache
def inventory(library: str) -> Sequence[Public]:
    """Return what is public in an installed library.

    Args:
        library: a key of `MODULES`.

    Raises:
        BadInput: the library does not import.
    """
    found: dict[int, Public] = {}
    for name, value in _named(library):
        if (before := found.get(id(value))) is not None:
            found[id(value)] = before._replace(aliases=(*before.aliases, name))
        else:
            found[id(value)] = Public(library, name, value, parameters(value))
    listed = list(found.values())
    methods = list(_methods(library, [one for one in listed if isinstance(one.value, type)]))
    return sorted([*listed, *methods], key=lambda one: one.name)


def installed() -> list[Public]:
    """Return what is public in all libraries that are installed."""
    there = [name for name in MODULES if importlib.util.find_spec(name) is not None]
    return [one for library in there for one in inventory(library)]


def _named(library: str) -> Iterator[tuple[str, Any]]:
    for module in MODULES[library]:
        held = _module(module, library)
        for name in sorted(dir(held)) if held is not None else ():
            value = None if name.startswith("_") else getattr(held, name, None)
            if _is_listed(value, library):
                yield f"{module}.{name}", value
    if library == "jax":
        yield from ((name, value) for name in OF_JAX if callable(value := _looked_up(name)))


def _module(name: str, library: str) -> Any:
    """Return a public module; `None` if the release has none of that name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as raised:
        if raised.name == library:
            raise BadInput(f"{library} is not installed") from None
        if raised.name is not None and not f"{name}.".startswith(f"{raised.name}."):
            raise BadInput(f"{name} does not import: {raised!r}") from None
        # A public name may stand for a private module.
        return _looked_up(name)
    except Exception as raised:
        raise BadInput(f"{name} does not import: {raised!r}") from None


def _is_listed(value: Any, library: str) -> bool:
    """Return whether a value is a function or a class of the library, and no part of typing."""
    if not callable(value) or isinstance(value, (types.ModuleType, types.GenericAlias)):
        return False
    if isinstance(value, functools.partial):
        value = value.func
    top = (getattr(value, "__module__", None) or "").split(".")[0]
    return top.removesuffix("lib") == library and not inspect.isabstract(type(value))


def _looked_up(name: str) -> Any:
    head, *rest = name.split(".")
    value = importlib.import_module(head)
    for index, part in enumerate(rest):
        if not hasattr(value, part):
            try:
                importlib.import_module(".".join([head, *rest[: index + 1]]))
            except ImportError:
                return None
        value = getattr(value, part, None)
    return value


def _methods(library: str, classes: Sequence[Public]) -> Iterator[Public]:
    """Give the public methods and properties once, under the class that defines them."""
    seen: set[int] = set()
    bases = {base for one in classes for base in one.value.__mro__}
    names = {one.value: one.name for one in classes}
    # A class before what is derived from it, so that a method is named by the class it is from.
    for one in sorted(classes, key=lambda one: len(one.value.__mro__)):
        for owner in (one.value, *one.value.__mro__[1:]):
            if owner.__module__.split(".")[0] != library or owner not in bases:
                continue
            for name, raw in vars(owner).items():
                function = function_of(raw)
                listed = not name.startswith("_") or name in _SPECIAL
                if not listed or function is None or id(function) in seen:
                    continue
                seen.add(id(function))
                label = f"{names.get(owner, one.name)}.{name}"
                yield Public(library, label, function, parameters(function)[1:], owner)


def function_of(raw: Any) -> Callable[..., Any] | None:
    """Return the function of a class attribute, also one that a descriptor holds."""
    if isinstance(raw, property):
        return raw.fget
    if isinstance(raw, (staticmethod, classmethod)):
        return raw.__func__
    if isinstance(raw, functools.cached_property):
        return raw.func
    held = getattr(raw, "method", None)
    return next((one for one in (raw, held) if hasattr(one, "__code__")), None)


def constructor(made: Any) -> Callable[..., Any] | None:
    """Return the function in Python that makes instances of a class; `None` if there is none."""
    for owner in made.__mro__ if isinstance(made, type) else ():
        for name in ("__init__", "__new__"):
            raw = vars(owner).get(name)
            function = getattr(raw, "__func__", raw)
            # Equinox holds a method in a descriptor.
            function = getattr(function, "method", function)
            if hasattr(function, "__code__"):
                return function
    return None


def parameters(value: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a function, or of the constructor of a class."""
    making = constructor(value)
    if making is None and isinstance(value, type):
        return ()
    try:
        found = inspect.signature(making or value).parameters
    except (TypeError, ValueError):
        return ()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = tuple(stars.get(one.kind, "") + one.name for one in found.values())
    return names[1:] if making else names
