"""Run a law with each fault of each function that it calls."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

from hypothesis_pytrees import Recipe
from treelaws.compat import jax_caches
from treelaws.core.examples.profiles import examples_of
from treelaws.core.law import Law
from treelaws.core.limits.time_limit import Expired, ends_the_run, limited
from treelaws.core.search import draw_cases
from treelaws.core.subject import Subject

from . import answers as answers, effects as effects
from .fault import FAULTS, Fault
from .injector import Injector
from .targets import NOTHING, BrokenCase, Target, called, libraries, patched

# Seconds after which a case with a fault counts as noticed: the law never ends.
_SECONDS = 20.0
# Levels of recursion that a law may need.
_LEVELS = 400
NOTICED, MISSED, WITHOUT_EFFECT, UNKNOWN = "noticed", "not noticed", "without effect", "unknown"


@dataclasses.dataclass(frozen=True)
class Cell:
    """What a law says of a fault of a function.

    Args:
        law: id of the law.
        subject: name of the subject.
        function: the function, with its library.
        fault: name of the fault.
        outcome: `NOTICED`, `MISSED`, `WITHOUT_EFFECT`, or `UNKNOWN`: the law does not hold if the
            function is merely wrapped.
    """

    law: str
    subject: str
    function: str
    fault: str
    outcome: str


def cells(
    law: Law,
    subject: Subject,
    count: int,
    wanted: Callable[[str, str], bool] = lambda function, fault: True,
    *,
    start: int | None = None,
) -> Iterator[Cell]:
    """Run a law with each fault of each function that it calls.

    Args:
        law: the law.
        subject: a subject that has what the law needs.
        count: most cases to draw; at most as many as a run of the profile `default`.
        wanted: takes a function and a fault and returns whether to try them; default all.
        start: seed of the draws; by default they are the same each time.
    """
    most = min(count, examples_of(law, subject, profile="default"))
    whole = _Bench(subject, NOTHING, Injector())
    drawn = draw_cases(law, subject, most, start=start)
    recipes = [recipe for recipe in drawn if not _breaks(law, recipe, whole, None)]
    for target in called(law, subject, recipes):
        faults = [one for one in FAULTS.values() if wanted(target.label, one.name)]
        if not faults:
            continue
        bench = _Bench(subject, target, Injector())
        good = [one for one in recipes if not _breaks(law, one, bench, None)]
        for fault in faults:
            outcome = _outcome(law, good, bench, fault) if good else UNKNOWN
            yield Cell(law.id, subject.name, target.label, fault.name, outcome)


class _Bench:
    """A library and a namespace in which one function can be broken."""

    def __init__(self, subject: Subject, target: Target, injector: Injector) -> None:
        self.target, self.injector = target, injector
        self.lib, self.namespace = libraries(subject, target, injector)


def _outcome(law: Law, recipes: Sequence[Recipe], bench: _Bench, fault: Fault) -> str:
    shown = False
    bench.injector.forget()
    for recipe in recipes:
        breaks = _breaks(law, recipe, bench, fault)
        if breaks and bench.injector.shown:
            return NOTICED
        shown |= bench.injector.shown
    return MISSED if shown else WITHOUT_EFFECT


def _breaks(law: Law, recipe: Recipe, bench: _Bench, fault: Fault | None) -> bool:
    jax_caches.forget_many()
    target, injector = bench.target, bench.injector
    try:
        with limited(_SECONDS):
            case = BrokenCase(recipe, bench.namespace, target, injector)
            with injector.injected(fault), patched(target, injector):
                law(bench.lib, case)
    except Expired:
        return True
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        # Raises RecursionError if the law failed for want of levels.
        _descend(_LEVELS)
        return True
    return False


def _descend(levels: int) -> None:
    if levels:
        _descend(levels - 1)


def by_function(found: Sequence[Cell]) -> Mapping[tuple[str, str], str]:
    """Return for each function and fault the best outcome of any law."""
    rank = (NOTICED, MISSED, WITHOUT_EFFECT, UNKNOWN)
    best: dict[tuple[str, str], str] = {}
    for cell in found:
        key = cell.function, cell.fault
        best[key] = min(best.get(key, UNKNOWN), cell.outcome, key=rank.index)
    return best
