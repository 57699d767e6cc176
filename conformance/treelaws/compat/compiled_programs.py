"""Compiled programs on disk: about half of what a run compiles, it has compiled before.

JAX keeps a program with the function from which it was traced. Laws make new functions for each
input, and `jax_caches` clears what has grown, but what reaches the compiler is often the same; JAX
looks that up in a folder, if it has one.

With jaxlib 0.5.3 a loop that is read from a folder may give other numbers: `cg` gives its start,
and a line search of Optax ends elsewhere. Releases before 0.6.2, which is right, use no folder, not
even one that the user has chosen: laws would break without a fault of a library.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from packaging.version import Version

_FOLDER, _SWITCH = "jax_compilation_cache_dir", "jax_enable_compilation_cache"
_OLDEST = Version("0.6.2")
# Small programs, which JAX would leave out, are all that laws compile.
_LIMITS: Mapping[str, Any] = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


@contextlib.contextmanager
def kept_on_disk() -> Iterator[None]:
    """Let JAX keep compiled programs in a folder of this process, which is removed at the end.

    Child processes use it, too. If the user has chosen a folder, JAX keeps them there instead;
    limits that the user has chosen in the environment stay. Without `are_right`, JAX keeps none.
    """
    if not are_right():
        with _chosen_for_now({_SWITCH: False}, {_SWITCH: _switched_on()}):
            yield
        return
    if _chosen():
        yield
        return
    # What a child still writes there must not fail the run.
    with tempfile.TemporaryDirectory(
        prefix="treelaws-compiled-", ignore_cleanup_errors=True
    ) as folder:
        limits = {name: limit for name, limit in _LIMITS.items() if name.upper() not in os.environ}
        with _chosen_for_now({_FOLDER: folder, **limits}, {_FOLDER: None}):
            yield


@contextlib.contextmanager
def _chosen_for_now(chosen: Mapping[str, Any], afterwards: Mapping[str, Any]) -> Iterator[None]:
    """Set options of JAX in this process and its children, and others at the end."""
    before = {name.upper(): os.environ.get(name.upper()) for name in chosen}
    os.environ.update({name.upper(): str(value) for name, value in chosen.items()})
    _tell(chosen)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({name: value} if value is not None else {})
        _tell(afterwards)


def are_right() -> bool:
    """Tell whether programs that are read from a folder give what those give that are compiled."""
    return Version(importlib.metadata.version("jaxlib")) >= _OLDEST


def _chosen() -> bool:
    if _FOLDER.upper() in os.environ:
        return True
    return "jax" in sys.modules and sys.modules["jax"].config.jax_compilation_cache_dir is not None


def _switched_on() -> bool:
    if "jax" not in sys.modules:
        return True
    return bool(sys.modules["jax"].config.jax_enable_compilation_cache)


def _tell(settings: Mapping[str, Any]) -> None:
    """Set the options of JAX; if it is not imported yet, it will read the variables."""
    if "jax" not in sys.modules:
        return
    import jax
    from jax.experimental.compilation_cache import compilation_cache

    for name, value in settings.items():
        jax.config.update(name, value)
    # JAX decides at the first compilation whether it has a folder, and where.
    compilation_cache.reset_cache()
