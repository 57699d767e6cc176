"""Equinox: a call of a function gives one result, in whatever way it is made."""

from __future__ import annotations

from hypothesis_pytrees.equinox.calls import calls
from hypothesis_pytrees.equinox.wrapped_copies import wrapped_copies
from treelaws.equality import refuses, same

from .wrappers import law

# Quote: "A wrapped version of `fn`", which is a Module, and Modules are trees.
_WRAPPED = (
    "https://docs.kidger.site/equinox/api/module/advanced_fields/#equinox.module_update_wrapper"
)
_DOCS = "https://docs.kidger.site/equinox/api/transformations/"
_NAMES = ("filter_jit", "filter_vmap", "filter_checkpoint", "filter_grad", "filter_closure_convert")


@law(
    "a function of any form gives the same result in each transformation, context and thread as "
    "outside, each time it is called",
    source=_DOCS,
    needs={*_NAMES},
    case=calls(),
)
def each_way_makes_the_call(lib, case):
    wanted = case.function(*case.args, **case.named)
    for _ in range(2):
        same(case.run(case.function, case.args, case.named), wanted)


@law(
    "an error of a function comes out of each transformation, context and thread, and the next "
    "call is right",
    source=_DOCS,
    level="should",
    needs={*_NAMES},
    case=calls(),
    parents=[each_way_makes_the_call],
)
def each_way_lets_an_error_out(lib, case):
    failing = lambda *args, **named: (case.function(*args, **named), 1 // 0)
    wanted = case.function(*case.args, **case.named)
    refuses(ZeroDivisionError, lambda: case.run(failing, case.args, case.named))
    same(case.run(case.function, case.args, case.named), wanted)


@law(
    "a copy of a function that Equinox has wrapped, deep or not, mapped, combined or out of "
    "`filter_jit`, gives the same result",
    source=_WRAPPED,
    level="observed",
    needs={*_NAMES, "Partial", "debug.assert_max_traces"},
    case=wrapped_copies(),
)
def copies_of_wrapped_functions_do_the_same(lib, case):
    wanted = case.wrapped(case.x)
    for _ in range(2):
        same(case.copied(case.x), wanted)
