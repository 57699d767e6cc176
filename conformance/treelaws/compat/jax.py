"""Functions of JAX whose names differ between releases."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
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


def settings_of_jax() -> dict[str, Any]:
    """Return the values of `jax.config` by name, for another process."""
    import jax

    plain = (bool, int, float, str, type(None))
    return {name: one for name, one in jax.config.values.items() if type(one) in plain}


def give_settings(values: Mapping[str, Any]) -> None:
    """Set the values of `jax.config` that differ.

    Args:
        values: as `settings_of_jax` returned them in another process.
    """
    import jax

    for name, value in values.items():
        if jax.config.values.get(name) != value:
            jax.config.update(name, value)


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
