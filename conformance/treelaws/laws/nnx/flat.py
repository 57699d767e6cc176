"""Flax NNX: flat forms of States, and copies of GraphDefs and States."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import PYTHON_SCALARS, pool
from hypothesis_pytrees.nnx.modules import NNX_MODULES, nnx_modules
from hypothesis_pytrees.nnx.variables import variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true
from treelaws.laws._carried import carried

from ._inputs import STATES
from ._model import same_graph

law = Topic("nnx.flat", "Flax NNX: flat states", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/state.html#flax.nnx."
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx"
_PICKLE = "https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled"
_STATE = cases(state=STATES)
_FORMS = {
    "GraphDef": "nnx.graphdef({})",
    "State": "nnx.state({})",
    "FlatState": "nnx.to_flat_state(nnx.state({}))",
    "GraphState": "nnx.unpack({})",
}
_PLAIN = tuple(kind for kind in NNX_MODULES if {"nnx:box", "nnx:pair"} & set(kind.features))


@st.composite
def _form(draw: st.DrawFn) -> Recipe:
    """Draw `form`, a GraphDef or State of a module whose Variables hold Python scalars."""
    held = variables(pool(tuple(PYTHON_SCALARS)))
    kinds = [kind for kind in _FORMS if not names.lacking([_FORMS[kind]])]
    name = draw(st.sampled_from(kinds))
    scope = Scope()
    module = scope.include(draw(nnx_modules(held, roots=_PLAIN, max_leaves=1)))
    scope.bind("form", _FORMS[name].format(module))
    scope.note(f"form:{name}")
    return scope.recipe()


@law(
    "a State made from the flat form of another State holds the same leaves at the same paths",
    source=f"{_DOCS}from_flat_state",
    needs={"State"},
    case=_STATE,
)
def a_state_comes_back_from_its_flat_form(lib, case):
    """Flat forms drop empty mappings, as documented."""
    flat = nnx_api.flat(lib, case.state)
    back = nnx_api.from_flat(lib, flat)
    same_graph(nnx_api.flat(lib, back), flat)
    same(jtu.tree_leaves(back), jtu.tree_leaves(case.state), identical=True)


@law(
    "`from_flat_state` and `merge_state` return a State of the class `cls`",
    source=f"{_CODE}/statelib.py",
    level="observed",
    needs={"from_flat_state", "merge_state"},
    case=_STATE,
)
def a_state_is_of_the_class_asked_for(lib, case):
    kind, flat = type("NamedState", (lib.State,), {}), lib.to_flat_state(case.state)
    for made in (lib.from_flat_state(flat, cls=kind), lib.merge_state(case.state, cls=kind)):
        true(type(made) is kind, made, f"{kind}")
        same_graph(dict(lib.to_flat_state(made)), dict(flat))


@law(
    "indexing a State with the keys of a flat path, one after the other, gives the leaf",
    source=f"{_DOCS}to_flat_state",
    level="should",
    needs={"State"},
    case=_STATE,
)
def a_flat_path_leads_to_its_leaf(lib, case):
    for path, leaf in nnx_api.flat(lib, case.state).items():
        found = case.state
        for key in path:
            found = found[key]
        true(found is leaf, found, f"{leaf}, the leaf at {path}")


@law(
    "a FlatState is a sequence of `(path, leaf)` pairs, sorted by path",
    source=f"{_DOCS}FlatState",
    level="should",
    needs={"to_flat_state"},
    case=_STATE,
)
def a_flat_state_is_a_sequence(lib, case):
    flat = lib.to_flat_state(case.state)
    pairs = list(flat)
    true(len(flat) == len(pairs) and list(flat.paths) == [path for path, _ in pairs], flat, "paths")
    true([id(leaf) for leaf in flat.leaves] == [id(leaf) for _, leaf in pairs], flat, "its leaves")
    equal(list(flat.paths), sorted(flat.paths))
    for place in range(-len(flat), len(flat)):
        true(
            flat[place][0] == pairs[place][0] and flat[place][1] is pairs[place][1], flat, "a pair"
        )
    same_graph(dict(flat[1:]), dict(pairs[1:]))


@law(
    "`tree_map` of the identity over a FlatState returns an equal FlatState",
    source=f"{_DOCS}FlatState",
    level="should",
    needs={"to_flat_state"},
    case=_STATE,
)
def a_flat_state_is_a_tree(lib, case):
    flat = lib.to_flat_state(case.state)
    mapped = jtu.tree_map(lambda leaf: leaf, flat)
    same_graph(dict(mapped), dict(flat))
    same_graph(nnx_api.flat(lib, mapped.to_nested_state()), dict(flat))


@law(
    "`unflatten_mapping` undoes `flatten_mapping(x, keep_empty_nodes=True)`",
    source=f"{_CODE}/traversals.py#L59-L95",
    needs={"traversals"},
    case=_STATE,
)
def mappings_come_back_from_their_flat_form(lib, case):
    flat = lib.traversals.flatten_mapping(case.state, keep_empty_nodes=True)
    back = lib.State(lib.traversals.unflatten_mapping(flat))
    same_graph(back, case.state)


@law(
    "`flatten_mapping(x, sep=...)` joins the keys of a path, and `unflatten_mapping` parts them",
    source=f"{_CODE}/traversals.py#L59-L95",
    needs={"traversals"},
    case=_STATE,
)
def a_separator_joins_and_parts_the_keys(lib, case):
    named = _named(case.state.raw_mapping)
    flat = lib.traversals.flatten_mapping(named)
    joined = lib.traversals.flatten_mapping(named, sep="/")
    same_graph(joined, {"/".join(path): leaf for path, leaf in flat.items()})
    back = lib.traversals.unflatten_mapping
    same_graph(back(joined, sep="/"), back(flat))


@law(
    "`copy`, `deepcopy` and `pickle` make equal copies of GraphDefs and States",
    source=_PICKLE,
    level="should",
    needs={"split", "state"},
    case=_form(),
)
def what_a_module_is_split_into_is_copied(lib, case):
    for copied in (copy.copy(case.form), pickle.loads(carried(pickle.dumps(case.form)))):
        same(copied, case.form)
    same(jtu.tree_structure(copy.deepcopy(case.form)), jtu.tree_structure(case.form))


def _named(tree):
    """Return nested dicts whose keys are texts."""
    if not isinstance(tree, Mapping):
        return tree
    return {f"k{key}": _named(value) for key, value in tree.items()}
