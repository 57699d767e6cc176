"""Counts the calls of public functions by laws and recipes, or by other files, and arguments."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

from .arguments import Arguments
from .callees import LAWS, Callee, callees, is_called_by
from .inventory import Public

# By name of a function and parameter, "" for the call itself: how often each kind was passed.
Calls = dict[str, dict[str, Counter[str]]]
CALL = ""
# The release of Python that can report the calls of chosen functions.
EVENTS_SINCE = (3, 12)


class Recorder:
    """Counts while it is active; Python 3.12 and later do it at almost no cost.

    Args:
        listed: the public functions.
        files: the beginnings of the names of the files whose calls count; default those of laws
            and recipes.
    """

    def __init__(self, listed: Iterable[Public], files: tuple[str, ...] = LAWS) -> None:
        self.calls: Calls = {}
        self._files = files
        self._callees: Mapping[CodeType, list[Callee]] = callees(listed)
        self._arguments: dict[str, Arguments] = {}

    def counts(self) -> Calls:
        """Return what was counted."""
        return self.calls

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Count in the body of a `with` block, in all threads."""
        with self._monitored() if sys.version_info >= EVENTS_SINCE else self._profiled():
            yield

    @contextlib.contextmanager
    def _monitored(self) -> Iterator[None]:
        monitoring: Any = vars(sys)["monitoring"]
        free = (one for one in range(6) if monitoring.get_tool(one) is None)
        tool = next(free, None)
        if tool is None:
            raise RuntimeError("all six tools of sys.monitoring are taken")
        monitoring.use_tool_id(tool, "treelaws")
        begun = monitoring.events.PY_START

        def note(code: CodeType, _: int) -> None:
            self._note(code, sys._getframe(1))

        monitoring.register_callback(tool, begun, note)
        for code in self._callees:
            monitoring.set_local_events(tool, code, begun)
        try:
            yield
        finally:
            for code in self._callees:
                monitoring.set_local_events(tool, code, 0)
            monitoring.register_callback(tool, begun, None)
            monitoring.free_tool_id(tool)

    @contextlib.contextmanager
    def _profiled(self) -> Iterator[None]:
        before = sys.getprofile()

        def profile(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and frame.f_code in self._callees:
                self._note(frame.f_code, frame)

        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(before)

    def _note(self, code: CodeType, frame: FrameType) -> None:
        for callee in self._callees.get(code, ()):
            if not callee.is_run_by(frame):
                continue
            if is_called_by(self._files, frame, callee):
                self._count(callee, frame)
            return

    def _count(self, callee: Callee, frame: FrameType) -> None:
        public = callee.public
        if public.name not in self._arguments:
            self._arguments[public.name] = Arguments(
                public.value, callee.code, bound=public.owner is not None
            )
        counts = self.calls.setdefault(public.name, {})
        counts.setdefault(CALL, Counter())["calls"] += 1
        for parameter, kind in self._arguments[public.name].kinds(frame.f_locals).items():
            counts.setdefault(parameter, Counter())[kind] += 1


def joined(parts: Iterable[Mapping[str, Mapping[str, Mapping[str, int]]]]) -> Calls:
    """Return the counts of several processes as one."""
    whole: Calls = {}
    for part in parts:
        for name, found in part.items():
            counts = whole.setdefault(name, {})
            for parameter, kinds in found.items():
                counts.setdefault(parameter, Counter()).update(kinds)
    return whole
