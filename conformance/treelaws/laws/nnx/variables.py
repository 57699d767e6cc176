"""Flax NNX: Variables as PyTrees, and copies of Variables."""

from __future__ import annotations

import copy
import pickle

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.nnx.variables import metadata, values, variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true
from treelaws.laws._carried import carried

from ._model import apart, described, same_graph, same_rows

law = Topic("nnx.variables", "Flax NNX: Variables", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/variables.html#flax.nnx."
_VARIABLE = f"{_DOCS}Variable"
_PYTREE = "https://flax.readthedocs.io/en/latest/key_concepts.html#pytrees"
_COPY = "https://docs.python.org/3/library/copy.html"
_PICKLE = "https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled"
_KEYED = "https://docs.jax.dev/en/latest/_autosummary/jax.tree.flatten_with_path.html"
_ANY = cases(variable=variables(st.one_of(values(), pool(tuple(JAX_ARRAYS)))))
_PICKLED = _ANY
_ARRAYS = cases(variable=variables())
_NEW = cases(variable=variables(values()), value=values())


@st.composite
def _two_orders(draw: st.DrawFn) -> Recipe:
    """Draw `one` and `other`, which have the same metadata, given in two orders."""
    pairs = draw(metadata())
    orders = (pairs, draw(st.permutations(pairs)))
    scope = Scope()
    text = scope.include(draw(pool(tuple(JAX_ARRAYS))))
    for name, order in zip(("one", "other"), orders, strict=True):
        options = "".join(f", {key}={value}" for key, value in order)
        scope.bind(name, f"nnx.Param({text}{options})")
    scope.note("metadata:as-given" if orders[0] == orders[1] else "metadata:reordered")
    return scope.recipe()


@law(
    "`tree_map` of the identity over a Variable keeps its type, value and metadata",
    source=_PYTREE,
    needs={"Variable", "variables_are_nodes"},
    case=_ANY,
)
def mapping_the_identity_keeps_a_variable(lib, case):
    same_graph(jtu.tree_map(lambda leaf: leaf, case.variable), case.variable)


@law(
    "`tree_map` over a Variable returns a new Variable",
    source="https://flax.readthedocs.io/en/latest/guides/pytree.html#reference-sharing",
    level="should",
    needs={"Variable", "variables_are_nodes"},
    case=_ANY,
)
def a_mapped_variable_is_apart(lib, case):
    apart(jtu.tree_map(lambda leaf: leaf, case.variable), case.variable)


@law(
    "the leaves of a Variable are the leaves of its value",
    source=_PYTREE,
    needs={"Variable", "variables_are_nodes"},
    case=_ANY,
)
def the_leaves_are_those_of_the_value(lib, case):
    wanted = jtu.tree_leaves(nnx_api.raw_value(case.variable))
    same(jtu.tree_leaves(case.variable), wanted, identical=True)


@law(
    "`jax.jit` of the identity returns a Variable with the same type and metadata",
    source=_PYTREE,
    needs={"Variable", "variables_are_nodes"},
    case=_ARRAYS,
)
def a_variable_goes_through_jit(lib, case):
    same_graph(jax.jit(_identity)(case.variable), case.variable)


@law(
    "flattening a Variable with and without key paths gives the same leaves and structure",
    source=_KEYED,
    needs={"Variable"},
    case=_ANY,
)
def both_ways_to_flatten_agree(lib, case):
    leaves, structure = jtu.tree_flatten(case.variable)
    keyed, keyed_structure = jtu.tree_flatten_with_path(case.variable)
    same([leaf for _, leaf in keyed], leaves, identical=True)
    equal(keyed_structure, structure)


@law(
    "the tree structure of a Variable does not depend on the order of its metadata",
    source="https://github.com/google/flax/pull/4954",
    level="should",
    needs={"Variable", "variables_are_nodes"},
    case=_two_orders(),
)
def the_structure_ignores_the_order_of_metadata(lib, case):
    wanted = jtu.tree_structure(case.one)
    same(jtu.tree_structure(case.other), wanted)
    same(jtu.tree_flatten_with_path(case.other)[1], wanted)
    equal(hash(jtu.tree_structure(case.other)), hash(wanted))


@law(
    "`variable.copy()` is an equal Variable; writing to the copy does not change the original",
    source=_VARIABLE,
    level="should",
    needs={"Variable"},
    case=_NEW,
)
def a_copy_stands_apart(lib, case):
    before, copied = described(case.variable), case.variable.copy()
    same_graph(copied, case.variable)
    nnx_api.set_value(copied, case.value)
    nnx_api.set_metadata(copied, written="to the copy")
    same_rows(described(case.variable), before)


@law(
    "`variable.copy(**metadata)` has that metadata beside that of the original",
    source=_VARIABLE,
    level="should",
    # `copy` takes metadata from 0.12.1 on, the first release with `get_value`.
    needs={"Variable.set_metadata", "Variable.get_value"},
    case=_NEW,
    parents=[a_copy_stands_apart],
)
def a_copy_takes_metadata(lib, case):
    before = described(case.variable)
    for updates in ({"shown": True}, {"shown": False}, {"shown": True, "rank": 2}):
        held = nnx_api.metadata(case.variable.copy(**updates))
        same_graph(held, {**nnx_api.metadata(case.variable), **updates})
    same_rows(described(case.variable), before)


@law(
    "`variable.replace(value)` has that value, and the type and metadata of the original",
    source=_VARIABLE,
    level="should",
    needs={"Variable"},
    case=_NEW,
)
def replace_changes_the_value_alone(lib, case):
    before, replaced = described(case.variable), case.variable.replace(case.value)
    equal(nnx_api.type_of(replaced), nnx_api.type_of(case.variable))
    same_graph(nnx_api.raw_value(replaced), case.value)
    same_graph(nnx_api.metadata(replaced), nnx_api.metadata(case.variable))
    nnx_api.set_metadata(replaced, written="to the new one")
    same_rows(described(case.variable), before)


@law(
    "`variable.replace(name=value)` sets that metadata of the new Variable and nothing else",
    source=_VARIABLE,
    level="should",
    needs={"Variable"},
    case=_ANY,
)
def replace_changes_metadata(lib, case):
    replaced = case.variable.replace(added="new")
    wanted = {**nnx_api.metadata(case.variable), "added": "new"}
    same_graph(nnx_api.metadata(replaced), wanted)
    same_graph(nnx_api.raw_value(replaced), nnx_api.raw_value(case.variable))
    true("added" not in nnx_api.metadata(case.variable), case.variable, "no such metadata")


@law(
    "`copy.deepcopy(variable)` is an equal Variable",
    source=_COPY,
    level="should",
    needs={"Variable"},
    case=_ANY,
)
def a_deep_copy_is_an_equal_variable(lib, case):
    copied = copy.deepcopy(case.variable)
    same_graph(copied, case.variable)
    apart(copied, case.variable)


@law(
    "`pickle.loads(pickle.dumps(variable))` equals the Variable",
    source=_PICKLE,
    level="should",
    needs={"Variable"},
    case=_PICKLED,
)
def a_variable_comes_back_from_pickle(lib, case):
    same_graph(pickle.loads(carried(pickle.dumps(case.variable))), case.variable)


def _identity(tree):
    return tree
