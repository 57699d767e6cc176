"""Flax NNX: parts of flat states, and `flatten`, which makes one of a module."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, same, true

from ._inputs import EVERY_MODULE, modules_of, split_cases
from ._model import described, same_graph, same_rows
from .flat import law

_STATES = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/statelib.py"
_GRAPH = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx."
_EVERY = modules_of(EVERY_MODULE)


@st.composite
def _flattened(draw: st.DrawFn) -> Recipe:
    """Draw `module`, `options` of `flatten`, and `back`, options of `unflatten`."""
    scope = Scope()
    scope.include(draw(_EVERY))
    scope.bind("options", draw(st.sampled_from(("{}", "{'with_paths': False}"))))
    scope.bind("back", draw(st.sampled_from(("{}", "{'copy_variables': True}"))))
    return scope.recipe()


@law(
    "`FlatState.split` and `FlatState.filter` group the pairs as `split_state` and `filter_state` "
    "group the leaves of the State",
    source=_STATES,
    level="should",
    needs={"to_flat_state", "split_state", "filter_state"},
    case=split_cases(),
)
def a_flat_state_is_grouped_as_the_state(lib, case):
    state = lib.state(case.module)
    for name, of_state in (("split", lib.split_state), ("filter", lib.filter_state)):
        parts = _several(getattr(lib.to_flat_state(state), name)(*case.filters))
        states = _several(of_state(state, *case.filters))
        wanted = [list(lib.to_flat_state(one)) for one in states]
        same([[path for path, _ in part] for part in parts], [_paths(one) for one in wanted])
        leaves = [[leaf for _, leaf in part] for part in parts]
        same(leaves, [[leaf for _, leaf in one] for one in wanted], identical=True)


@law(
    "`FlatState.merge` of the parts of a FlatState, in any order, returns its pairs in their order",
    source=_STATES,
    level="should",
    needs={"to_flat_state"},
    case=split_cases(min_size=2),
)
def merge_undoes_split_of_a_flat_state(lib, case):
    flat = lib.to_flat_state(lib.state(case.module))
    merged = flat.merge(*reversed(_several(flat.split(*case.filters))))
    equal(list(merged.paths), list(flat.paths))
    same(list(merged.leaves), list(flat.leaves), identical=True)


@law(
    "`unflatten(*flatten(module))` equals the module in types, values, metadata and shared "
    "references",
    source=f"{_GRAPH}flatten",
    level="should",
    needs={"flatten", "unflatten"},
    case=_flattened(),
)
def unflatten_undoes_flatten(lib, case):
    """The module is described first, since both may share Variables."""
    wanted = described(case.module)
    parts = lib.flatten(case.module, **case.options)
    same_rows(described(lib.unflatten(*parts, **case.back)), wanted)


@law(
    "what is flattened with one `ref_index` and rebuilt with one `index_ref` shares what it shared",
    source=f"{_GRAPH}flatten",
    level="should",
    needs={"flatten", "unflatten"},
    case=_EVERY,
    parents=[unflatten_undoes_flatten],
)
def an_index_keeps_what_is_shared(lib, case):
    wanted, refs, nodes = described(case.module), lib.graph.RefMap(), lib.graph.IndexMap()
    parts = [lib.flatten(one, ref_index=refs) for one in (case.module, [case.module])]
    one, (other,) = [lib.unflatten(*part, index_ref=nodes) for part in parts]
    true(other is one, other, "the module that was rebuilt before")
    same_rows(described(one), wanted)


@law(
    "`flatten` returns the GraphDef of `split`, and its State as a FlatState",
    source=f"{_GRAPH}flatten",
    level="should",
    needs={"flatten", "split", "to_flat_state"},
    case=_EVERY,
)
def flatten_is_a_flat_split(lib, case):
    graphdef, flat = lib.flatten(case.module)
    wanted, state = lib.split(case.module)
    equal(graphdef, wanted)
    true(type(flat) is type(lib.to_flat_state(state)), flat, "a FlatState")
    same_graph(dict(flat), dict(lib.to_flat_state(state)))


def _several(parts):
    """Return the parts; of one filter, the only one."""
    return parts if type(parts) is tuple else (parts,)


def _paths(pairs):
    return [path for path, _ in pairs]
