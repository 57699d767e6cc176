"""Flax NNX: `is_leaf` in tree functions over States and modules."""

from __future__ import annotations

from collections.abc import Mapping

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, arrays
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nnx.states import nnx_states
from hypothesis_pytrees.nnx.variables import values, variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._inputs import STATES, TREES, is_variable
from ._model import same_graph

law = Topic("nnx.is_leaf", "Flax NNX: is_leaf and Variables", family="nnx")
_MAP = "https://docs.jax.dev/en/latest/_autosummary/jax.tree.map.html"
_MIXED = "https://github.com/google/flax/issues/4762"
_PYTREE = "https://github.com/google/flax/pull/4728"
_TREES = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
_PURE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/graphlib.py#L2982-L3016"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/traversals.py#L59-L95"
_PREDICATES = {
    "Variable": "lambda node: isinstance(node, nnx.Variable)",
    "Param": "lambda node: isinstance(node, nnx.Param)",
    "VariableState": "lambda node: isinstance(node, nnx.VariableState)",
    "either": "lambda node: isinstance(node, (nnx.Variable, nnx.VariableState))",
    "nothing": "lambda node: False",
    "none": "None",
    "labelled": "lambda node: isinstance(node, nnx.Variable) and hasattr(node, 'tag')",
    "large": "lambda node: isinstance(node, nnx.Variable) and hasattr(node, 'shape')",
    "State": "lambda node: isinstance(node, nnx.State) and len(node) == 1",
    "Module": "lambda node: isinstance(node, nnx.Module)",
}
_LEAVES = st.one_of(variables(), variables(values()), arrays())
# Without mappings as values: outside of its Variable, such a value looks like a nested State, which
# the items of a State that are mappings become (`_CODE`).
_STATE = cases(state=STATES.filter(lambda recipe: "value:mapping" not in recipe.features))
_SOME = st.one_of(nnx_states(_LEAVES), TREES, variables(values()))


@st.composite
def _cut(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, which holds Variables, and `is_leaf`."""
    scope = Scope()
    form = draw(st.sampled_from(("{}", "[{}, 1]", "{{'b': {}, 'a': None}}")))
    scope.bind("tree", form.format(scope.include(draw(_SOME))))
    name = draw(st.sampled_from(tuple(_PREDICATES)))
    scope.bind("is_leaf", _PREDICATES[name])
    scope.note(f"is_leaf:{name}")
    return scope.recipe()


@law(
    "`tree_map` passes a Variable to the function only if `is_leaf` selects it",
    source=_MIXED,
    level="should",
    needs={"Variable"},
    case=_cut(),
)
def only_a_selected_variable_is_handed_over(lib, case):
    handed = []
    jtu.tree_map(handed.append, case.tree, is_leaf=case.is_leaf)
    for node in filter(is_variable, handed):
        selected = case.is_leaf is not None and case.is_leaf(node)
        true(selected, node, "a value, or a Variable that `is_leaf` selects")


@law(
    "the nodes that `tree_map` with `is_leaf` passes to the function hold all leaves, in order",
    source=_MAP,
    needs={"Variable"},
    case=_cut(),
)
def is_leaf_filters_nothing(lib, case):
    handed = []
    jtu.tree_map(handed.append, case.tree, is_leaf=case.is_leaf)
    inside = [leaf for node in handed for leaf in jtu.tree_leaves(node)]
    same(inside, jtu.tree_leaves(case.tree), identical=True)


@law(
    "`is_leaf` stops `tree_leaves`, `tree_map` and both `tree_flatten` functions at the same nodes",
    source=_MAP,
    needs={"Variable"},
    case=_cut(),
)
def every_function_stops_at_the_same_nodes(lib, case):
    handed, options = [], {"is_leaf": case.is_leaf}
    jtu.tree_map(handed.append, case.tree, **options)
    keyed, structure = jtu.tree_flatten_with_path(case.tree, **options)
    leaves, plain_structure = jtu.tree_flatten(case.tree, **options)
    for nodes in (jtu.tree_leaves(case.tree, **options), leaves, [node for _, node in keyed]):
        true([*map(_name, nodes)] == [*map(_name, handed)], nodes, f"{handed}")
    equal(structure, plain_structure)


@law(
    "`tree_map` of the identity over modules and States keeps all types and metadata",
    source=_TREES,
    needs={"Variable", "modules_are_nodes"},
    case=_cut(),
)
def the_identity_keeps_modules_and_states(lib, case):
    same_graph(jtu.tree_map(lambda node: node, case.tree, is_leaf=case.is_leaf), case.tree)


@law(
    "`tree_map` that replaces the values of selected Variables keeps all types and metadata",
    source=_PYTREE,
    level="should",
    needs={"Variable", "variables_are_nodes"},
    case=_cut(),
)
def selected_variables_keep_their_metadata(lib, case):
    def replaced(node):
        return node.replace(nnx_api.raw_value(node)) if is_variable(node) else node

    same_graph(jtu.tree_map(replaced, case.tree, is_leaf=case.is_leaf), case.tree)


@law(
    "`tree_map` from selected Variables to their values returns the tree of the values",
    source=_MIXED,
    level="should",
    needs={"Variable", "State"},
    case=_STATE,
)
def selected_variables_give_their_values(lib, case):
    values = jtu.tree_map(_value, case.state, is_leaf=is_variable)
    flat = nnx_api.flat(lib, case.state)
    got = {path: _at(values, path) for path in flat}
    same_graph(got, {path: _value(leaf) for path, leaf in flat.items()})


@law(
    "`as_pure(tree)` replaces each Variable by its value, as `tree_map` over Variables does",
    source=_PURE,
    needs={"as_pure"},
    case=_cut(),
)
def as_pure_maps_variables_to_values(lib, case):
    wanted = jtu.tree_map(_value, case.tree, is_leaf=is_variable)
    same_graph(lib.as_pure(case.tree), wanted)


@law(
    "`flatten_mapping` stops at the mappings that `is_leaf` accepts, and at no others",
    source=_CODE,
    needs={"traversals"},
    case=cases(state=STATES),
)
def flatten_mapping_stops_where_it_is_told(lib, case):
    accepts = lambda path, mapping: len(path) == 1
    found = lib.traversals.flatten_mapping(case.state, is_leaf=accepts)
    same_graph(found, {(key,): case.state[key] for key in case.state})
    nowhere = lib.traversals.flatten_mapping(case.state, is_leaf=lambda path, mapping: False)
    same_graph(nowhere, lib.traversals.flatten_mapping(case.state))


@law(
    "`flatten_mapping` asks `is_leaf` about each mapping, with its path",
    source=_CODE,
    needs={"traversals"},
    case=cases(state=STATES),
)
def flatten_mapping_asks_about_each_mapping(lib, case):
    seen = {}
    asks = lambda path, mapping: seen.update({path: mapping}) is not None
    lib.traversals.flatten_mapping(case.state, is_leaf=asks)
    paths = {path[:length] for path in nnx_api.flat(lib, case.state) for length in range(len(path))}
    true(paths <= {*seen}, [*seen], f"{paths}")
    same_graph({path: _at(case.state, path) for path in seen}, seen)


def _value(node):
    return nnx_api.raw_value(node) if is_variable(node) else node


def _at(found, path):
    for key in path:
        found = found[key]
    return found


def _name(node):
    # Each flatten makes new inner mappings, so their identity says nothing.
    return type(node) if isinstance(node, Mapping) else id(node)
