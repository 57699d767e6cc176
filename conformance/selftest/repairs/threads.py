"""A JAX whose compiled functions are called by one thread at a time, also in new processes."""

from __future__ import annotations

from typing import Any

from selftest.repair import fault, repaired

_LAW = "jax.threads.one_function_takes_the_nodes_of_threads"
_LOCKED = """\
import threading
import jax

_lock, _jit = threading.RLock(), jax.jit


def _locked(*given, **options):
    compiled, answers = _jit(*given, **options), []

    def call(*args, **kwargs):
        with _lock:
            answers.append(compiled(*args, **kwargs))
            return answers[$answer]

    return call


jax.jit = _locked
"""


@repaired("jax", laws=_LAW)
def calls_of_threads_wait_for_each_other(jax: Any) -> dict[str, Any]:
    """A lock is held while a compiled function is looked for and called."""
    return {"in_new_processes": _LOCKED.replace("$answer", "-1")}


@fault("jax", kills=[_LAW])
def threads_get_the_first_answer(jax: Any) -> dict[str, Any]:
    """Each thread gets what the first one got."""
    return {"in_new_processes": _LOCKED.replace("$answer", "0")}
