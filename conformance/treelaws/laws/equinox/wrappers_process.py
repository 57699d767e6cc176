"""Equinox: what a transformation changes in the process while it runs a function."""

from __future__ import annotations

import os
import sys
import threading
import warnings

from hypothesis_pytrees.equinox.calls import calls
from treelaws.equality import equal

from .wrappers import law
from .wrappers_calls import each_way_makes_the_call


@law(
    "a function finds the standard streams, hooks, warning filters and environment of its caller "
    "in each transformation that donates no arrays, in each context and in a thread",
    # With `donate="all"`, `filter_jit` filters warnings about donated buffers, as documented.
    source="https://github.com/patrick-kidger/equinox/issues/827",
    level="should",
    needs={"filter_jit", "filter_vmap", "filter_checkpoint", "filter_grad"},
    case=calls(),
    parents=[each_way_makes_the_call],
)
def functions_run_in_the_process_of_their_caller(lib, case):
    seen, before = [], _process()
    noting = lambda *args, **named: (seen.append(_process()), case.function(*args, **named))[1]
    case.run(noting, case.args, case.named)
    equal([*seen, _process()], [before] * (len(seen) + 1))


def _process():
    """Return what a program can change for the whole process, by name."""
    return {
        "streams": [id(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "hooks": [id(hook) for hook in (sys.excepthook, sys.displayhook, threading.excepthook)],
        "filters": list(warnings.filters),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "limit": sys.getrecursionlimit(),
    }
