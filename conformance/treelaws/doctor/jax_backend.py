"""Checks the backend and devices of JAX, and the imports of the libraries."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Iterator

from treelaws import compat

from .results import Result, note, ok, problem, reason

_LIBRARIES = {"equinox": "equinox", "flax": "flax.nnx", "optax": "optax", "chex": "chex"}
_SHOWN = "`python -c 'import {}'` shows where"


def jax_imports() -> bool:
    """Return whether JAX imports; if not, `check_backend` reports why."""
    try:
        importlib.import_module("jax")
    except Exception:
        return False
    return True


def check_backend() -> Iterator[Result]:
    """Check that JAX imports and finds its devices."""
    if compat.version("jax") is None:
        return
    try:
        import jax
    except Exception as raised:
        yield problem("import of jax", f"{reason(raised)}; {_SHOWN.format('jax')}")
        return
    try:
        devices = jax.devices()
        backend = jax.default_backend()
    except Exception as raised:
        asked = os.environ.get("JAX_PLATFORMS", "")
        told = f"{reason(raised)}{f' with JAX_PLATFORMS={asked}' if asked else ''}"
        yield problem("backend", f"{told}; JAX_PLATFORMS=cpu runs the laws without it")
        return
    kinds = Counter(device.device_kind for device in devices)
    told = ", ".join(f"{number} x {kind}" for kind, number in kinds.items())
    x64 = "on" if jax.config.read("jax_enable_x64") else "off"
    yield ok("backend", f"{backend}, {told}, x64 {x64}")
    if backend == "gpu" and os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE", "").lower() not in (
        "false",
        "0",
    ):
        yield note(
            "memory of the GPU",
            "each process allocates most of it; with -n set XLA_PYTHON_CLIENT_PREALLOCATE=false",
        )


def check_imports() -> Iterator[Result]:
    """Check that each installed library imports; none does without JAX."""
    if not jax_imports():
        return
    imported = []
    for package, module in _LIBRARIES.items():
        if compat.version(package) is None:
            continue
        try:
            importlib.import_module(module)
        except Exception as raised:
            told = f"{reason(raised)}; a run of its laws fails; {_SHOWN.format(module)}"
            yield problem(f"import of {module}", told)
        else:
            imported.append(module)
    if imported:
        yield ok("imports", f"{', '.join(imported)} import with this jax")
