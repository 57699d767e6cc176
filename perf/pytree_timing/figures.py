"""Figures without noise: what a call does, counted."""

from __future__ import annotations

import array
import collections
import dataclasses
import gc
import itertools
import statistics
import sys
from types import FrameType

import jax.monitoring

from .operation import Call
from .trees import FLATTENS, UNFLATTENS

_STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "traces",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowerings",
    "/jax/core/compile/backend_compile_duration": "compilations",
}
# What the first calls leave, such as entries of caches, grows ever less; what each keeps does not.
_CALLS, _TRIALS = 20, 20
# A longer call is not repeated so often.
_MOST_EVENTS = 10_000
_happened: collections.Counter[str] = collections.Counter()


def _note(event: str, duration_secs: float, **kwargs: str | int) -> None:
    if event in _STAGES:
        _happened[_STAGES[event]] += 1


jax.monitoring.register_event_duration_secs_listener(_note)


@dataclasses.dataclass(frozen=True)
class Figures:
    """What one call does after the first few.

    Args:
        events: calls of functions, of Python and of C, that the interpreter reports.
        flattens: calls of the flatten functions of nodes that are written by hand.
        unflattens: calls of their unflatten functions.
        traces: functions that JAX traces.
        lowerings: programs that JAX lowers.
        compilations: programs that XLA compiles.
        blocks: blocks of memory that are still there afterwards; `None` where that was not counted,
            for a call that compiles or has more than 10,000 events.
    """

    events: int
    flattens: int
    unflattens: int
    traces: int
    lowerings: int
    compilations: int
    blocks: int | None


def figures(call: Call, *, steady: bool) -> Figures:
    """Count what a call does.

    Args:
        call: it is called twice to warm up, once to count, and twenty times or more to see
            what it keeps.
        steady: whether a repeated call finds everything traced and compiled. What a call that
            compiles keeps is JAX's to drop when it likes.
    """
    call()
    call()
    before = _happened.copy()
    events, flattens, unflattens = _events(call)
    stages = _happened - before
    counts = {name: stages[name] for name in _STAGES.values()}
    counted = steady and events <= _MOST_EVENTS
    kept = _kept(call) if counted else None
    return Figures(events, flattens, unflattens, **counts, blocks=kept)


def _kept(call: Call) -> int:
    """Count the blocks that each call keeps, however often it is called."""
    least = _blocks(call)
    for _ in range(_TRIALS):
        if not least:
            break
        least = min(least, _blocks(call))
    return least


def _events(call: Call) -> tuple[int, int, int]:
    count = flattens = unflattens = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count, flattens, unflattens
        if event == "call":
            count += 1
            flattens += frame.f_code in FLATTENS
            unflattens += frame.f_code in UNFLATTENS
        elif event == "c_call":
            count += 1

    earlier = sys.getprofile()
    collecting = gc.isenabled()
    # A collection would run the finalisers of what other calls have left.
    gc.disable()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(earlier)
        if collecting:
            gc.enable()
    # Switching back is a call of its own.
    return count - 1, flattens, unflattens


def _blocks(call: Call) -> int:
    # What is there by now is left out of later collections, which makes them short.
    gc.collect()
    gc.freeze()
    # An array, since a list would keep a number of each call.
    counts = array.array("q", bytes(8 * (_CALLS + 1)))
    counts[0] = sys.getallocatedblocks()
    for index in range(_CALLS):
        call()
        gc.collect()
        counts[index + 1] = sys.getallocatedblocks()
    # What something else frees meanwhile falls upon few of the calls, and hides nothing that most
    # keep; what a few calls keep shows in their sum. A quarter of a block a call is none.
    usual = statistics.median_low(after - before for before, after in itertools.pairwise(counts))
    return max(0, usual, (counts[-1] - counts[0] + _CALLS // 4) // _CALLS)
