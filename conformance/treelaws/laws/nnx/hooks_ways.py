"""Flax NNX: several hooks of a Variable, in their order, however they are given."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, same, true

from ._hooked import JOURNEYS, MAKE, METHODS, OF_METHODS, WAYS
from .hooks import law

_NAMES = "https://github.com/google/flax/pull/5397"
# Steps `value * factor + term`, which neither round nor commute.
_STEPS = ((2.0, 1.0), (-1.0, 3.0), (0.5, 0.0), (1.0, -2.0))
_VALUES = ("jnp.array([1.0, -4.0])", "jnp.float32(3.0)", "jnp.array([[2.0], [0.5]])", "jnp.ones(1)")


@st.composite
def _hooks(draw: st.DrawFn) -> Recipe:
    """Draw `variable`, and `hooks`, its hooks by name in the order in which they are given.

    A hook on values is `(factor, term)`, one on axes a label. Names: also `value`, which the
    Variable is made of, `other`, another value, and `journey`, which gives an equal Variable.
    """
    scope = Scope()
    way = draw(st.sampled_from(tuple(WAYS)))
    scope.note(f"way:{way}")
    most = 1 if "one" in way else 3
    given = {
        name: draw(st.lists(st.sampled_from("abc" if "axis" in name else _STEPS), max_size=most))
        for name in OF_METHODS
    }
    scope.define(MAKE)
    if "method" in way:
        scope.define(METHODS)
        given["create_value"] = OF_METHODS["create_value"]
    scope.bind("hooks", repr(OF_METHODS if way == "method" else given))
    scope.bind("value", draw(st.sampled_from(_VALUES)))
    scope.bind("other", draw(st.sampled_from(_VALUES)))
    scope.bind("variable", f"nnx_hooked(lambda given, held: {WAYS[way]}, value, hooks)")
    scope.bind("journey", draw(st.sampled_from(JOURNEYS)))
    return scope.recipe()


@law(
    "the hooks of a Variable run in their order when it is made, read and written, given as "
    "arguments, as methods, in a VariableMetadata or to `with_metadata`",
    source=_NAMES,
    level="should",
    needs={"with_metadata_takes_hooks"},
    case=_hooks(),
)
def hooks_run_in_their_order(lib, case):
    variable = case.journey(case.variable)
    wanted = _after(case.hooks["create_value"], case.value)
    same(np.asarray(variable.get_raw_value()), wanted)
    for got in (variable.get_value(), variable[...]):
        same(np.asarray(got), _after(case.hooks["get_value"], wanted))
    variable[...] = case.value
    same(np.asarray(variable.get_raw_value()), _after(case.hooks["set_value"], case.value))
    variable.set_value(case.other)
    same(np.asarray(variable.get_raw_value()), _after(case.hooks["set_value"], case.other))


@law(
    "`add_axis` and `remove_axis` tell each hook on axes of the index and the name, in order, and "
    "change no value",
    source=_NAMES,
    level="should",
    needs={"with_metadata_takes_hooks"},
    case=_hooks(),
)
def hooks_of_axes_are_told_in_their_order(lib, case):
    variable = case.journey(case.variable)
    before = variable.get_raw_value()
    wanted = []
    for name, index, axis in (("add_axis", 1, "rows"), ("remove_axis", 0, None)):
        getattr(variable, name)(index, axis)
        wanted += [(label, name, index, axis) for label in case.hooks[name]]
        equal(list(variable.get_metadata("told", ())), wanted)
    same(variable.get_raw_value(), before, identical=True)


@law(
    "a Variable or an initializer that is given hooks warns that they are deprecated; without "
    "hooks none warns",
    source="https://github.com/google/flax/pull/5415",
    level="should",
    needs={"hooks_are_deprecated"},
    case=_hooks(),
)
def giving_hooks_warns(lib, case):
    for name, hooks in case.hooks.items():
        named = {f"on_{name}": tuple(lambda _, value, *rest: value for _ in hooks)}
        for make in (lib.with_metadata, lib.Param):
            true(_warns(make, lambda: case.value, named) is bool(hooks), named, "a warning if any")


def _after(steps, value):
    """Return the value after all steps."""
    value = np.asarray(value)
    for factor, term in steps:
        value = np.asarray(value * np.float32(factor) + np.float32(term))
    return value


def _warns(make, value, hooks):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        make(value, **hooks)
    return any("hooks are deprecated" in str(one.message) for one in found)
