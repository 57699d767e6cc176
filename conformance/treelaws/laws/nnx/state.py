"""Flax NNX: `State` as a mapping and as a PyTree."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import PYTHON_SCALARS, pool
from hypothesis_pytrees.nnx.states import mapping_programs, nnx_states
from hypothesis_pytrees.nnx.variables import values, variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.core.mismatch import first_line
from treelaws.equality import equal, same, true
from treelaws.laws._carried import carried

from ._inputs import STATES, is_variable
from ._model import apart, same_graph

law = Topic("nnx.state", "Flax NNX: State", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/state.html#flax.nnx.State"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/statelib.py"
_GETITEM = "https://docs.python.org/3/reference/datamodel.html#object.__getitem__"
_COPY = "https://docs.python.org/3/library/copy.html"
_PICKLE = "https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled"
_STATE = cases(state=STATES)
_PICKLED = _STATE
_HELD = st.one_of(pool(tuple(PYTHON_SCALARS)), values())
_FEW = cases(state=nnx_states(variables(_HELD), modules=False, max_leaves=2))


@law(
    "each operation on a State has the same result as on a nested dict, or also raises",
    source=_DOCS,
    needs={"State"},
    case=mapping_programs(),
)
def a_state_is_a_mapping(lib, case):
    state, model = lib.State(copy.deepcopy(case.mapping)), copy.deepcopy(case.mapping)
    for step in case.steps:
        (kind, got), (wanted_kind, wanted) = _outcome(step, state), _outcome(step, model)
        equal(kind == "returned", wanted_kind == "returned")
        equal(got if kind == "returned" else None, wanted if kind == "returned" else None)
        equal(_plain(state), model)


@law(
    "an operation that raises on a nested dict raises the same type of exception on a State",
    source=_GETITEM,
    level="should",
    needs={"State"},
    case=mapping_programs(),
    parents=[a_state_is_a_mapping],
)
def errors_are_those_of_a_dict(lib, case):
    state, model = lib.State(copy.deepcopy(case.mapping)), copy.deepcopy(case.mapping)
    for step in case.steps:
        equal(_outcome(step, state)[0], _outcome(step, model)[0])


@law(
    "`state.name` equals `state['name']`",
    source=f"{_CODE}#L263-L266",
    level="should",
    needs={"State"},
    case=_STATE,
)
def an_attribute_is_an_item(lib, case):
    for key in case.state:
        if isinstance(key, str) and not hasattr(lib.State, key):
            same_graph(getattr(case.state, key), case.state[key])
            true(hasattr(case.state, f"no_{key}") is False, case.state, f"no attribute no_{key}")


@law(
    "`State(mapping)` copies: setting an item of the State does not change the mapping",
    source=_DOCS,
    level="should",
    needs={"State"},
    case=_STATE,
)
def a_state_copies_the_mapping_it_is_made_of(lib, case):
    before = dict(case.state.raw_mapping)
    made = lib.State(before)
    same_graph(made, case.state)
    made["added"] = 1
    true("added" not in before and len(before) == len(case.state), before, "the mapping as it was")


@law(
    "`clone` of a State is an equal State of new Variables, and `nnx.state` of a State holds its "
    "leaves",
    source=f"{_DOCS.partition('/state')[0]}/graph.html#flax.nnx.clone",
    level="should",
    needs={"clone", "state", "variables_are_nodes"},
    case=_FEW,
)
def a_state_is_a_node(lib, case):
    cloned = lib.clone(case.state)
    same_graph(cloned, case.state)
    apart(cloned, case.state)
    same_graph(nnx_api.flat(lib, lib.state(case.state)), nnx_api.flat(lib, case.state))


@law(
    "`copy.deepcopy(state)` holds equal Variables that are new objects",
    source=_COPY,
    level="should",
    needs={"State"},
    case=_FEW,
)
def a_deep_copy_holds_equal_variables(lib, case):
    copied = copy.deepcopy(case.state)
    same_graph(copied, case.state)
    apart(copied, case.state)


@law(
    "`pickle.loads(pickle.dumps(state))` equals the State",
    source=_PICKLE,
    level="should",
    needs={"State"},
    case=_PICKLED,
)
def a_state_comes_back_from_pickle(lib, case):
    same_graph(pickle.loads(carried(pickle.dumps(case.state))), case.state)


@law(
    "`tree_map` of the identity over a State keeps types, values and metadata",
    source=_DOCS,
    needs={"State"},
    case=_STATE,
)
def mapping_the_identity_keeps_a_state(lib, case):
    same_graph(jtu.tree_map(lambda leaf: leaf, case.state), case.state)


@law(
    "the tree structure of a State does not depend on the order in which its items were set",
    source=_DOCS,
    needs={"State"},
    case=_STATE,
)
def the_structure_ignores_the_order_of_items(lib, case):
    items = [*case.state.raw_mapping.items()]
    same(jtu.tree_structure(lib.State(reversed(items))), jtu.tree_structure(lib.State(items)))


@law(
    "indexing a State with the keys of a key path, one after the other, gives the leaf",
    source="https://docs.jax.dev/en/latest/101/pytrees.html#explicit-key-paths",
    needs={"State"},
    case=_STATE,
)
def a_key_path_leads_to_its_leaf(lib, case):
    for path, leaf in jtu.tree_flatten_with_path(case.state, is_leaf=is_variable)[0]:
        found = case.state
        while isinstance(found, Mapping):
            found, path = found[path[0].key], path[1:]
        same(jtu.tree_flatten_with_path(found, is_leaf=is_variable)[0], [(path, leaf)])


@law(
    "the leaves of a State are the leaves of its flat form, sorted by path",
    source=f"{_DOCS.partition('#')[0]}#flax.nnx.to_flat_state",
    level="should",
    needs={"State"},
    case=_STATE,
)
def leaves_stand_in_the_order_of_their_paths(lib, case):
    flat = nnx_api.flat(lib, case.state)
    wanted = [leaf for path in sorted(flat) for leaf in jtu.tree_leaves(flat[path])]
    same(jtu.tree_leaves(case.state), wanted, identical=True)


def _plain(value):
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [*map(_plain, value)] if isinstance(value, (list, tuple)) else value


def _outcome(step, mapping):
    try:
        return "returned", _plain(step(mapping))
    except Exception as raised:
        return type(raised).__name__, first_line(raised)
