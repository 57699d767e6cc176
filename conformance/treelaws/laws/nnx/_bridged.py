"""Variables of Linen by collection and path, and those of modules of NNX in the same form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treelaws.compat import nnx as nnx_api

Flat = dict[tuple[str, ...], Any]


def linen_variables(lib: Any, module: Any) -> dict[str, Any]:
    """Return the values of the Variables of a module as Linen has them, without its keys."""
    found: dict[Any, Any] = {}
    for path, variable in nnx_api.flat(lib, lib.state(module)).items():
        kind = nnx_api.type_of(variable)[-1]
        if issubclass(kind, lib.RngState):
            continue
        place = found
        for key in (lib.variable_name_from_type(kind), *path[:-1]):
            place = place.setdefault(key, {})
        place[path[-1]] = nnx_api.raw_value(variable)
    return found


def flattened(variables: Any) -> Flat:
    """Return the values of variables of Linen by collection and path."""
    return {tuple(map(repr, path)): leaf for path, leaf in _leaves(variables, ())}


def updated(variables: Any, updates: Any) -> Any:
    """Return variables of Linen with those of some collections replaced."""
    if type(variables) is not dict or type(updates) is not dict:
        return updates
    merged = {key: updated(variables.get(key), part) for key, part in updates.items()}
    return {**variables, **merged}


def _leaves(tree: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    # Below the name of a collection, an empty dict is a value.
    if type(tree) is not dict or (not tree and len(path) > 1):
        yield path, tree
        return
    for key, part in tree.items():
        yield from _leaves(part, (*path, key))
