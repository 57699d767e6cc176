"""Virtual CPU devices: laws about trees on several devices need eight of them.

JAX makes them once, when its backend starts, from a variable that it reads then; `jax.config` has
no option for it in all releases.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping

COUNT = 8
# What a law lists among its needs.
NEED = "eight_devices"
_OPTION = "--xla_force_host_platform_device_count"
FLAG = f"{_OPTION}={COUNT}"
# The first lines of a script that needs the devices.
SETTING = f'import os\n\nos.environ["XLA_FLAGS"] = "{FLAG}"\n'


def ask() -> None:
    """Ask JAX, which has not started its backend, for the devices; a setting of the user stays."""
    flags = os.environ.get("XLA_FLAGS", "")
    if _OPTION not in flags and "JAX_NUM_CPU_DEVICES" not in os.environ:
        os.environ["XLA_FLAGS"] = f"{flags} {FLAG}".strip()


def asked() -> bool:
    """Return whether this process was started with the devices, which the user did not set."""
    return FLAG in os.environ.get("XLA_FLAGS", "").split()


def unasked(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a process that shall ask for the devices itself.

    Args:
        environment: its variables, which may be copied from this process.
    """
    flags = environment.get("XLA_FLAGS", "").split()
    others = " ".join(one for one in flags if one != FLAG)
    rest = {name: value for name, value in environment.items() if name != "XLA_FLAGS"}
    return {**rest, "XLA_FLAGS": others} if others else rest


@functools.cache
def lacking() -> str:
    """Return why laws about eight devices cannot run in this process; empty if they can."""
    import jax

    found = jax.device_count()
    if found >= COUNT:
        return ""
    return f"JAX has started with {found} of the {COUNT} devices that such laws need ({FLAG})"
