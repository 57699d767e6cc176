"""What classes look like, and library classes that a call may leave changed."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def members(classes: Iterable[type]) -> dict[tuple[str, str], Any]:
    """Return what each class holds or inherits under each name, as it stands there.

    Args:
        classes: the classes.
    """
    return {
        (one.__name__, name): inspect.getattr_static(one, name)
        for one in classes
        for name in dir(one)
        if name == "__call__" or not name.startswith("__")
    }


def changed(classes: Iterable[type], before: Mapping[tuple[str, str], Any]) -> list[str]:
    """Return the names, such as `Net.__call__`, of members that are other objects than before.

    Args:
        classes: the classes.
        before: what `members` returned.
    """
    now = members(classes)
    keys = {*now, *before}
    return sorted(".".join(key) for key in keys if now.get(key) is not before.get(key))


@contextlib.contextmanager
def restored(*classes: type) -> Iterator[None]:
    """Give classes of the library back what they held, so that other laws do not see a fault.

    Args:
        classes: the classes.
    """
    held = [(one, dict(vars(one))) for one in classes]
    try:
        yield
    finally:
        for one, namespace in held:
            for name in [*vars(one)]:
                if name not in namespace and not name.startswith("__"):
                    delattr(one, name)
            for name, value in namespace.items():
                if vars(one).get(name) is not value and name not in ("__dict__", "__weakref__"):
                    setattr(one, name, value)
