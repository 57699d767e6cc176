"""Break one function while a law runs."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from .fault import Call, Fault
from .libraries import alike_named


class Injector:
    """Wraps functions, and answers their calls by a fault while one is injected."""

    def __init__(self) -> None:
        self._fault: Fault | None = None
        self._earlier: list[Any] = []
        self._inside = False
        self._calls = 0
        self.shown = False

    def forget(self) -> None:
        """Begin a law: no call was answered yet."""
        self._earlier = []

    @contextlib.contextmanager
    def injected(self, fault: Fault | None) -> Iterator[None]:
        """Answer the calls of a case by a fault; by the real function if it is `None`."""
        self._fault, self._calls, self.shown = fault, 0, False
        try:
            yield
        finally:
            self._fault = None

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Let the real functions answer."""
        held, self._fault = self._fault, None
        try:
            yield
        finally:
            self._fault = held

    def wrap(self, function: Callable[..., Any], *, transforms: bool = False) -> Callable[..., Any]:
        """Return a function that answers by the fault that is injected when it is called.

        Args:
            function: the real function.
            transforms: whether it is one like `jit`, which returns a function: the fault then
                answers the calls of that function, and the real function those of this one.
        """

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if transforms:
                return self._transformed(function, args, kwargs)
            return self._answer(function, args, kwargs)

        return alike_named(function, wrapper)

    def wrap_method(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a method, whose calls by the library's own methods are left alone."""

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if self._inside:
                return function(*args, **kwargs)
            self._inside = True
            try:
                return self._answer(function, args, kwargs)
            finally:
                self._inside = False

        return alike_named(function, wrapper)

    def _answer(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if self._fault is None:
            return function(*args, **kwargs)
        self._calls += 1
        call = Call(function, args, kwargs, self._calls, self._earlier, self._show)
        return self._fault.act(call)

    def _transformed(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        try:
            answer = function(*args, **kwargs)
        except Exception:
            # A fault of its errors calls it again.
            return self._answer(function, args, kwargs)
        return Later(answer, self) if is_wrapper(answer) else answer

    def _show(self) -> None:
        self.shown = True


def is_wrapper(answer: Any) -> bool:
    """Return whether an answer is a function that was made of another one, such as `jit(f)`."""
    plain = (types.FunctionType, types.MethodType)
    return (
        isinstance(answer, plain)
        or type(answer) is functools.partial
        or (callable(answer) and hasattr(answer, "__wrapped__"))
    )


class Later:
    """The function that a transformation returned; its calls are answered by the fault."""

    def __init__(self, function: Callable[..., Any], injector: Injector) -> None:
        self.__wrapped__ = function
        # `jit(donate=...)` returns a transformation.
        partial = type(function) is functools.partial
        self._call = injector.wrap(function, transforms=partial)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        get = getattr(self.__wrapped__, "__get__", None)
        if instance is None or get is None:
            return self
        return lambda *args, **kwargs: self._call(instance, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "__wrapped__"), name)
