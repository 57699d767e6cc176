"""An Equinox that counts the calls of `assert_max_traces` under a lock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from selftest.repair import fault, repaired

_LAW = "equinox.threads.traces_are_counted_in_threads"


def _counting(key: Callable[[], Any]) -> dict[str, Any]:
    """Return replacements that count a call for what `key` returns in its thread."""
    lock = threading.Lock()
    counts: dict[int, dict[Any, int]] = {}

    def assert_max_traces(fn: Callable[..., Any], *, max_traces: int | None) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            with lock:
                found[key()] = found.get(key(), 0) + 1
            return fn(*args, **kwargs)

        found: dict[Any, int] = {}
        counts[id(counted)] = found
        return counted

    def get_num_traces(fn: Any) -> int:
        return max(counts[id(fn)].values(), default=0)

    return {"debug.assert_max_traces": assert_max_traces, "debug.get_num_traces": get_num_traces}


@repaired("equinox", laws=_LAW)
def traces_are_counted_under_a_lock(equinox: Any) -> dict[str, Any]:
    """Each call is counted under a lock, and `max_traces` is not looked at."""
    return _counting(lambda: None)


@fault("equinox", kills=[_LAW])
def each_thread_has_a_count(equinox: Any) -> dict[str, Any]:
    """A call is counted for its thread alone."""
    return _counting(threading.get_ident)
