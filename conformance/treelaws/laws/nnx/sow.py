"""Flax NNX: `Module.sow` and `pop`, which store values of a module and take them out."""

from __future__ import annotations

import functools

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.sowing import sowings
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

from ._model import same_graph

law = Topic("nnx.sow", "Flax NNX: sow and pop", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/module.html"
_SOW = f"{_API}#flax.nnx.Module.sow"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/module.py"
_POP = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.pop"


@st.composite
def _beside_others(draw: st.DrawFn) -> Recipe:
    """Draw a module, and an `other` value that is not an Intermediate."""
    scope = Scope()
    scope.include(draw(sowings()))
    scope.bind("other", draw(st.sampled_from(("'text'", "1.0", "nnx.Param(1.0)"))))
    return scope.recipe()


@law(
    "`sow` combines the values of a name in order by `reduce_fn`, from `init_fn()`; by default it "
    "appends them to a tuple",
    source=_SOW,
    needs={"Module.sow"},
    case=sowings(),
)
def sow_combines_the_values_of_a_name(lib, case):
    for name, value in case.pairs:
        case.module.sown(name, value, **case.options)
    same(_held(case.module, case), _wanted(case))


@law(
    "`sow` returns True if it stores the value",
    source=_CODE,
    level="observed",
    needs={"Module.sow"},
    case=sowings(),
)
def sow_says_that_it_stores(lib, case):
    answers = [case.module.sown(name, value, **case.options) for name, value in case.pairs]
    equal(answers, [True] * len(case.pairs))


@law(
    "`pop` returns what was sown and removes it, so that the module is as before",
    source=_POP,
    needs={"Module.sow", "pop"},
    case=sowings(),
)
def pop_takes_what_was_sown(lib, case):
    for _ in range(2):
        for name, value in case.pairs:
            case.module.sown(name, value, **case.options)
        popped = nnx_api.pure(lib, lib.pop(case.module, lib.Intermediate))
        same({name: popped[name] for name in sorted(popped)}, _wanted(case))
        same_graph(case.module, case.rebuild().module)


@law(
    "`sow` raises ValueError if an attribute of that name holds something else",
    source=_CODE,
    level="observed",
    needs={"Module.sow"},
    case=_beside_others(),
)
def sow_refuses_other_attributes(lib, case):
    case.module.taken = case.other
    refuses(ValueError, lambda: case.module.sown("taken", 1.0))


@law(
    "`sow` with `capture_noop=True` does nothing outside of `capture`",
    source=_SOW,
    needs={"sow_may_do_nothing"},
    case=sowings(),
)
def sow_does_nothing_without_capture(lib, case):
    for name, value in case.pairs:
        case.module.sown(name, value, capture_noop=True, **case.options)
    same_graph(case.module, case.rebuild().module)


@law(
    "`sow` with `capture_noop=True` stores values within `capture` as it does without",
    source=_SOW,
    needs={"sow_may_do_nothing", "capture"},
    case=sowings(),
    parents=[sow_combines_the_values_of_a_name],
)
def captured_values_do_not_depend_on_it(lib, case):
    for noop in (True, False):
        options = {**case.options, "capture_noop": noop}
        run = lambda module: [module.sown(*pair, **options) for pair in case.pairs]  # noqa: B023
        _, state = lib.capture(run, lib.Intermediate)(case.module)
        held = nnx_api.pure(lib, state)
        same({name: held[name] for name in sorted(held)}, _wanted(case))


def _names(case):
    return sorted({name for name, _ in case.pairs})


def _held(module, case):
    return {name: nnx_api.value(getattr(module, name)) for name in _names(case)}


def _wanted(case):
    """Return the value of each name as the documentation of `sow` says."""
    values = {name: [value for one, value in case.pairs if one == name] for name in _names(case)}
    return {name: functools.reduce(case.combine, held, case.first) for name, held in values.items()}
