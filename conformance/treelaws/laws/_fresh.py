"""Runs text in an interpreter of its own, which a bug may end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any

# Far longer than a text takes on a busy machine: one that has not ended hangs.
_SECONDS = 120
# Prints what 16 threads get; a thread may go on after a microsecond, not after 5 ms as by default.
_IN_THREADS = """

import json
import sys
import threading

sys.setswitchinterval(1e-6)
rounds = []
for _ in range(12):
    calls = thread_node_calls(jax.jit)
    start, found = threading.Barrier(len(calls)), [None] * len(calls)

    def run(place, call):
        start.wait()
        found[place] = [float(call()), float(call())]

    threads = [threading.Thread(target=run, args=one) for one in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rounds.append(found)
print(json.dumps(rounds))
"""


def in_threads(lib: Any, text: str) -> Any:
    """Return, for each round, what threads got from two calls each, or how the process ended.

    Args:
        lib: JAX; the text in its `in_new_processes`, which the real one does not have, runs first.
        text: defines `thread_node_calls`, which takes `jit` and returns a call for each thread.
    """
    return answer(getattr(lib, "in_new_processes", "") + text + _IN_THREADS)


def answer(text: str) -> Any:
    """Return what a text printed last, as JSON, or how its process ended.

    Args:
        text: what a new interpreter runs.
    """
    words = [sys.executable, "-c", text]
    try:
        run = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return f"not ended after {_SECONDS} s"
    if run.returncode < 0:
        return f"killed by {signal.Signals(-run.returncode).name}"
    if run.returncode:
        return (run.stderr.strip().splitlines() or ["no error is printed"])[-1]
    return json.loads(run.stdout.splitlines()[-1])
