"""A process that times cases when it is told to; it speaks lines of JSON.

    python -m pytree_timing.worker

Asked `{"prepare": CASE}` it answers `{"problem": TEXT, "figures": {...}}`, asked
`{"rounds": CASE, "count": N}` it answers `{"seconds": [...]}`, and asked `{"versions": true}` it
answers which releases it has.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from . import recorded
from .figures import figures
from .operation import CLOCKS, Case
from .rounds import Rounds, rounds_of, without_gc


class Worker:
    """Keeps the calls that were prepared."""

    def __init__(self) -> None:
        self._prepared: dict[str, Rounds] = {}

    def answer(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what is asked."""
        if "prepare" in asked:
            return self._prepare(asked["prepare"])
        if "rounds" in asked:
            return self._rounds(asked["rounds"], asked["count"])
        return {"versions": recorded.versions()}

    def _prepare(self, name: str) -> Mapping[str, Any]:
        case = Case.named(name)
        if case is None:
            return {"problem": "no such case: a library that it needs is not installed"}
        if case.missing:
            return {"problem": f"the installed release has no {case.missing}"}
        try:
            call = case.prepare()
            found = _figures(case, call)
            self._prepared[name] = rounds_of(call, CLOCKS[case.operation.clock])
        except Exception as raised:
            # What a release refuses with is its own affair; it is told, and the others go on.
            return {"problem": f"{type(raised).__name__}: {raised}".partition("\n")[0]}
        return {"problem": "", "figures": found}

    def _rounds(self, name: str, count: int) -> Mapping[str, Any]:
        own = self._prepared[name]
        own.seconds.clear()
        with without_gc():
            for _ in range(count):
                own.once()
        return {"seconds": own.seconds, "repeats": own.repeats}


def _figures(case: Case, call: Callable[[], Any]) -> dict[str, Any] | None:
    if case.size > 100:
        call()
        return None
    return dataclasses.asdict(figures(call, steady=case.operation.steady))


def main() -> None:
    """Answer until there is nothing more to read."""
    # What a library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), file=answers)


if __name__ == "__main__":
    main()
