"""Equinox: what a function holds besides its arguments, and arguments that only have a shape."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from treelaws.equality import equal, same, true

from ._captured import holders, shaped
from ._functions import arrays_of, doubled
from .trace import jaxpr_of_shapes_is_the_jaxpr_of_arrays, law
from .trace_closure import (
    converted_closure_equals_the_closure,
    converted_closure_holds_what_it_closes_over,
)

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."


@law(
    "wherever a function holds traced values, they are leaves of the closure-converted function",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    level="should",
    case=holders(),
    parents=[converted_closure_holds_what_it_closes_over],
)
def converted_function_holds_what_the_function_holds(lib, case):
    def fact(closed):
        values = arrays_of(doubled(closed))
        converted = lib.filter_closure_convert(case.hold(values), case.tree)
        held = [id(leaf) for leaf in jtu.tree_leaves(converted)]
        true(all(id(value) in held for value in values), converted, "the values that it holds")

    jax.eval_shape(fact, case.closed)


@law(
    "wherever a function holds arrays, the closure-converted function returns what it returns",
    source=f"{_DOCS}filter_closure_convert",
    needs={"filter_closure_convert"},
    case=holders(),
    parents=[converted_closure_equals_the_closure],
)
def converted_function_equals_the_function(lib, case):
    function = case.hold(arrays_of(case.closed))
    same(lib.filter_closure_convert(function, case.tree)(case.tree), function(case.tree))


@law(
    # Quote: "The example arguments to be traced may be anything with `.shape` and `.dtype` fields".
    "`filter_make_jaxpr` traces any argument that has a shape and a dtype",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=shaped(),
    parents=[jaxpr_of_shapes_is_the_jaxpr_of_arrays],
)
def jaxpr_of_anything_with_a_shape(lib, case):
    make = lib.filter_make_jaxpr(doubled)
    jaxpr, shapes, rest = make(case.struct)
    got = make(case.tree)
    equal(str(got[0]), str(jaxpr))
    same(got[1:], (shapes, rest))
