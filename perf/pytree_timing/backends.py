"""The devices that there are to time on."""

from __future__ import annotations

import jax


def why_missing(backend: str) -> str:
    """Say why a backend cannot be used; empty where it can.

    Args:
        backend: one of `names.BACKENDS`.
    """
    try:
        jax.devices(backend)
    except RuntimeError as raised:
        return str(raised).partition("\n")[0]
    return ""


def default() -> str:
    """Return the backend that JAX would use."""
    return jax.default_backend()


def device_facts(backend: str) -> dict[str, str]:
    """Describe the device of a backend that inputs are placed on."""
    device = jax.devices(backend)[0]
    return {"platform": device.platform, "kind": device.device_kind}
