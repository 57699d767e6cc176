"""Flax NNX: `split` and `merge`."""

from __future__ import annotations

from hypothesis import strategies as st

from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

from ._inputs import (
    EVERY_MODULE,
    HOLDING,
    MODULES,
    alone,
    first_match,
    holders,
    modules_of,
    split_cases,
    without_mappings,
)
from ._model import (
    apart,
    described,
    references,
    same_graph,
    same_references,
    same_rows,
    variables_of,
)

law = Topic("nnx.split", "Flax NNX: split and merge", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html"
_SPLIT, _MERGE = f"{_DOCS}#flax.nnx.split", f"{_DOCS}#flax.nnx.merge"
_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html"
_FILTERS = "https://flax.readthedocs.io/en/latest/guides/filters_guide.html#grouping-states"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx"
_EVERY = modules_of(EVERY_MODULE)


@law(
    "`merge(*split(module))` equals the module in types, values, metadata and shared references",
    source=_MERGE,
    needs={"split", "merge"},
    case=_EVERY,
)
def merge_undoes_split(lib, case):
    """The module is described first, since the merged module shares its Variables."""
    wanted = described(case.module)
    same_rows(described(lib.merge(*lib.split(case.module))), wanted)


@law(
    "`merge(*split(module, *filters))` equals the module",
    source=f"{_BASICS}#fine-grained-state-control",
    needs={"split", "merge"},
    case=split_cases(),
    parents=(merge_undoes_split,),
)
def merge_undoes_split_by_filters(lib, case):
    wanted = described(case.module)
    same_rows(described(lib.merge(*lib.split(case.module, *case.filters))), wanted)


@law(
    "`merge` accepts the States in any order",
    source=_MERGE,
    level="should",
    needs={"split", "merge"},
    case=split_cases(min_size=2),
    parents=(merge_undoes_split_by_filters,),
    weight=2,
)
def merge_takes_states_in_any_order(lib, case):
    wanted = described(case.module)
    graphdef, *states = lib.split(case.module, *case.filters)
    same_rows(described(lib.merge(graphdef, *reversed(states))), wanted)


@law(
    "`merge` accepts the plain values as nested dicts and makes new Variables from them",
    source="https://github.com/google/flax/pull/4352",
    level="should",
    needs={"split", "merge"},
    case=without_mappings(modules_of(st.one_of(MODULES, HOLDING))),
    parents=(merge_undoes_split,),
)
def merge_takes_nested_dicts_of_values(lib, case):
    graphdef, state = lib.split(case.module)
    merged = lib.merge(graphdef, nnx_api.pure(lib, state))
    same_graph(merged, case.module)
    apart(merged, case.module)


@law(
    "`split(module, *filters)` puts each leaf into exactly one State",
    source=_SPLIT,
    needs={"split"},
    case=split_cases(),
)
def split_by_filters_is_a_partition(lib, case):
    parts = [nnx_api.flat(lib, part) for part in lib.split(case.module, *case.filters)[1:]]
    together = {path: leaf for part in parts for path, leaf in part.items()}
    true(len(together) == sum(map(len, parts)), parts, "no path in two states")
    same_graph(together, nnx_api.flat(lib, lib.split(case.module)[1]))


@law(
    "`split` puts each leaf into the State of the first filter that matches it",
    source=_FILTERS,
    needs={"split"},
    case=split_cases(),
)
def the_first_match_takes_a_leaf(lib, case):
    whole = nnx_api.flat(lib, lib.split(case.module)[1])
    parts = lib.split(case.module, *case.filters)[1:]
    for index, part in enumerate(parts):
        wanted = {path for path, leaf in whole.items() if first_match(case, path, leaf) == index}
        same(sorted(nnx_api.flat(lib, part)), sorted(wanted))


@law(
    "`split(module, *filters)` raises an exception if a leaf matches none of the filters",
    source=f"{_BASICS}#fine-grained-state-control",
    needs={"split"},
    case=split_cases(exhaustive=False),
)
def filters_that_leave_something_over_are_refused(lib, case):
    """The guide does not name the type of the exception."""
    whole = nnx_api.flat(lib, lib.split(case.module)[1])
    if any(first_match(case, path, leaf) is None for path, leaf in whole.items()):
        refuses(Exception, lambda: lib.split(case.module, *case.filters))
    else:
        lib.split(case.module, *case.filters)


@law(
    "`split` raises ValueError if `...` or `True` comes before another filter",
    source=f"{_CODE}/statelib.py#L808-L818",
    level="should",
    needs={"split"},
    case=split_cases(exhaustive=False),
)
def everything_before_another_filter_is_refused(lib, case):
    for everything in (..., True):
        refuses(ValueError, lambda: lib.split(case.module, everything, *case.filters))  # noqa: B023


@law(
    "`split` does not change the module",
    source=_SPLIT,
    level="should",
    needs={"split"},
    case=split_cases(),
)
def split_leaves_the_module_alone(lib, case):
    before, found = described(case.module), references(case.module)
    lib.split(case.module, *case.filters)
    same_rows(described(case.module), before)
    same_references(references(case.module), found)


@law(
    "`merge` uses the given Variables, not copies of them",
    source=_MERGE,
    needs={"split", "merge", "merge_copies_on_demand"},
    case=_EVERY,
)
def merge_uses_the_given_variables(lib, case):
    merged = lib.merge(*lib.split(case.module))
    same_references(variables_of(merged), variables_of(case.module))


@law(
    "`merge(graphdef, state, copy=True)` makes new Variables",
    source=_MERGE,
    needs={"split", "merge", "merge_copies_on_demand"},
    case=_EVERY,
)
def merge_copies_on_demand(lib, case):
    wanted = described(case.module)
    merged = lib.merge(*lib.split(case.module), copy=True)
    same_rows(described(merged), wanted)
    apart(merged, case.module)


@law(
    "`merge(*split(module))` keeps attributes that are PyTrees of arrays",
    source="https://github.com/google/flax/pull/4612",
    level="should",
    needs={"split", "merge"},
    case=holders(),
)
def trees_of_arrays_come_back(lib, case):
    same(lib.merge(*lib.split(case.module)).tree, case.module.tree)


@law(
    "`merge(*split(node))` equals the node, if it is a Variable or a list or dict of Variables",
    source="https://github.com/google/flax/pull/4606",
    level="should",
    needs={"split", "merge", "merge_copies_on_demand"},
    case=alone(),
)
def a_variable_alone_goes_through_split_and_merge(lib, case):
    wanted = described(case.node)
    same_rows(described(lib.merge(*lib.split(case.node))), wanted)
    same_rows(described(lib.merge(*lib.split(case.node, lib.Param, ...))), wanted)


@law(
    "`merge` undoes `unpack`, into one GraphState or several",
    source=f"{_DOCS}#flax.nnx.unpack",
    needs={"unpack", "merge"},
    case=split_cases(min_size=2),
)
def merge_undoes_unpack(lib, case):
    wanted = described(case.module)
    same_rows(described(lib.merge(lib.unpack(case.module))), wanted)
    same_rows(described(lib.merge(*lib.unpack(case.module, *case.filters))), wanted)
    held = [variable for _, variable in variables_of(case.module)]
    same_graph(lib.merge(lib.unpack(held, lib.Variable)), held)
