"""Transforms that work on copies of their arguments, for mutants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def on_copies(nnx: Any, transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return a transform whose functions change copies of the modules that they are called with."""

    def transformed(function: Any, *args: Any, **options: Any) -> Any:
        inner = transform(function, *args, **options)
        return lambda *operands: inner(*map(copied(nnx), operands))

    return transformed


def copied(nnx: Any) -> Callable[[Any], Any]:
    """Return the function that copies modules and what holds some, and gives back the rest."""

    def copy(value: Any) -> Any:
        if isinstance(value, (nnx.Module, dict)):
            return nnx.clone(value)
        return type(value)(map(copy, value)) if type(value) in (list, tuple) else value

    return copy
