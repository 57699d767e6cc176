"""The functions that a law calls: of its library by name, of classes, and of transformations."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

from hypothesis_pytrees import Namespace, Recipe
from treelaws import laws
from treelaws.core.law import Case, Law
from treelaws.core.subject import Subject

from .injector import Injector, is_wrapper
from .libraries import Patched, Wrapped, alike_named, in_text

# Methods without an answer of their own, or without which Python cannot go on.
_NEVER = {"__new__", "__getattribute__", "__getattr__", "__init_subclass__", "__class_getitem__"}
_LAWS = str(Path(laws.__file__).parent)


@dataclasses.dataclass(frozen=True)
class Target:
    """A function that can be broken.

    Args:
        library: the top-level module that defines it.
        name: its dotted name in the library, or `Class.method`.
        owner: the class of a method; default a function of the library.
        transforms: whether it returns functions, such as `jit`.
    """

    library: str
    name: str
    owner: type | None = None
    transforms: bool = False

    @property
    def label(self) -> str:
        """The library and the name, as in tables."""
        return f"{self.library}.{self.name}"


NOTHING = Target("", "")


def libraries(subject: Subject, target: Target, injector: Injector) -> tuple[Any, Namespace | None]:
    """Return the library and the namespace of recipes in which a target can be broken."""
    if target is NOTHING or target.owner is not None or target.name in _FIELDS:
        return subject.lib, subject.namespace
    function = _named(subject.lib, target.name)
    wrapped = injector.wrap(function, transforms=target.transforms)
    library = Patched(subject.lib, {target.name: wrapped})
    return library, Namespace(**in_text(subject.family, library))


def _named(library: Any, name: str) -> Any:
    for part in name.split("."):
        library = getattr(library, part)
    return library


@contextlib.contextmanager
def patched(target: Target, injector: Injector) -> Iterator[None]:
    """Replace a method in its class; other targets are in the libraries of `libraries`."""
    owner, name = target.owner, target.name.split(".")[-1]
    if owner is None:
        yield
        return
    raw = vars(owner)[name]
    with mock.patch.object(owner, name, _rewrapped(raw, injector.wrap_method)):
        yield


def _rewrapped(raw: Any, wrap: Callable[[Any], Any]) -> Any:
    """Return a class attribute with its function wrapped."""
    if isinstance(raw, property):
        return property(wrap(raw.fget), raw.fset, raw.fdel, raw.__doc__)
    if isinstance(raw, (staticmethod, classmethod)):
        return type(raw)(wrap(raw.__func__))
    return wrap(_function(raw))


def _function(raw: Any) -> Any:
    """Return the function of a class attribute; Equinox holds methods in a descriptor."""
    if isinstance(raw, property):
        return raw.fget
    if isinstance(raw, (staticmethod, classmethod)):
        return raw.__func__
    return raw if inspect.isfunction(raw) else getattr(raw, "method", None)


# Functions in named tuples that a case binds: a gradient transformation of Optax.
_FIELDS = {"GradientTransformation.init": "init", "GradientTransformation.update": "update"}


class BrokenCase(Case):
    """A case whose gradient transformations can be broken."""

    def __init__(
        self, recipe: Recipe, namespace: Namespace | None, target: Target, injector: Injector
    ) -> None:
        super().__init__(recipe, namespace)
        self._target, self._injector = target, injector
        field = _FIELDS.get(target.name)
        for name, value in list(self._names.items()):
            if field is not None and field in getattr(value, "_fields", ()):
                made = {field: injector.wrap(getattr(value, field))}
                self._names[name] = value._replace(**made)

    def rebuild(self) -> BrokenCase:
        """Run the same text again, in which nothing is broken."""
        with self._injector.paused():
            return BrokenCase(self.recipe, self._namespace, self._target, self._injector)


def called(law: Law, subject: Subject, recipes: Sequence[Recipe]) -> list[Target]:
    """Return what a law calls while it checks some cases, in the order of the first calls."""
    notes = _Notes(subject.lib)
    namespace = Namespace(**in_text(subject.family, notes.library))
    for recipe in recipes:
        for lib, names in ((subject.lib, subject.namespace), (notes.library, namespace)):
            # A case that the wrapped library does not keep has shown its calls up to there.
            with contextlib.suppress(Exception):
                case = Case(recipe, names)
                with notes.taken():
                    law(lib, case)
                notes.fields_of(case)
    return notes.targets()


class _Notes:
    """Notes the functions of a library, and the methods of its classes, that laws call.

    Args:
        library: the module.
    """

    def __init__(self, library: Any) -> None:
        self._name = library.__name__
        self._top = self._name.split(".")[0]
        self._taken = False
        # By name: whether it returns functions.
        self._functions: dict[str, bool] = {}
        self._others: dict[Target, None] = {}
        self.library = Wrapped(library, self._wrap)

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Note the calls that the body of a `with` block makes."""
        before, self._taken = sys.getprofile(), True
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(before)
            self._taken = False

    def fields_of(self, case: Case) -> None:
        """Note the functions in the gradient transformations that a case binds."""
        for value in case._names.values():
            if isinstance(value, tuple) and "update" in getattr(value, "_fields", ()):
                self._others |= {Target("optax", name): None for name in _FIELDS}

    def targets(self) -> list[Target]:
        """Return what was noted."""
        named = [Target(self._name, name, None, gives) for name, gives in self._functions.items()]
        return [*named, *self._others]

    def _wrap(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if self._taken:
                self._functions.setdefault(name, False)
            answer = function(*args, **kwargs)
            # Also while a case is built: the law calls the function that was made there.
            if is_wrapper(answer):
                self._functions[name] = True
            return answer

        return alike_named(function, wrapper)

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and (target := _method_called(frame, self._top)) is not None:
            self._others.setdefault(target)


def _method_called(frame: FrameType, top: str) -> Target | None:
    """Return the method of a class of the library that a law, or text of a recipe, has called."""
    caller, code = frame.f_back, frame.f_code
    if caller is None or not _is_of_a_law(caller.f_code.co_filename):
        return None
    if f"/{top}/" not in code.co_filename.replace("\\", "/") or not code.co_varnames:
        return None
    first = frame.f_locals.get(code.co_varnames[0])
    for owner in (first if isinstance(first, type) else type(first)).__mro__:
        if owner.__module__.split(".")[0] != top:
            continue
        for name, raw in vars(owner).items():
            if name not in _NEVER and getattr(_function(raw), "__code__", None) is code:
                return Target(top, f"{owner.__name__}.{name}", owner)
    return None


def _is_of_a_law(file: str) -> bool:
    return file.startswith((_LAWS, "<recipe", "<hypothesis_pytrees.generated"))
