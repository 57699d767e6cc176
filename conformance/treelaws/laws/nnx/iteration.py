"""Flax NNX: iteration over graphs, which visits each reference once."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import nnx_modules
from hypothesis_pytrees.core.cases import cases
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._model import described, kind_of, references, same_graph, same_rows

law = Topic("nnx.iteration", "Flax NNX: iteration over graphs", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx"
_GRAPH = f"{_DOCS}/graph.html#flax.nnx.iter_graph"
_MODULES = f"{_DOCS}/module.html#flax.nnx.iter_modules"
_CHILDREN = f"{_DOCS}/graph.html#flax.nnx.iter_children"
_MAP = f"{_DOCS}/graph.html#flax.nnx.recursive_map"
_DUPLICATES = f"{_DOCS}/graph.html#flax.nnx.find_duplicates"
# The replacement for every array in the laws about `recursive_map`.
_CHANGED = np.zeros(1, np.float32)
_GRAPHS = cases(module=nnx_modules(cycles=True, history=True))
# Quote: "Found cycle in the graph"; `recursive_map` raises ValueError for one.
# Source: https://github.com/google/flax/blob/v0.12.8/flax/nnx/graphlib.py (`_recursive_map`)
_ACYCLIC = cases(module=nnx_modules(history=True))
_SHARED = st.one_of(_GRAPHS, cases(module=nnx_modules(max_leaves=6, layers=False)))


def _is_tree(recipe):
    """Return whether nothing is shared and every node is a PyTree."""
    shared = {"alias:leaf", "alias:subtree", "nnx:tied", "nnx:data", "nnx:object"}
    return not shared & recipe.features


_TREES = cases(module=nnx_modules(alias=False, max_leaves=3).filter(_is_tree))


@law(
    "`iter_graph` yields each module and Variable exactly once, however many paths lead to it",
    source=_GRAPH,
    needs={"iter_graph"},
    case=_SHARED,
)
def iter_graph_visits_each_reference_once(lib, case):
    met = [id(value) for value in _nodes(lib.iter_graph(case.module))]
    wanted = [id(value) for _, value in references(case.module)]
    true(sorted(met) == sorted(wanted), f"{len(met)} visits", f"{len(wanted)} references")


@law(
    "the path that `iter_graph` yields leads from the root to the value",
    source=_GRAPH,
    needs={"iter_graph"},
    case=_GRAPHS,
)
def iter_graph_paths_lead_to_the_values(lib, case):
    for path, value in lib.iter_graph(case.module):
        found = _reached(case.module, path)
        true(found is value, f"{found} at {path}", f"{value}")


@law(
    "`iter_graph` yields a node after everything inside it, and the root last",
    source=_GRAPH,
    level="should",
    needs={"iter_graph"},
    case=_GRAPHS,
)
def iter_graph_goes_from_the_leaves_to_the_root(lib, case):
    paths = [path for path, _ in lib.iter_graph(case.module)]
    place = {path: index for index, path in enumerate(paths)}
    early = [path for path in paths if path and place.get(path[:-1], -1) < place[path]]
    true(paths[-1] == () and not early, early or paths[-1], "each path before that of its parent")


@law(
    "`iter_modules` yields each module once, with a path that leads to it",
    source=_MODULES,
    needs={"Module"},
    case=_GRAPHS,
)
def iter_modules_gives_the_modules(lib, case):
    pairs = list(nnx_api.iter_modules(lib, case.module))
    wanted = [id(one) for _, one in references(case.module) if isinstance(one, lib.Module)]
    equal(sorted(id(one) for _, one in pairs), sorted(wanted))
    for path, value in pairs:
        true(_reached(case.module, path) is value, path, f"the path to {value}")


@law(
    "`iter_children` yields each attribute that is a module, with its name, and nothing deeper",
    source=_CHILDREN,
    needs={"Module"},
    case=_GRAPHS,
)
def iter_children_gives_the_attributes(lib, case):
    """Variables are ignored, since only newer releases yield them."""
    given = nnx_api.iter_children(lib, case.module)
    got = {str(key): id(child) for key, child in given if isinstance(child, lib.Module)}
    held = vars(case.module).items()
    same(got, {name: id(child) for name, child in held if isinstance(child, lib.Module)})


@law(
    "`iter_graph` does not change the module",
    source=_GRAPH,
    level="should",
    needs={"iter_graph"},
    case=_GRAPHS,
)
def iterating_changes_nothing(lib, case):
    held = [(value, dict(vars(value))) for _, value in references(case.module)]
    list(lib.iter_graph(case.module))
    now = [dict(vars(value)) for value, _ in held]
    true(all(map(_identical, now, (before for _, before in held))), now, "the attributes before")


@law(
    "`recursive_map` with the identity function returns an equal graph",
    source=_MAP,
    needs={"recursive_map"},
    case=_ACYCLIC,
)
def recursive_map_of_the_identity_is_the_identity(lib, case):
    same_graph(lib.recursive_map(lambda path, value: value, case.module), case.module)


@law(
    "`recursive_map` calls the function once for each module and Variable",
    source=_MAP,
    needs={"recursive_map"},
    case=_ACYCLIC,
)
def recursive_map_visits_each_reference_once(lib, case):
    met = []
    lib.recursive_map(lambda path, value: (met.append((path, value)), value)[1], case.module)
    got = [type(value).__name__ for _, value in met if kind_of(type(value))]
    wanted = [type(value).__name__ for _, value in references(case.module)]
    equal(sorted(got), sorted(wanted))


@law(
    "`recursive_map` puts the function's result in place of each Variable and array",
    source=_MAP,
    needs={"recursive_map"},
    case=_ACYCLIC,
)
def recursive_map_takes_what_the_function_gives(lib, case):
    back = lib.recursive_map(lambda path, value: _changed(lib, value), case.module)
    leaves = [value for _, value in lib.iter_graph(back) if _is_leaf(value)]
    kept = [value for value in leaves if type(value) is not lib.Cache and value is not _CHANGED]
    true(not kept, kept, "the function's result in every place")


@law(
    "`recursive_map` does not change the graph that it is given",
    source=_MAP,
    level="should",
    needs={"recursive_map"},
    case=_ACYCLIC,
)
def recursive_map_changes_nothing_in_its_input(lib, case):
    before = described(case.module)
    lib.recursive_map(lambda path, value: _changed(lib, value), case.module)
    same_rows(described(case.module), before)


@law(
    "`iter_graph` and `recursive_map` visit the same values in tree mode as in graph mode",
    source=_GRAPH,
    level="should",
    needs={"tree_mode"},
    case=_TREES,
)
def tree_mode_meets_the_same(lib, case):
    """Tree mode supports neither shared references nor nodes that are not PyTrees."""
    modes = (True, False)
    graph, tree = (_node_rows(lib.iter_graph(case.module, graph=mode)) for mode in modes)
    equal(tree, graph)
    met = [[], []]
    for mode in modes:
        note = lambda path, value, mode=mode: (met[mode].append((path, value)), value)[1]
        lib.recursive_map(note, case.module, graph=mode)
    equal(_types(met[False]), _types(met[True]))


@law(
    "all paths that `find_duplicates` returns in one list lead to one object, by different ways",
    source=_DUPLICATES,
    needs={"find_duplicates"},
    case=_SHARED,
)
def duplicates_are_one_object(lib, case):
    for paths in lib.find_duplicates(case.module):
        found = {id(_reached(case.module, path)) for path in paths}
        true(len(found) == 1, paths, "paths to one object")
        true(len({*paths}) == len(paths) > 1, paths, "several different paths")


@law(
    "`find_duplicates` returns all paths of each module and Variable that has several paths",
    source=_DUPLICATES,
    needs={"find_duplicates"},
    case=_SHARED,
)
def find_duplicates_names_what_is_shared(lib, case):
    """Arrays are ignored; an object inside a shared object has one path."""
    groups = (sorted(map(repr, group)) for group in lib.find_duplicates(case.module))
    places = _places(case.module)
    wanted = [sorted(map(repr, paths)) for paths in places.values() if len(paths) > 1]
    arrays = {repr(path) for path, value in lib.iter_graph(case.module) if _is_array(value)}
    got = [group for group in groups if not arrays & set(group)]
    equal(sorted(got), sorted(wanted))


@law(
    "`find_duplicates(module, only=filter)` returns the duplicates that the filter accepts",
    source=_DUPLICATES,
    needs={"find_duplicates"},
    case=_SHARED,
)
def find_duplicates_honours_its_filter(lib, case):
    got = lib.find_duplicates(case.module, only=lib.Module)
    every = lib.find_duplicates(case.module)
    wanted = [paths for paths in every if isinstance(_reached(case.module, paths[0]), lib.Module)]
    equal(got, wanted)


def _nodes(pairs):
    return [value for _, value in pairs if kind_of(type(value))]


def _reached(node, path):
    for key in path:
        if isinstance(key, str) and hasattr(node, key) and not isinstance(node, dict):
            node = getattr(node, key)
        else:
            node = node[key]
    return node


def _rows(pairs):
    return [[repr(path), id(value)] for path, value in pairs]


def _node_rows(pairs):
    return [(path, id(value)) for path, value in pairs if kind_of(type(value))]


def _types(pairs):
    return sorted((repr(path), type(value).__name__) for path, value in pairs if _counts(value))


def _counts(value):
    return bool(kind_of(type(value))) or _is_array(value)


def _is_array(value):
    return isinstance(value, (jax.Array, np.ndarray))


def _is_leaf(value):
    return _is_array(value) or kind_of(type(value)) == "variable"


def _changed(lib, value):
    """Return another Variable for a Variable, another array for an array, else the value."""
    if kind_of(type(value)) == "variable":
        return lib.Cache(nnx_api.raw_value(value))
    return _CHANGED if _is_array(value) else value


def _identical(now, before):
    return now.keys() == before.keys() and all(now[name] is before[name] for name in now)


def _places(node):
    """Return all paths to each module and Variable by `id`; each object is entered once."""
    found = {}

    def walk(node, path):
        kind = kind_of(type(node))
        if kind in ("object", "variable"):
            found.setdefault(id(node), []).append(path)
            if len(found[id(node)]) > 1 or kind == "variable":
                return
        for key, child in _children(node):
            walk(child, (*path, key))

    walk(node, ())
    return found


def _children(node):
    if isinstance(node, Sequence) and not isinstance(node, str):
        return list(enumerate(node))
    if type(node) is dict or kind_of(type(node)) == "object":
        held = node if type(node) is dict else vars(node)
        return sorted(held.items(), key=lambda pair: str(pair[0]))
    return []
