"""On a machine that has too much to do, a time limit counts what the code takes, not the clock."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator

import pytest

from treelaws.core.limits import processor
from treelaws.core.limits.time_limit import Expired, limited

_LIMIT = 0.3
_OTHERS = 3


def _loop() -> None:
    while True:
        pass


@pytest.fixture
def crowded() -> Iterator[None]:
    """Let this thread share one processor with processes that always have something to do."""
    if processor.own_wait() == 0.0 or not hasattr(os, "sched_setaffinity"):
        pytest.skip("the system does not say how long a thread has waited")
    before = os.sched_getaffinity(0)
    # Processes that are started later run there, too.
    os.sched_setaffinity(0, {min(before)})
    context = multiprocessing.get_context("fork")
    others = [context.Process(target=_loop, daemon=True) for _ in range(_OTHERS)]
    for one in others:
        one.start()
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        for one in others:
            one.kill()
            one.join()


# Processes that compute nothing may be copies of one with threads.
_copies = pytest.mark.filterwarnings("ignore:.*fork")


@_copies
@pytest.mark.usefixtures("crowded")
def test_time_without_a_processor_does_not_count() -> None:
    begun, used = time.monotonic(), time.thread_time()
    with pytest.raises(Expired, match=r"did not end within 0.3 s at "), limited(_LIMIT):
        _loop()
    used = time.thread_time() - used
    assert used >= 0.8 * _LIMIT
    assert time.monotonic() - begun > 1.5 * used


@_copies
@pytest.mark.usefixtures("crowded")
def test_code_that_waits_for_something_else_is_stopped_soon() -> None:
    begun = time.monotonic()
    with pytest.raises(Expired, match=r"did not end within 0.3 s at "), limited(_LIMIT):
        time.sleep(60)
    assert time.monotonic() - begun < 10 * _LIMIT


def test_code_that_never_gets_a_processor_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = time.monotonic()
    monkeypatch.setattr(processor, "longest_wait", lambda _: time.monotonic() - begun)
    with pytest.raises(Expired, match=r"did not end within 0.05 s at "), limited(0.05):
        time.sleep(60)
    assert 0.5 < time.monotonic() - begun < 30


def test_looks_that_take_longer_than_the_limit_stop_the_code() -> None:
    done = threading.Event()
    for _ in range(60):
        threading.Thread(target=done.wait, daemon=True).start()
    try:
        with pytest.raises(Expired), limited(1e-4):
            _loop()
    finally:
        done.set()
