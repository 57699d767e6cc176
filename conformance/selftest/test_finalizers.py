"""Finalizers of a user's objects run in the middle of anything, also of the suite's own work."""

from __future__ import annotations

import ast
import gc
import itertools
import sys
import time
from typing import Any

import pytest

from treelaws.compat.parsing import parse
from treelaws.core.limits.time_limit import Expired, limited


class _RaisesAtTheEnd:
    def __del__(self) -> None:
        raise ValueError


def _never_ends() -> None:
    with limited(0.05):
        _RaisesAtTheEnd()
        for _ in itertools.count():
            pass


def test_a_time_limit_does_not_stop_the_report_of_a_finalizer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[Any] = []

    def hook(unraisable: Any) -> None:
        time.sleep(0.3)
        reported.append(unraisable.exc_type)

    monkeypatch.setattr(sys, "unraisablehook", hook)
    with pytest.raises(Expired):
        _never_ends()
    assert reported == [ValueError]


def test_text_is_parsed_while_the_garbage_collector_parses() -> None:
    def collect(phase: str, _: Any) -> None:
        if phase == "stop":
            ast.parse("def function(x):\n    return [x, (x, [x])]")

    text = "\n".join(f"def f{i}(a, b=[1, (2, 3)]):\n    return [a, [b]]" for i in range(2000))
    gc.callbacks.append(collect)
    try:
        assert all(len(parse(text).body) == 2000 for _ in range(5))
    finally:
        gc.callbacks.remove(collect)
    assert gc.isenabled()
