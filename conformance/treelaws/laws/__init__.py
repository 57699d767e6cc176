"""Laws by library, one topic a file."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import warnings
from typing import Any

from treelaws.core.law import Law, defined


@functools.cache
def _load() -> None:
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(module.name)


def all_laws() -> dict[str, Law]:
    """Return every law by id: topics by their ids, the laws of one as they stand in the file."""
    _load()
    laws = defined()
    return {id: laws[id] for id in _ordered(tuple(laws))}


@functools.lru_cache(maxsize=1)
def _ordered(ids: tuple[str, ...]) -> list[str]:
    return sorted(ids, key=lambda id: defined()[id].topic.id)


def law_named(id: str) -> Law:
    """Return one law.

    Raises:
        KeyError: no law has that id.
    """
    laws = defined()
    return laws[id] if id in laws else all_laws()[id]


# Beginnings of the names that files of laws had in release 0.1, and their folders now.
_FOLDERS = {
    "jax": "jax",
    "equinox": "equinox",
    "module": "equinox",
    "nnx": "nnx",
    "flax": "flax",
    "optax": "optax",
    "node": "nodes",
    "recipes": "idioms",
}


def __getattr__(name: str) -> Any:
    """Find a file of laws under its name of release 0.1; this goes with the next release."""
    prefix, _, rest = name.partition("_")
    file = name if prefix == "module" else _RENAMED.get(name, rest)
    module = f"{__name__}.{_FOLDERS.get(prefix, '')}.{file}"
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    warnings.warn(f"{__name__}.{name} is now {module}", DeprecationWarning, stacklevel=2)
    return found


_RENAMED = {
    "equinox_closure": "trace_closure",
    "equinox_custom": "trace_custom",
    "equinox_donation": "jit_donation",
    "equinox_jacobian": "grad_jacobian",
    "equinox_state_layers": "state_layer",
    "equinox_state_models": "state_model",
    "equinox_state_programs": "state_program",
    "equinox_state_refusals": "state_refusal",
    "equinox_tree_print": "tree_tools_print",
    "flax_frozen_copies": "frozen_dict_copies",
    "nnx_attribute_checks": "attributes_checks",
    "optax_filtered": "transformation_filtered",
    "optax_state": "transformation_state",
    "optax_update": "transformation_update",
    "optax_wrapped": "transformation_wrapped",
}
