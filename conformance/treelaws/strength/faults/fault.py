"""What a fault is: a function that stands in for a call and changes what it gives or does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any


@dataclasses.dataclass
class Call:
    """One call of the function that a fault changes.

    Args:
        function: the real function.
        args: its positional arguments.
        kwargs: its keyword arguments.
        number: 1 for the first call while a case is checked, 2 for the second, and so on.
        earlier: the answers to earlier calls, also while earlier cases of the law were checked.
        shown: to be called if the fault changes something that the caller can see.
    """

    function: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    number: int
    earlier: list[Any]
    shown: Callable[[], None]

    def real(self) -> Any:
        """Call the real function."""
        return self.function(*self.args, **self.kwargs)


@dataclasses.dataclass(frozen=True)
class Fault:
    """A systematic fault.

    Args:
        name: short, as in tables.
        wrong: what the function does wrong, in one sentence.
        act: answers a call in place of the function.
    """

    name: str
    wrong: str
    act: Callable[[Call], Any]


FAULTS: dict[str, Fault] = {}


def fault(name: str, wrong: str) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Register the decorated function as a fault; the arguments are those of `Fault`."""

    def decorate(act: Callable[[Call], Any]) -> Callable[[Call], Any]:
        FAULTS[name] = Fault(name, wrong, act)
        return act

    return decorate
