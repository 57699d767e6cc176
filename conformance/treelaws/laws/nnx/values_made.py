"""Flax NNX: Variables made of the value and metadata of others."""

from __future__ import annotations

import warnings

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import INEXACT_ARRAYS, pool
from hypothesis_pytrees.nnx.variables import metadata, values, variables
from treelaws.equality import equal, refuses, same, true

from ._model import described, same_graph, same_rows
from .values import law

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/variables.html#flax.nnx."
# No document speaks of `from_metadata` and `update_from_state`: their laws are `observed`.
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py"
_NEEDS = {"Variable.get_raw_value", "Variable.required_metadata"}
_OPTIONS = ("hijax", "ref", "eager_sharding")
# Hooks multiply.
_NUMBERS = pool(tuple(INEXACT_ARRAYS))
_TWO_ARRAYS = cases(one=variables(_NUMBERS, hooks=True), other=variables(_NUMBERS))
_TWO = cases(one=variables(values(), hooks=True), other=variables(values(), hooks=True))


@st.composite
def _described(draw: st.DrawFn) -> Recipe:
    """Draw `held`, a VariableMetadata of `value` with `within`, and the metadata `beside` it.

    `inner` and `outer` have some of the required entries: those within, and those given beside.
    """
    scope = Scope()
    scope.bind("value", draw(values()))
    pairs = draw(metadata())
    cut = draw(st.integers(0, len(pairs)))
    for name, part in (("within", pairs[:cut]), ("beside", pairs[cut:])):
        scope.bind(name, f"{{{', '.join(f'{key!r}: {text}' for key, text in part)}}}")
    for name in ("inner", "outer"):
        scope.bind(name, repr({key: False for key in _OPTIONS if draw(st.booleans())}))
    scope.bind("held", "nnx.VariableMetadata(value, metadata={**within, **inner})")
    scope.bind("type", draw(st.sampled_from(("nnx.Param", "nnx.Variable", "nnx.Cache"))))
    return scope.recipe()


@law(
    "a Variable made of a VariableMetadata has its value and its metadata, and what is given "
    "beside it; the VariableMetadata stays as it is",
    source=f"{_DOCS}VariableMetadata",
    level="should",
    needs=_NEEDS,
    case=_described(),
)
def a_described_value_is_taken_apart(lib, case):
    variable = case.type(case.held, **case.beside, **case.outer)
    same(variable.get_raw_value(), case.value, identical=True)
    found = variable.get_metadata()
    wanted = {**case.within, **case.beside, **case.inner, **case.outer}
    same_graph({name: found[name] for name in wanted}, wanted)
    equal(set(found), {*wanted, *variable.required_metadata})
    same_graph(dict(case.held.metadata), {**case.within, **case.inner})


@law(
    "a required entry that is one thing in a VariableMetadata and another beside it raises "
    "ValueError",
    source=f"{_CODE}#L1178-L1210",
    level="should",
    needs=_NEEDS,
    case=_described(),
)
def two_values_of_a_required_entry_are_refused(lib, case):
    for name in case.inner:
        refuses(ValueError, lambda name=name: case.type(case.held, **{name: True}))


@law(
    "`from_metadata` of a type makes an equal Variable of the raw value and the metadata, runs no "
    "hook, and copies the metadata",
    source=f"{_CODE}#L1710-L1731",
    level="observed",
    needs=_NEEDS,
    case=_TWO,
)
def a_variable_is_made_of_its_parts(lib, case):
    entries = case.one.get_metadata()
    made = type(case.one).from_metadata(case.one.get_raw_value(), entries)
    same_graph(made, case.one)
    entries["written"] = "to what was given"
    same_graph(made, case.one)
    equal((made.type, made.var_type), (type(case.one), type(case.one)))


@law(
    "`update_from_state` takes the raw value and the metadata of a Variable with the same required "
    "entries and runs no hook; changing one afterwards does not change the other",
    source=f"{_CODE}#L1551-L1560",
    level="observed",
    needs=_NEEDS,
    case=_TWO,
)
def a_variable_takes_the_state_of_another(lib, case):
    before = described(case.other)
    case.one.update_from_state(case.other)
    same(case.one.get_raw_value(), case.other.get_raw_value(), identical=True)
    same_graph(case.one.get_metadata(), case.other.get_metadata())
    case.one.set_metadata(written="to one")
    case.one.set_raw_value(0)
    same_rows(described(case.other), before)


@law(
    "`set_raw_value` and `get_raw_value` pass the hooks by",
    source=f"{_CODE}#L1562-L1571",
    level="should",
    needs=_NEEDS,
    case=_TWO,
)
def raw_values_pass_the_hooks_by(lib, case):
    wanted = case.other.get_raw_value()
    case.one.set_raw_value(wanted)
    true(case.one.get_raw_value() is wanted, case.one, "the very value")


@law(
    "`.value` and `.raw_value` still read and write, and warn that they are deprecated",
    source="https://github.com/google/flax/pull/5073",
    level="should",
    needs=_NEEDS,
    case=_TWO_ARRAYS,
)
def deprecated_attributes_read_and_write(lib, case):
    other = case.one.copy()
    equal(_warned(lambda: same(case.one.value, case.one.get_value())), True)
    equal(_warned(lambda: same(case.one.raw_value, case.one.get_raw_value())), True)
    for name, write in (("value", other.set_value), ("raw_value", other.set_raw_value)):
        write(case.other.get_raw_value())
        change = lambda name=name: setattr(case.one, name, case.other.get_raw_value())
        equal(_warned(change), True)
        same_graph(case.one, other)


def _warned(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return any(one.category is DeprecationWarning for one in found)
