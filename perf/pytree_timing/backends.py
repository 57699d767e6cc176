"""The devices that there are to time on, by the name of a backend."""

from __future__ import annotations

from typing import Any

import jax

from .names import parts


def devices(backend: str) -> list[Any]:
    """Return the devices of a backend.

    Args:
        backend: such as `"cpu"` or `"cpu:8"`.

    Raises:
        RuntimeError: there are none, or fewer.
    """
    platform, count = parts(backend)
    found = jax.devices(platform)
    if len(found) < count:
        raise RuntimeError(f"{len(found)} of {count} devices")
    return found[:count]


def why_missing(backend: str) -> str:
    """Say why a backend cannot be used; empty where it can.

    Args:
        backend: such as `"cpu"` or `"cpu:8"`.
    """
    try:
        devices(backend)
    except RuntimeError as raised:
        return str(raised).partition("\n")[0]
    return ""


def default() -> str:
    """Return the backend that JAX would use."""
    return jax.default_backend()


def device_facts(backend: str) -> dict[str, str]:
    """Describe the device of a backend that inputs are placed on."""
    device = devices(backend)[0]
    return {"platform": device.platform, "kind": device.device_kind}
