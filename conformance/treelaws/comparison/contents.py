"""The contents of an object: its attributes, slots and items."""

from __future__ import annotations

from typing import Any


def contents(node: Any) -> dict[str, Any]:
    """Return the contents of an object by name: attributes, slots, and items of containers."""
    held = {}
    for base in type(node).__mro__:
        slots = vars(base).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            name = f"_{base.__name__.lstrip('_')}{slot}" if _mangled(slot) else slot
            if slot not in ("__dict__", "__weakref__") and hasattr(node, name):
                held[name] = getattr(node, name)
    for name, value in getattr(node, "__dict__", {}).items():
        # `vars(node)[0] = item` makes an attribute whose name is an integer.
        held[name if isinstance(name, str) else f"[{name!r}]"] = value
    held.pop("__orig_class__", None)  # Set by typing on an instance made by an alias.
    # Its type decides: a class may define `__class__` as a property.
    if issubclass(type(node), (list, tuple)):
        held.update({f"[{index}]": item for index, item in enumerate(node)})
    if issubclass(type(node), dict):
        held.update({f"[{key!r}]": value for key, value in node.items()})
    return held


def _mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")
