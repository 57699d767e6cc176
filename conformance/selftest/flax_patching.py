"""Broken classes of Flax for mutants: `flax.struct` written anew with one hook, FrozenDicts."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.tree_util as jtu

Registration = Callable[[type, Sequence[str], Sequence[str]], None]


def register_in_order(kind: type, data: Sequence[str], meta: Sequence[str]) -> None:
    """Register a dataclass as `flax.struct` does."""
    jtu.register_dataclass(kind, list(data), list(meta))


def struct_patches(
    *,
    register: Registration = register_in_order,
    finish: Callable[[type], None] = lambda kind: None,
    options: Callable[[dict[str, Any]], dict[str, Any]] = lambda given: given,
) -> dict[str, Any]:
    """Return replacements for `flax.struct.dataclass` and `PyTreeNode` with one fault.

    Args:
        register: how JAX comes to know a class, its data fields and its static fields.
        finish: what is done to the finished class.
        options: what becomes of the keyword arguments.
    """

    def dataclass(cls: Any = None, **given: Any) -> Any:
        if cls is None:
            return functools.partial(dataclass, **given)
        if "_flax_dataclass" in vars(cls):
            return cls
        kind: Any = dataclasses.dataclass(**options({"frozen": True, **given}))(cls)
        kind.replace = lambda self, **updates: dataclasses.replace(self, **updates)
        flags = {f.name: f.metadata.get("pytree_node", True) for f in dataclasses.fields(kind)}
        register(kind, [n for n in flags if flags[n]], [n for n in flags if not flags[n]])
        kind._flax_dataclass = True
        finish(kind)
        return kind

    class PyTreeNode:
        def __init_subclass__(cls, **given: Any) -> None:
            super().__init_subclass__()
            dataclass(cls, **given)

    return {"struct.dataclass": dataclass, "struct.PyTreeNode": PyTreeNode}


def frozen_patches(flax: Any, **members: Any) -> dict[str, Any]:
    """Return replacements for `FrozenDict` and `freeze` with other members.

    Args:
        flax: the real library.
        members: attributes of the class by name; a function in place of a method.
    """
    real = flax.core.FrozenDict

    def get(self: Any, key: Any) -> Any:
        value = self._dict[key]
        return kind(value) if isinstance(value, dict) else value

    def reduce(self: Any) -> Any:
        return kind, (self.unfreeze(),)

    space = {"__getitem__": get, "__reduce__": reduce, "__slots__": (), **members}
    kind: Any = type("FrozenDict", (real,), space)
    if "__eq__" in members and "__hash__" not in members:
        kind.__hash__ = real.__hash__
    jtu.register_pytree_with_keys(
        kind, lambda node: node.tree_flatten_with_keys(), kind.tree_unflatten
    )
    # Pickle finds classes by name.
    kind.__module__, kind.__qualname__ = __name__, f"Broken{len(_BROKEN)}"
    globals()[kind.__qualname__] = kind
    _BROKEN.append(kind)
    return {"core.FrozenDict": kind, "core.freeze": kind}


_BROKEN: list[type] = []
