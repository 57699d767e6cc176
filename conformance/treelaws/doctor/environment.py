"""Checks environment variables that change verdicts.

Each effect was observed in a run of 14 topics with the variable set: Python 3.12, JAX 0.12.0,
Equinox 0.13.8, Flax 0.12.12 and Optax 0.2.8 on a CPU.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from .results import NOTE, PROBLEM, Result, note, ok

# Values that leave a switch off.
_OFF = ("", "0", "false", "off", "no", "n", "f")
_ON = ("", "1", "true", "on", "yes", "y", "t")
# Level, harmless values and observed effect of each variable.
_EFFECTS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "JAX_DISABLE_JIT": (PROBLEM, _OFF, "every law that counts traces fails: nothing is compiled"),
    "JAX_NUMPY_DTYPE_PROMOTION": (
        PROBLEM,
        ("", "standard"),
        "laws of ravel_pytree, hessians and Optax fail: JAX rejects their mixed dtypes",
    ),
    "JAX_CHECK_TRACER_LEAKS": (
        PROBLEM,
        _OFF,
        "laws that count traces fail on false leaks, and runs take four times as long",
    ),
    "JAX_DEBUG_NANS": (PROBLEM, _OFF, "laws of filter_jit fail: NaN is one of the leaves"),
    "JAX_DEBUG_INFS": (PROBLEM, _OFF, "laws of filter_jit fail: infinity is one of the leaves"),
    "JAX_TRANSFER_GUARD": (
        PROBLEM,
        ("", "allow", "log", "log_explicit"),
        "every law that computes fails, and a run takes far too long",
    ),
    "NNX_GRAPH_MODE": (PROBLEM, _ON, "most laws of NNX fail: modules are trees without references"),
    "NNX_GRAPH_UPDATES": (
        PROBLEM,
        _ON,
        "laws of NNX transforms and Rngs fail: transforms do not change the modules that they get",
    ),
    "EQX_ON_ERROR": (
        PROBLEM,
        ("raise",),
        "laws of `error_if` fail: no error is raised, or a failure waits for a debugger",
    ),
    "JAX_ENABLE_CHECKS": (NOTE, _OFF, "laws hold, and runs take three times as long"),
    "JAX_LOG_COMPILES": (NOTE, _OFF, "laws hold; failures are buried in lines about compilations"),
    "PYTHONOPTIMIZE": (
        NOTE,
        _OFF,
        "laws hold; libraries lose their asserts, and with 2 the docstrings that laws read",
    ),
    "PYTHONDONTWRITEBYTECODE": (
        NOTE,
        ("",),
        "laws hold; each run compiles the suite to bytecode again",
    ),
}
_HARMLESS = {
    "JAX_COMPILATION_CACHE_DIR": (),
    "JAX_DEBUG_KEY_REUSE": (),
    "JAX_DEFAULT_DTYPE_BITS": (),
    "JAX_DEFAULT_PRNG_IMPL": (),
    "JAX_ENABLE_X64": (),
    "JAX_ENABLE_CUSTOM_PRNG": (),
    "JAX_NUMPY_RANK_PROMOTION": (),
    "JAX_NUM_CPU_DEVICES": (),
    "JAX_THREEFRY_PARTITIONABLE": (),
    "JAX_TRACEBACK_FILTERING": (),
    "FLAX_ALWAYS_SHARD_VARIABLE": (),
    "NNX_SOW_CAPTURE_NOOP": (),
}
# The check of the backend reports the effect of these.
_SEEN = ("JAX_PLATFORMS", "JAX_PLATFORM_NAME", "XLA_PYTHON_CLIENT_PREALLOCATE")
_PREFIXES = ("JAX_", "EQX_", "FLAX_", "NNX_", "XLA_", "JAXTYPING_", "OPTAX_", "CHEX_")


def check_environment() -> Iterator[Result]:
    """Check the variables of Python, JAX and the libraries."""
    found = [finding for name in sorted(os.environ) for finding in _variable(name)]
    if sys.flags.optimize and not os.environ.get("PYTHONOPTIMIZE"):
        found.append(note("python -O", _EFFECTS["PYTHONOPTIMIZE"][2]))
    yield from found
    if not found:
        yield ok("environment", "no variable that changes verdicts")


def _variable(name: str) -> Iterator[Result]:
    value = os.environ[name]
    shown = f"{name}={value}"
    if name in _EFFECTS:
        level, harmless, told = _EFFECTS[name]
        if value.lower() not in harmless:
            yield Result(level, shown, f"{told}; unset {name}")
    elif name in _HARMLESS and (not _HARMLESS[name] or value in _HARMLESS[name]):
        yield ok(shown, "laws hold with it")
    elif name.startswith(_PREFIXES) and name not in _SEEN:
        yield note(shown, "never tested with the suite; unset it if a law fails unexpectedly")
