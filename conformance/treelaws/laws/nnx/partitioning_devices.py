"""Flax NNX: modules whose Variables lie on several devices, on meshes of automatic axes."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp

from hypothesis_pytrees.nnx.calls.program_ways import AS_A_TREE, FIXED_PROGRAM
from hypothesis_pytrees.nnx.placed import placed_modules
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal, same
from treelaws.laws._sharded import on_devices

from ._model import same_graph, variables_of
from .partitioning import law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx"
_SPMD = f"{_API}/spmd.html#flax.nnx"
_TRANSFORMS = f"{_API}/transforms.html#flax.nnx"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/flax_gspmd.html"
_NEEDS = {"eight_devices", "split"}
# Ways that do not say themselves on which devices they compute.
_WAYS = tuple(
    way
    for way in (*FIXED_PROGRAM, *AS_A_TREE)
    if not re.search(r"devices\(|pmap", f"{way.template} {way.definitions}")
)


_OF_TREES = frozenset(feature for way in AS_A_TREE for feature in way.features)


def _is_tree(recipe):
    """Return whether no Variable has two paths.

    Filters by path, and ways that take modules as trees, need that.
    """
    return "module:tied" not in recipe.features


def _has_a_way(recipe):
    return _is_tree(recipe) or not _OF_TREES & recipe.features


@law(
    "a State that is put where `get_named_sharding` says, and that updates the module, has each "
    "Variable on the devices of its names",
    source=f"{_SPMD}.get_named_sharding",
    level="should",
    needs={*_NEEDS, "get_named_sharding", "out_sharding"},
    case=placed_modules(),
)
def variables_go_where_their_names_say(lib, case):
    state = lib.state(case.module)
    lib.update(case.module, jax.device_put(state, lib.get_named_sharding(state, case.mesh)))
    same_graph(case.module, case.rebuild().module)
    _all_are_placed(case, case.module)


@law(
    "a Variable with a `mesh` is made on the devices that `out_sharding` names",
    source=_GUIDE,
    level="should",
    needs={*_NEEDS, "out_sharding"},
    case=placed_modules(),
)
def variables_are_made_where_their_names_say(lib, case):
    for path, variable in variables_of(case.module):
        names, value = case.names[path], nnx_api.value(variable)
        made = lib.Param(value, out_sharding=names, mesh=case.mesh)
        same(nnx_api.value(made), value)
        on_devices(nnx_api.value(made), case.shardings[path])


@law(
    "a copy of a module on several devices, its State and what is merged again are on them, too",
    source=f"{_API}/graph.html#flax.nnx.split",
    level="should",
    needs={*_NEEDS, "merge", "clone", "state", "update"},
    case=placed_modules(),
)
def copies_stay_on_the_devices(lib, case):
    wanted, placed, other = case.rebuild().module, _placed(case), case.rebuild().module
    lib.update(other, lib.state(placed))
    for found in (lib.merge(*lib.split(placed)), lib.clone(placed), other):
        same_graph(found, wanted)
        _all_are_placed(case, found)


@law(
    "a program has the same result and effect on a module on several devices in each transform as "
    "on one device",
    source=_GUIDE,
    level="should",
    needs={*_NEEDS, "jit"},
    case=placed_modules(_WAYS).filter(_has_a_way),
    parents=[copies_stay_on_the_devices],
)
def each_way_runs_the_program_on_devices(lib, case):
    wanted, placed = case.rebuild().module, _placed(case)
    same(case.run(_turning, placed, case.x), _turning(wanted, case.x))
    same_graph(placed, wanted)


@law(
    "`jit` with `StateSharding` takes and gives a module whose Variables are where the filters, or "
    "the State, say",
    source=f"{_TRANSFORMS}.jit",
    level="should",
    needs={*_NEEDS, "jit", "StateSharding", "PathContains"},
    case=placed_modules().filter(_is_tree),
    parents=[copies_stay_on_the_devices],
)
def compiled_functions_take_state_shardings(lib, case):
    for places in (_filters(lib, case.shardings), nnx_api.from_flat(lib, case.shardings)):
        _is_compiled_with(lib, case, lib.StateSharding(places))


@law(
    "`jit` with a `prefix` of shardings takes and gives a module whose Variables are where its "
    "filters say",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/extract.py",
    level="should",
    needs={*_NEEDS, "jit", "prefix", "PathContains"},
    case=placed_modules().filter(_is_tree),
    parents=[copies_stay_on_the_devices],
)
def compiled_functions_take_prefixes_of_shardings(lib, case):
    for graph in (True, False):
        filters = _filters(lib, case.shardings)
        where = lib.prefix(case.rebuild().module, filters, graph=graph)
        _is_compiled_with(lib, case, where, graph=graph, graph_updates=False)


@law(
    "`shard_map` with `StateSharding` runs a program on the parts of a module, and joins what it "
    "has made of them",
    source=f"{_TRANSFORMS}.shard_map",
    needs={*_NEEDS, "shard_map", "StateSharding", "PathContains"},
    case=placed_modules().filter(_is_tree),
    parents=[copies_stay_on_the_devices],
)
def parts_of_a_module_are_mapped(lib, case):
    wanted = case.rebuild().module
    specs = {path: sharding.spec for path, sharding in case.shardings.items()}
    rows, result = jax.sharding.PartitionSpec(), _negating(wanted, case.x)
    for places in (_filters(lib, specs), nnx_api.from_flat(lib, specs)):
        where = (lib.StateSharding(places), rows)
        mapped = lib.shard_map(_negating, mesh=case.mesh, in_specs=where, out_specs=rows)
        for module in (case.rebuild().module, _placed(case.rebuild())):
            same(mapped(module, case.x), result)
            same_graph(module, wanted)


@law(
    "`as_abstract` gives the Variables of an abstract module the shardings of their names",
    source=f"{_SPMD}.as_abstract",
    needs={*_NEEDS, "as_abstract", "eval_shape", "out_sharding"},
    case=placed_modules(),
)
def abstract_variables_have_their_shardings(lib, case):
    with jax.set_mesh(case.mesh):
        found = dict(variables_of(lib.as_abstract(lib.eval_shape(case.make))))
    specs = {path: nnx_api.raw_value(one).sharding.spec for path, one in found.items()}
    equal(specs, {path: sharding.spec for path, sharding in case.shardings.items()})


def _is_compiled_with(lib, case, where, **mode):
    """Check what `jit` takes and gives with shardings of the module."""
    given, wanted = case.rebuild().module, case.rebuild().module
    run = lib.jit(_turning, in_shardings=(where, None), **mode)
    same(run(given, case.x), _turning(wanted, case.x))
    same_graph(given, wanted)
    made = lib.jit(lambda: _turned(case.make()), out_shardings=where, **mode)()
    same_graph(made, _turned(case.make()))
    _all_are_placed(case, made)


def _placed(case):
    """Put the values of the Variables of the module on the devices, and return the module."""
    for path, variable in variables_of(case.module):
        nnx_api.set_value(variable, jax.device_put(nnx_api.value(variable), case.shardings[path]))
    return case.module


def _all_are_placed(case, module):
    found = dict(variables_of(module))
    for path, sharding in case.shardings.items():
        on_devices(nnx_api.raw_value(found[path]), sharding)


def _filters(lib, places):
    """Return a pair of a filter and a place for each Variable; no two have one last name."""
    return {lib.PathContains(path[-1]): place for path, place in places.items()}


def _turned(module):
    _turning(module, jnp.zeros(8))
    return module


def _turning(module, x):
    """Turn the values of the Variables around, which moves them between devices."""
    for _, variable in variables_of(module):
        value = nnx_api.value(variable)
        nnx_api.set_value(variable, value[::-1] if value.ndim else value)
    return x[::-1]


def _negating(module, x):
    for _, variable in variables_of(module):
        nnx_api.set_value(variable, -nnx_api.value(variable))
    return -x
