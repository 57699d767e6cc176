"""Faults of functions that keep in one place what belongs to a call."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

# Seconds in which another thread comes in between: on a busy machine, a race may be rare.
PAUSE = 0.002


def one_place_for_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with one list for the arguments of all calls.

    Args:
        function: the function.
    """
    held: list[Any] = []

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        held.clear()
        time.sleep(PAUSE)
        held.extend(args)
        return function(*held, **kwargs)

    return called


def one_place_for_the_function(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return a transform that keeps the function which is called where each call keeps it.

    Args:
        transform: the transform; it takes the function and options.
    """
    held: dict[str, Any] = {}

    def changed(function: Any = None, **options: Any) -> Any:
        if function is None:
            return functools.partial(changed, **options)

        @functools.wraps(function)
        def traced(*args: Any, **kwargs: Any) -> Any:
            return held["function"](*args, **kwargs)

        made = transform(traced, **options)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            held["function"] = function
            time.sleep(PAUSE)
            return made(*args, **kwargs)

        return called

    return changed


def made_while_others_call(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return a transform whose functions say that they are made before they are.

    Args:
        transform: the transform; it takes the function and options.
    """

    def changed(function: Any = None, **options: Any) -> Any:
        if function is None:
            return functools.partial(changed, **options)
        made: dict[str, Any] = {}

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if "started" not in made:
                made["started"] = True
                time.sleep(PAUSE)
                made["function"] = transform(function, **options)
            return made["function"](*args, **kwargs)

        return called

    return changed
