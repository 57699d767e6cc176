"""The environment of a run: on one line, and which options of JAX are set."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from . import LIBRARIES, version


def environment() -> str:
    """Return the versions, the backend and the precision on one line."""
    import jax

    found = {name: version(name) for name in LIBRARIES}
    packages = [f"{name} {number}" for name, number in found.items() if number]
    x64 = "on" if jax.config.read("jax_enable_x64") else "off"
    python = f"Python {version('python')}"
    return f"{', '.join(packages)}, {python}, {jax.default_backend()}, x64 {x64}"


# Options of JAX that change dtypes or reject calls, and their values; the default comes first.
OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "jax_enable_x64": (False, True),
    "jax_numpy_dtype_promotion": ("standard", "strict"),
    "jax_numpy_rank_promotion": ("allow", "warn", "raise"),
}

# Options that a known departure may ask for, beside those. A release that lacks one counts as if it
# had the first value. Importing Optax 0.2.7 sets this one, as its changelog of 0.2.8 says.
ASKED_FOR: Mapping[str, tuple[Any, ...]] = {**OPTIONS, "jax_pmap_shmap_merge": (True, False)}


def changed_options() -> dict[str, Any]:
    """Return the options of JAX that change verdicts and do not have their defaults, by name."""
    import jax

    found = {name: getattr(jax.config, name) for name in OPTIONS}
    return {name: value for name, value in found.items() if value != OPTIONS[name][0]}


def configured(wanted: Mapping[str, Any]) -> bool:
    """Return whether options of `jax.config` have these values; JAX is imported if there are any.

    Args:
        wanted: the values by name in `ASKED_FOR`, for example `{"jax_enable_x64": True}`.
    """
    if not wanted:
        return True
    config = importlib.import_module("jax").config
    found = {name: getattr(config, name, ASKED_FOR[name][0]) for name in wanted}
    return all(found[name] == value for name, value in wanted.items())
