"""Flax NNX: splitting, filtering, merging, subtracting and mapping States."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

from ._inputs import STATES, first_match, state_cases
from ._model import described, same_graph, same_rows

law = Topic("nnx.algebra", "Flax NNX: operations on States", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/state.html#flax.nnx."
_FIRST = "https://flax.readthedocs.io/en/latest/guides/filters_guide.html#grouping-states"
# The docstring of `nnx.map` says how `map_state` calls the function.
_MAP = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/graphlib.py#L2724-L2752"
_DIFF = "https://github.com/google/flax/pull/4992"
_PAIRS = cases(state=STATES, other=STATES)


@st.composite
def _to_merge(draw: st.DrawFn) -> Recipe:
    """Draw `states`: one State, or two that have no path in common."""
    scope = Scope()
    names = [scope.bind("state", draw(STATES))]
    if draw(st.booleans()):
        inner = scope.include(draw(STATES))
        names.append(scope.bind("state", f"nnx.State({{'merged': {inner}.raw_mapping}})"))
    scope.bind("states", f"[{', '.join(names)}]")
    scope.note(f"merge:{len(names)}")
    return scope.recipe()


@law(
    "`split_state` puts each leaf into the State of the first filter that matches it",
    source=_FIRST,
    needs={"State"},
    case=state_cases(),
)
def split_state_is_a_partition(lib, case):
    parts = nnx_api.split_state(lib, case.state, *case.filters)
    same_graph([nnx_api.flat(lib, part) for part in parts], _grouped(lib, case))


@law(
    "`split_state` raises ValueError if a leaf matches none of the filters",
    source=f"{_DOCS}split_state",
    level="should",
    needs={"State"},
    case=state_cases(exhaustive=False),
)
def split_state_wants_exhaustive_filters(lib, case):
    if sum(map(len, _grouped(lib, case))) < len(nnx_api.flat(lib, case.state)):
        refuses(ValueError, lambda: nnx_api.split_state(lib, case.state, *case.filters))
    else:
        nnx_api.split_state(lib, case.state, *case.filters)


@law(
    "`filter_state` puts leaves into the State of their first matching filter and drops the rest",
    source=f"{_DOCS}filter_state",
    needs={"State"},
    case=state_cases(exhaustive=False),
)
def filter_state_keeps_what_matches(lib, case):
    parts = nnx_api.filter_state(lib, case.state, *case.filters)
    same_graph([nnx_api.flat(lib, part) for part in parts], _grouped(lib, case))


@law(
    "`merge_state` undoes `split_state`",
    source=f"{_DOCS}merge_state",
    needs={"State"},
    case=state_cases(min_size=2),
)
def merge_state_undoes_split_state(lib, case):
    """Only leaves are compared, since flat forms drop empty mappings."""
    parts = nnx_api.split_state(lib, case.state, *case.filters)
    wanted = nnx_api.flat(lib, case.state)
    same_graph(nnx_api.flat(lib, nnx_api.merge_states(lib, *parts)), wanted)


@law(
    "`merge_state` accepts the States in any order",
    source=f"{_DOCS}merge_state",
    level="should",
    needs={"State"},
    case=state_cases(min_size=2),
    parents=(merge_state_undoes_split_state,),
)
def merge_state_takes_states_in_any_order(lib, case):
    parts = nnx_api.split_state(lib, case.state, *case.filters)
    wanted = nnx_api.flat(lib, case.state)
    same_graph(nnx_api.flat(lib, nnx_api.merge_states(lib, *reversed(parts))), wanted)


@law(
    "`merge_state` returns a new State: setting an item of it does not change the given States",
    source=f"{_DOCS}merge_state",
    needs={"State"},
    case=_to_merge(),
)
def merge_state_makes_a_new_state(lib, case):
    before = [described(state) for state in case.states]
    nnx_api.merge_states(lib, *case.states)["added"] = 1
    for state, wanted in zip(case.states, before, strict=True):
        same_rows(described(state), wanted)


@law(
    "`state | other` equals `merge_state(state, other)`",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/statelib.py#L423-L426",
    level="should",
    needs={"State"},
    case=state_cases(min_size=2),
)
def the_or_operator_merges(lib, case):
    first, *rest = nnx_api.split_state(lib, case.state, *case.filters)
    for part in rest:
        same_graph(first | part, nnx_api.merge_states(lib, first, part))


@law(
    "the difference of two States holds the entries of the first whose paths the second lacks",
    source=_DIFF,
    level="should",
    needs={"statelib"},
    case=_PAIRS,
)
def a_difference_holds_the_paths_of_the_first_alone(lib, case):
    flat, others = nnx_api.flat(lib, case.state), nnx_api.flat(lib, case.other)
    wanted = {path: leaf for path, leaf in flat.items() if path not in others}
    same_graph(nnx_api.flat(lib, nnx_api.diff(lib, case.state, case.other)), wanted)


@law(
    "the difference of a State and itself is empty",
    source=_DIFF,
    level="should",
    needs={"statelib"},
    case=cases(state=STATES),
)
def a_state_minus_itself_is_empty(lib, case):
    left = nnx_api.diff(lib, case.state, case.state)
    true(len(nnx_api.flat(lib, left)) == 0, left, "an empty State")


@law(
    "`map_state` calls the function with each path and leaf, and stores its result at the path",
    source=_MAP,
    needs={"State"},
    case=cases(state=STATES),
)
def map_state_maps_paths_and_leaves(lib, case):
    seen = []
    mapped = nnx_api.map_state(lib, lambda *pair: seen.append(pair) or len(seen), case.state)
    wanted = nnx_api.flat(lib, case.state)
    same_graph(dict(seen), wanted)
    same(nnx_api.flat(lib, mapped), {path: 1 + i for i, (path, _) in enumerate(seen)})


@law(
    "splitting, filtering, merging and mapping a State do not change it",
    source=f"{_DOCS}split_state",
    level="should",
    needs={"State"},
    case=state_cases(),
)
def the_algebra_leaves_the_state_alone(lib, case):
    before = described(case.state)
    parts = nnx_api.split_state(lib, case.state, *case.filters)
    nnx_api.merge_states(lib, *parts)["added"] = 1
    nnx_api.filter_state(lib, case.state, *case.filters)
    nnx_api.map_state(lib, lambda path, leaf: 0, case.state)
    same_rows(described(case.state), before)


def _grouped(lib, case):
    """Return for each filter the leaves that it is the first to match, by path."""
    groups = [{} for _ in case.filters]
    for path, leaf in nnx_api.flat(lib, case.state).items():
        if (index := first_match(case, path, leaf)) is not None:
            groups[index][path] = leaf
    return groups
