"""Flax NNX: what metadata may be changed, and the ways to name it."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.nnx.variables import metadata, variables
from treelaws.equality import equal, refuses, true

from ._model import described, same_graph, same_rows
from .metadata import law

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/variables.html#flax.nnx"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py"
_NEEDS = {"Variable.del_metadata", "Variable.required_metadata"}
# Calls that would change or delete an entry on which a Variable depends.
_FIXED = tuple(
    call.replace("name", name)
    for name in ("hijax", "ref", "eager_sharding")
    for call in (
        "lambda held: held.set_metadata(name=not held.name)",
        "lambda held: held.set_metadata('name', not held.name)",
        "lambda held: held.set_metadata({'other': 1, 'name': not held.name})",
        "lambda held: held.del_metadata('name')",
    )
)
# Calls that are none of the documented ones.
_MIXED = (
    *("lambda held: held.set_metadata()", "lambda held: held.set_metadata('rank', 1, 2)"),
    *("lambda held: held.set_metadata('rank', 1, tag=2)",),
    *("lambda held: held.set_metadata({'rank': 1}, tag=2)",),
    "lambda held: held.get_metadata(default=1)",
    "lambda held: held.get_metadata('rank', exclude_required=True)",
    "lambda held: held.get_metadata('rank', 1, exclude_required=False)",
)


@st.composite
def _calls(draw: st.DrawFn, calls: tuple[str, ...]) -> Recipe:
    """Draw `variable` and a `call` on it."""
    scope = Scope()
    scope.bind("variable", draw(variables()))
    call = draw(st.sampled_from(calls))
    scope.note(*(["call:eager-sharding-alone"] if "('eager" in call or "(eager" in call else []))
    scope.bind("call", call)
    return scope.recipe()


@st.composite
def _required(draw: st.DrawFn) -> Recipe:
    """Draw `variable`, made with the metadata `given` and some of the required entries."""
    scope = Scope()
    pairs = draw(metadata())
    value = scope.include(draw(pool(tuple(JAX_ARRAYS))))
    scope.bind("given", f"{{{', '.join(f'{name!r}: {text}' for name, text in pairs)}}}")
    names = ("hijax", "ref", "eager_sharding")
    options = {name: False for name in names if draw(st.booleans())}
    scope.bind("options", repr(options))
    scope.bind("variable", f"nnx.Param({value}, **options, **given)")
    return scope.recipe()


@law(
    "the required entries of metadata can be set to what they are, and raise ValueError if they "
    "are set to something else or deleted",
    source=f"{_CODE}#L1424-L1536",
    level="should",
    needs=_NEEDS,
    case=_calls(_FIXED),
)
def required_entries_stay(lib, case):
    before = described(case.variable)
    refuses(ValueError, lambda: case.call(case.variable))
    same_rows(described(case.variable), before)
    for name in case.variable.required_metadata:
        value = case.variable.get_metadata(name)
        case.variable.set_metadata(name, value)
        case.variable.set_metadata(**{name: value})
    case.variable.set_metadata(case.variable.get_metadata())
    same_rows(described(case.variable), before)


@law(
    "`set_metadata` and `get_metadata` raise TypeError for arguments that are of none of their "
    "documented forms, and change nothing",
    source=f"{_DOCS}.Variable.set_metadata",
    level="should",
    needs=_NEEDS,
    case=_calls(_MIXED),
)
def metadata_methods_have_their_forms(lib, case):
    before = described(case.variable)
    refuses(TypeError, lambda: case.call(case.variable))
    same_rows(described(case.variable), before)


@law(
    "`get_metadata()` gives a new dict of what was given and the required entries, which "
    "`exclude_required=True` leaves out",
    source=f"{_DOCS}.Variable.get_metadata",
    level="should",
    needs=_NEEDS,
    case=_required(),
)
def required_entries_are_left_out_on_demand(lib, case):
    whole = case.variable.get_metadata(exclude_required=False)
    same_graph(case.variable.get_metadata(exclude_required=True), case.given)
    same_graph({name: whole[name] for name in case.given}, case.given)
    equal({name: whole[name] for name in case.options}, case.options)
    equal(set(whole), {*case.given, *case.variable.required_metadata})
    true(case.variable.get_metadata() is not case.variable.get_metadata(), whole, "new dicts")
    equal((case.variable.hijax, case.variable.ref), (whole["hijax"], whole["ref"]))
