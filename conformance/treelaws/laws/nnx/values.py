"""Flax NNX: the value of a Variable, read and written whole and by items."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.nnx.variables import OWN_TYPES, VARIABLE_TYPES, values, variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._model import described, same_graph, same_rows

law = Topic("nnx.values", "Flax NNX: values of Variables", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/variables.html#flax.nnx."
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py"
_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html"
_NEW = cases(variable=variables(values()), value=values())
# Values with an axis of length two.
_NAMES = ("leaf:float32", "leaf:int32", "leaf:bfloat16")
_TWO = pool(tuple(kind for kind in JAX_ARRAYS if set(_NAMES) & set(kind.features)))


@st.composite
def _items(draw: st.DrawFn) -> Recipe:
    """Draw `variable`, whose value has an axis of length two, an `index`, and a new `value`."""
    scope = Scope()
    scope.bind("variable", draw(variables(_TWO)))
    scope.bind("index", draw(st.sampled_from(("...", "0", "-1", "slice(0, 1)", "slice(None)"))))
    scope.bind("value", draw(st.sampled_from(("7", "jax.device_put(np.int32(7))"))))
    return scope.recipe()


@st.composite
def _two(draw: st.DrawFn) -> Recipe:
    """Draw `one` and `other`, two Variables that mostly have the same type."""
    kinds = (draw(st.sampled_from(VARIABLE_TYPES) | st.sampled_from(OWN_TYPES)),)
    scope = Scope()
    scope.bind("one", draw(variables(values(), types=kinds)))
    alike = draw(st.sampled_from((True, True, False)))
    scope.bind("other", draw(variables(values(), types=kinds if alike else None)))
    return scope.recipe()


@st.composite
def _names_and_types(draw: st.DrawFn) -> Recipe:
    """Draw the `name` of a collection and a `type` of Variables."""
    known = ("params", "batch_stats", "cache", "intermediates", "nnx_own_collection")
    types = ("nnx.Param", "nnx.BatchStat", "nnx.Cache", "nnx.Intermediate", "NnxRegistered")
    scope = Scope()
    scope.define("class NnxRegistered(nnx.Variable):\n    pass\n")
    scope.bind("name", repr(draw(st.sampled_from(known))))
    scope.bind("type", draw(st.sampled_from(types)))
    return scope.recipe()


@law(
    "reading a Variable returns the value that was set",
    source=f"{_BASICS}#stateful-computation",
    needs={"Variable"},
    case=_NEW,
    weight=2,
)
def what_was_set_is_what_one_gets(lib, case):
    metadata = nnx_api.metadata(case.variable)
    nnx_api.set_value(case.variable, case.value)
    same_graph(nnx_api.value(case.variable), case.value)
    same_graph(nnx_api.metadata(case.variable), metadata)


@law(
    "`copy_from` copies value and metadata from a Variable of the same type or raises ValueError",
    source=f"{_CODE}#L1595-L1604",
    level="should",
    needs={"Variable"},
    case=_two(),
)
def copy_from_takes_value_and_metadata(lib, case):
    before = described(case.other)
    if type(case.one) is type(case.other):
        case.one.copy_from(case.other)
        same_rows(described(case.one), before)
        nnx_api.set_metadata(case.one, written="to the one")
    else:
        refuses(ValueError, lambda: case.one.copy_from(case.other))
    same_rows(described(case.other), before)


@law(
    "`variable[index]` equals the value at that index",
    source=f"{_BASICS}#stateful-computation",
    needs={"Variable"},
    case=_items(),
)
def an_item_is_that_of_the_value(lib, case):
    same(case.variable[case.index], nnx_api.value(case.variable)[case.index])


@law(
    "`variable[index] = item` sets the items of the value at that index and no others",
    source=f"{_BASICS}#stateful-computation",
    needs={"Variable.set_value"},
    case=_items(),
)
def an_item_is_set(lib, case):
    before = nnx_api.value(case.variable)
    case.variable[case.index] = case.value
    same(nnx_api.value(case.variable), before.at[case.index].set(case.value))


@law(
    "length, items, `in` and attributes of a Variable are those of its value",
    source="https://github.com/google/flax/pull/4049",
    level="should",
    needs={"Variable"},
    case=_items(),
)
def a_variable_looks_like_its_value(lib, case):
    variable, value = case.variable, nnx_api.value(case.variable)
    same(len(variable), len(value))
    same(list(variable), list(value))
    same(value[0] in variable, value[0] in value)
    for name in ("shape", "dtype", "ndim", "size", "T", "real"):
        same(getattr(variable, name), getattr(value, name))
    true(hasattr(variable, "no_such_attribute") is False, variable, "no such attribute")


@law(
    "`variable_type_from_name` and `variable_name_from_type` are inverses",
    source=f"{_DOCS}variable_name_from_type",
    needs={"variable_names_are_registered"},
    case=_names_and_types(),
)
def names_and_types_of_variables_correspond(lib, case):
    type_of, name_of = lib.variable_type_from_name, lib.variable_name_from_type
    found = type_of(case.name, allow_register=True)
    true(issubclass(found, lib.Variable), found, "a type of Variables")
    equal(name_of(found, allow_register=True), case.name)
    true(type_of(name_of(case.type, allow_register=True)) is case.type, case.type, "that type")
