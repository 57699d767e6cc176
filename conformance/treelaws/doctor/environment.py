"""Variables of the environment that change what the laws find.

What each does is what a run of 14 topics under it has shown: Python 3.12, JAX 0.12.0, Equinox
0.13.8, Flax 0.12.12 and Optax 0.2.8 on a CPU.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from .results import NOTE, PROBLEM, Result, note, ok

# Values that leave a switch where it is.
_OFF = ("", "0", "false", "off", "no", "n", "f")
# What laws find under each: the level, the values that are harmless, and what was seen.
_EFFECTS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "JAX_ENABLE_X64": (
        PROBLEM,
        _OFF,
        "laws of eqx.nn.BatchNorm break, whose statistics are then float64; others hold",
    ),
    "JAX_DISABLE_JIT": (PROBLEM, _OFF, "every law that counts traces breaks: nothing is compiled"),
    "JAX_NUMPY_DTYPE_PROMOTION": (
        PROBLEM,
        ("", "standard"),
        "laws of ravel_pytree, of hessians and of Optax mix dtypes, which is refused",
    ),
    "JAX_CHECK_TRACER_LEAKS": (
        PROBLEM,
        _OFF,
        "laws that count traces break on leaks that are none, and runs take four times as long",
    ),
    "JAX_DEBUG_NANS": (PROBLEM, _OFF, "laws of filter_jit break: NaN is one of the leaves"),
    "JAX_DEBUG_INFS": (PROBLEM, _OFF, "laws of filter_jit break: infinity is one of the leaves"),
    "JAX_TRANSFER_GUARD": (
        PROBLEM,
        ("", "allow", "log", "log_explicit"),
        "every law that computes breaks, and a run does not end in reasonable time",
    ),
    "JAX_ENABLE_CHECKS": (NOTE, _OFF, "laws hold, and runs take three times as long"),
    "JAX_LOG_COMPILES": (NOTE, _OFF, "laws hold; failures are buried in lines about compilations"),
    "PYTHONOPTIMIZE": (
        NOTE,
        _OFF,
        "laws hold; libraries lose their asserts, and with 2 the docstrings that laws ask",
    ),
    "PYTHONDONTWRITEBYTECODE": (NOTE, ("",), "laws hold; each start compiles the suite anew"),
}
_HARMLESS = {
    "EQX_ON_ERROR": ("raise", "nan", "off"),
    "JAX_COMPILATION_CACHE_DIR": (),
    "JAX_DEBUG_KEY_REUSE": (),
    "JAX_DEFAULT_DTYPE_BITS": (),
    "JAX_DEFAULT_PRNG_IMPL": (),
    "JAX_ENABLE_CUSTOM_PRNG": (),
    "JAX_NUMPY_RANK_PROMOTION": (),
    "JAX_NUM_CPU_DEVICES": (),
    "JAX_THREEFRY_PARTITIONABLE": (),
    "JAX_TRACEBACK_FILTERING": (),
    "FLAX_ALWAYS_SHARD_VARIABLE": (),
}
# What these do is seen where JAX starts.
_SEEN = ("JAX_PLATFORMS", "JAX_PLATFORM_NAME", "XLA_PYTHON_CLIENT_PREALLOCATE")
_PREFIXES = ("JAX_", "EQX_", "FLAX_", "XLA_", "JAXTYPING_", "OPTAX_", "CHEX_")


def check_environment() -> Iterator[Result]:
    """Look at the variables of Python, JAX and the libraries."""
    found = [finding for name in sorted(os.environ) for finding in _variable(name)]
    if sys.flags.optimize and not os.environ.get("PYTHONOPTIMIZE"):
        found.append(note("python -O", _EFFECTS["PYTHONOPTIMIZE"][2]))
    yield from found
    if not found:
        yield ok("environment", "no variable that changes what laws find")


def _variable(name: str) -> Iterator[Result]:
    value = os.environ[name]
    shown = f"{name}={value}"
    if name in _EFFECTS:
        level, harmless, told = _EFFECTS[name]
        if value.lower() not in harmless:
            yield Result(level, shown, f"{told}; unset {name}")
    elif name == "EQX_ON_ERROR" and value == "breakpoint":
        told = "laws of compiled functions break, and a failing one waits for a debugger"
        yield Result(PROBLEM, shown, f"{told}; unset {name}")
    elif name in _HARMLESS and (not _HARMLESS[name] or value in _HARMLESS[name]):
        yield ok(shown, "laws hold with it")
    elif name.startswith(_PREFIXES) and name not in _SEEN:
        yield note(shown, "not tried with the suite; unset it where a law breaks unexpectedly")
