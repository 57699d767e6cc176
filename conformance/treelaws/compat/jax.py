"""Functions of JAX whose names differ between releases."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from hypothesis_pytrees.core.names import has


def treedef_maker(jax: Any) -> Callable[..., Any]:
    """Return the function that makes a `PyTreeDef` from a registry, node data and children."""
    cls = jax.tree_util.PyTreeDef
    if has("jax.tree_util.PyTreeDef.from_node_data_and_children"):
        return cls.from_node_data_and_children
    return cls.make_from_node_data_and_children


def double_precision() -> Any:
    """Return the context in which JAX has 64-bit types."""
    import jax

    if has("jax.enable_x64"):
        return jax.enable_x64(True)
    return importlib.import_module("jax.experimental").enable_x64()


def flatten_of(kind: type) -> str:
    """Return module and name of the function that flattens a registered type; empty if unknown.

    JAX has no public function for this; releases without the table give an empty text.
    """
    tables = importlib.import_module("jax._src.tree_util")
    entry = getattr(tables, "_registry", {}).get(kind)
    function = getattr(entry, "to_iter", None)
    made = getattr(entry, "from_iter", None)
    names = (getattr(one, "__qualname__", "") for one in (function, made))
    return " ".join((getattr(function, "__module__", ""), *names)).strip()
