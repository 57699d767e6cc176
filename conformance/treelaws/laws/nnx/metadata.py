"""Flax NNX: the metadata of Variables."""

from __future__ import annotations

import copy

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.nnx.filters import filters
from hypothesis_pytrees.nnx.variables import VARIABLE_TYPES, metadata
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import leaf_difference, refuses, same, true

from ._inputs import MODULES, is_variable, modules_of
from ._model import apart, described, same_graph, same_rows

law = Topic("nnx.metadata", "Flax NNX: metadata of Variables", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx"
_VARIABLE = f"{_DOCS}/variables.html#flax.nnx.Variable"
_GRAPH = f"{_DOCS}/graph.html#flax.nnx"
_WITH = f"{_DOCS}/variables.html#flax.nnx.with_metadata"
_TYPES = tuple(one.name for one in VARIABLE_TYPES if not one.definitions)
# Functions that return an equal module.
_JOURNEYS = (
    "lambda module: nnx.merge(*nnx.split(module))",
    "nnx.clone",
    "copy.deepcopy",
    "lambda module: nnx.merge(nnx.graphdef(module), jtu.tree_map(lambda x: x, nnx.state(module)))",
    "lambda module: (nnx.update(module, nnx.state(module)), module)[1]",
    "lambda module: nnx.merge(*nnx.split(module, nnx.Param, ...))",
)
_BOX = """\
class NnxLabelled(nnx.Module):
    def __init__(self, variable):
        self.variable = variable
"""


@st.composite
def _labelled(draw: st.DrawFn, *, journey: bool = False) -> Recipe:
    """Draw `variable`, its metadata `given`, and maybe its `module` and a `journey` of that."""
    pairs = draw(metadata(places=not journey))
    scope = Scope()
    value = scope.include(draw(pool(tuple(JAX_ARRAYS))))
    options = "".join(f", {name}={text}" for name, text in pairs)
    scope.bind("variable", f"{draw(st.sampled_from(_TYPES))}({value}{options})")
    scope.bind("given", f"{{{', '.join(f'{name!r}: {text}' for name, text in pairs)}}}")
    scope.note(*(f"metadata:{text}" for _, text in pairs))
    if journey:
        scope.define(_BOX)
        scope.bind("module", "NnxLabelled(variable)")
        scope.bind("journey", draw(st.sampled_from(_JOURNEYS)))
    return scope.recipe()


@st.composite
def _changed(draw: st.DrawFn) -> Recipe:
    """Draw `variable`, its metadata `given`, and `change`, other metadata to set."""
    scope = Scope()
    scope.include(draw(_labelled()))
    pairs = draw(metadata())
    scope.bind("change", f"{{{', '.join(f'{name!r}: {text}' for name, text in pairs)}}}")
    if pairs:
        scope.note("metadata:changed")
    return scope.recipe()


# Two values of one metadata entry; in the last four pairs, `==` is True for the two.
_TWINS = (
    *(("1", "2"), ("'rows'", "'columns'"), ("None", "0"), ("(1,)", "(1, 1)"), ("2.5", "-2.5")),
    *(("1", "True"), ("0", "False"), ("2", "2.0"), ("0.0", "-0.0")),
)


@st.composite
def _twins(draw: st.DrawFn) -> Recipe:
    """Draw modules `one` and `other` with one metadata entry, and `wanted`, that of `other`."""
    pair = draw(st.sampled_from(_TWINS))
    scope = Scope()
    scope.define(_BOX)
    value = scope.include(draw(pool(tuple(JAX_ARRAYS))))
    for name, text in zip(("one", "other"), pair, strict=True):
        scope.bind(name, f"NnxLabelled(nnx.Param({value}, rank={text}))")
    scope.bind("wanted", pair[1])
    scope.note("twins:equal" if _TWINS.index(pair) > 4 else "twins:different")
    return scope.recipe()


@st.composite
def _filtered(draw: st.DrawFn) -> Recipe:
    """Draw `module` and a `filter` with its `meaning`."""
    scope = Scope()
    scope.include(draw(modules_of(MODULES)))
    scope.include(draw(filters()))
    return scope.recipe()


@law(
    "metadata given to a Variable is in `get_metadata()` and is an attribute of the Variable",
    source="https://flax.readthedocs.io/en/latest/guides/transforms.html#axis-metadata",
    needs={"Variable"},
    case=_labelled(),
)
def what_was_given_is_there(lib, case):
    found = nnx_api.metadata(case.variable)
    for name, wanted in case.given.items():
        true(leaf_difference(found[name], wanted) is None, found, f"{name}={wanted!r}")
        got = getattr(case.variable, name)
        true(leaf_difference(got, wanted) is None, got, f"{name}={wanted!r}")


@law(
    "a Variable keeps its metadata when its module is split, merged, copied or updated",
    source=f"{_GRAPH}.merge",
    needs={"split", "merge", "clone", "graphdef", "state", "update"},
    case=_labelled(journey=True),
)
def metadata_stays_with_a_variable(lib, case):
    wanted = nnx_api.metadata(case.variable)
    found = nnx_api.metadata(case.journey(case.module).variable)
    same_graph(found, wanted)
    for name, value in case.given.items():
        true(leaf_difference(found[name], value) is None, found, f"{name}={value!r}")


@law(
    "setting metadata on a clone or a deep copy does not change the original",
    source=f"{_GRAPH}.clone",
    needs={"split", "merge", "clone"},
    case=_labelled(journey=True),
)
def a_copy_has_metadata_of_its_own(lib, case):
    before = described(case.module)
    for made in (lib.clone(case.module), copy.deepcopy(case.module)):
        apart(made, case.module)
        nnx_api.set_metadata(made.variable, written="to the copy")
    nnx_api.metadata(case.variable)["written"] = "to what was given"
    same_rows(described(case.module), before)


@law(
    "`update` copies the metadata of each Variable in the State, with the types of its values",
    source=f"{_GRAPH}.update",
    level="should",
    needs={"state", "update", "variables_are_nodes"},
    case=_twins(),
)
def update_takes_metadata_over(lib, case):
    state = jtu.tree_map(lambda leaf: leaf, lib.state(case.other))
    lib.update(case.one, state)
    got = nnx_api.metadata(case.one.variable)["rank"]
    true(leaf_difference(got, case.wanted) is None, got, f"{case.wanted!r}")


@law(
    "a Variable returned by a jitted function has its own metadata, not that of an earlier call",
    source="https://github.com/google/flax/pull/4728",
    level="should",
    needs={"variables_are_nodes"},
    case=_twins(),
)
def metadata_is_not_that_of_an_earlier_call(lib, case):
    identity = jax.jit(lambda variable: variable)
    identity(case.one.variable)
    got = nnx_api.metadata(identity(case.other.variable))["rank"]
    true(leaf_difference(got, case.wanted) is None, got, f"{case.wanted!r}")


@law(
    "`set_metadata(name=value)` and `set_metadata(name, value)` set entries and keep the others",
    source=f"{_VARIABLE}.set_metadata",
    needs={"Variable.set_metadata"},
    case=_changed(),
)
def set_metadata_sets_entries(lib, case):
    wanted = {**case.variable.get_metadata(), **case.change}
    other = case.variable.copy()
    case.variable.set_metadata(**case.change) if case.change else None
    for name, value in case.change.items():
        other.set_metadata(name, value)
    same_graph(case.variable.get_metadata(), wanted)
    same_graph(other.get_metadata(), wanted)


@law(
    "`set_metadata(mapping)` replaces all metadata except the required entries",
    source=f"{_VARIABLE}.set_metadata",
    needs={"Variable.set_metadata", "Variable.required_metadata"},
    case=_changed(),
)
def set_metadata_replaces_everything(lib, case):
    before = case.variable.get_metadata()
    required = {name: before[name] for name in case.variable.required_metadata if name in before}
    case.variable.set_metadata(case.change)
    same_graph(case.variable.get_metadata(), {**required, **case.change})
    true(case.variable.get_metadata() is not case.change, case.change, "a mapping of its own")


@law(
    "`get_metadata(name)` returns the entry, else the default, else raises KeyError",
    source=f"{_VARIABLE}.get_metadata",
    needs={"Variable.has_metadata"},
    case=_labelled(),
)
def one_entry_is_looked_up(lib, case):
    for name, value in case.given.items():
        same(case.variable.has_metadata(name), True)
        same(case.variable.get_metadata(name), value)
        same(case.variable.get_metadata(name, "the default"), value)
    same(case.variable.has_metadata("no such entry"), False)
    same(case.variable.get_metadata("no such entry", "the default"), "the default")
    refuses(KeyError, lambda: case.variable.get_metadata("no such entry"))


@law(
    "`del_metadata(name)` removes that entry and no other",
    source=f"{_VARIABLE}.del_metadata",
    needs={"Variable.del_metadata"},
    case=_labelled(),
)
def one_entry_is_deleted(lib, case):
    for name in case.given:
        wanted = case.variable.get_metadata()
        del wanted[name]
        case.variable.del_metadata(name)
        same_graph(case.variable.get_metadata(), wanted)


@law(
    "`nnx.set_metadata(module, only=filter)` sets entries of the matching Variables, in place",
    source=f"{_GRAPH}.set_metadata",
    needs={"set_metadata"},
    case=_filtered(),
)
def metadata_is_set_where_a_filter_matches(lib, case):
    flat = nnx_api.flat(lib, lib.state(case.module))
    found = {path: variable for path, variable in flat.items() if is_variable(variable)}
    wanted = {path: bool(case.meaning(path, variable)) for path, variable in found.items()}
    lib.set_metadata(case.module, only=case.filter, marked=False)
    for path, variable in found.items():
        same(nnx_api.metadata(variable).get("marked"), False if wanted[path] else None)
    same_graph(nnx_api.flat(lib, lib.state(case.module)), flat)


@law(
    "an initializer made by `with_metadata` gives a Variable the value and that metadata",
    source=_WITH,
    level="should",
    needs={"with_metadata"},
    case=_labelled(),
)
def with_metadata_passes_it_on(lib, case):
    value = nnx_api.raw_value(case.variable)
    variable = lib.Param(lib.with_metadata(lambda: value, **case.given)())
    same(nnx_api.raw_value(variable), value, identical=True)
    same_graph({name: nnx_api.metadata(variable)[name] for name in case.given}, case.given)
