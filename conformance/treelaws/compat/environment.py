"""Describes the environment of a run on one line."""

from __future__ import annotations

from . import LIBRARIES, version


def environment() -> str:
    """Return the versions, the backend and the precision on one line."""
    import jax

    found = {name: version(name) for name in LIBRARIES}
    packages = [f"{name} {number}" for name, number in found.items() if number]
    x64 = "on" if jax.config.read("jax_enable_x64") else "off"
    python = f"Python {version('python')}"
    return f"{', '.join(packages)}, {python}, {jax.default_backend()}, x64 {x64}"
