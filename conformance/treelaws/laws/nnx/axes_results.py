"""Flax NNX: modules that a transform makes along an axis for each Variable, and refused axes."""

from __future__ import annotations

import functools

from hypothesis_pytrees.nnx.axes import stacked_modules
from hypothesis_pytrees.nnx.axis_names import MARKED_MAKERS, named_axes
from hypothesis_pytrees.nnx.calls.axis_ways import PMAPS, VMAPS
from treelaws.equality import equal, refuses

from ._model import same_graph, variables_of
from .axes import law, names_of_axes, vmap_takes_an_axis_for_each_filter

# "you can pass the `nnx.StateAxes` to `in_axes` and `out_axes`", of `vmap`, `pmap` and `scan`
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html#transforming-sub-states-lift-types"
_MARK = "https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html"
_PREFIX = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/extract.py"


def _not_from_the_end(recipe):
    """Return whether no axis is negative: "a non-negative integer", says `pmap` about its axes."""
    return "axis:-1" not in recipe.features


@law(
    "`vmap` of a function that copies a module, along the same axes in and out, gives a copy of "
    "the module, whether `StateAxes` or a `prefix` says the axes, alone or in a tuple",
    source=_GUIDE,
    level="should",
    needs={"StateAxes", "clone"},
    case=stacked_modules(VMAPS),
    parents=[vmap_takes_an_axis_for_each_filter],
)
def vmap_gives_an_axis_for_each_filter(lib, case):
    copied = case.run(lambda module, x: lib.clone(module), case.module, case.x, case.axes)
    same_graph(copied, case.module)
    same_graph(case.module, case.rebuild().module)


@law(
    "`pmap` of a function that copies a module, along the same axes in and out, gives a copy of "
    "the module, whether `StateAxes` or a `prefix` says the axes, alone or in a tuple",
    source=_GUIDE,
    level="should",
    needs={"StateAxes", "clone"},
    case=stacked_modules(PMAPS, most=1).filter(_not_from_the_end),
    parents=[vmap_takes_an_axis_for_each_filter],
)
def pmap_gives_an_axis_for_each_filter(lib, case):
    copied = case.run(lambda module, x: lib.clone(module), case.module, case.x, case.axes)
    same_graph(copied, case.module)
    same_graph(case.module, case.rebuild().module)


@law(
    "a `prefix` of a tuple, of `Rngs` and of a Variable, by a function of path and leaf, gives "
    "`vmap` the axes of each of their leaves",
    source=_PREFIX,
    level="should",
    needs={"prefix", "clone", "Rngs.split"},
    case=stacked_modules(),
    parents=[vmap_gives_an_axis_for_each_filter],
)
def prefixes_are_made_of_any_node(lib, case):
    streams, axis_of = lib.Rngs(0).split(case.size), case.axis_of
    by_path = lambda path, leaf: 0 if path[0] else axis_of[path[1:]]
    _is_mapped_by(lib, case, (case.module, streams), by_path)
    _is_mapped_by(lib, case, streams, lambda path, leaf: 0)
    for path, variable in variables_of(case.module):
        _is_mapped_by(lib, case, variable, _always(axis_of[path]))


def _always(axis):
    def found(path, leaf):
        return axis

    return found


def _is_mapped_by(lib, case, node, function):
    """Check that `vmap` copies a node along the axes of its prefix."""
    for graph in (True, False):
        axes = lib.prefix(node, function, graph=graph)
        options = {"in_axes": (axes,), "out_axes": axes, "axis_size": case.size}
        mode = {"graph": graph, "graph_updates": False}
        copied = lib.vmap(lambda held: lib.clone(held), **options, **mode)(node)
        same_graph(copied, node)


@law(
    "Variables that a function marked by `transform_metadata` makes under `vmap`, `pmap` or `scan` "
    "have the partition name at the new axis",
    source=_MARK,
    level="should",
    needs={"transform_metadata", "out_sharding", "transforms_take_trees"},
    case=named_axes(MARKED_MAKERS),
)
def marked_functions_name_the_new_axis(lib, case):
    made = case.run(case.make, None, case.x, case.axis)
    equal(names_of_axes(case, made), case.stacked_names)


@law(
    "with `partition=None`, a function marked by `transform_metadata` leaves the new axis unnamed",
    source=_MARK,
    level="should",
    needs={"transform_metadata", "out_sharding", "transforms_take_trees"},
    case=named_axes(),
    parents=[marked_functions_name_the_new_axis],
)
def a_mark_without_a_name_names_no_axis(lib, case):
    marked = lib.transform_metadata(case.make, out_axes=case.axis, partition=None)
    made = lib.vmap(marked, out_axes=case.axis, graph_updates=False)(case.x)
    unnamed = lambda names: tuple(None if name == "stack" else name for name in names)
    wanted = {path: unnamed(names) for path, names in case.stacked_names.items()}
    equal(names_of_axes(case, made), wanted)


@law(
    "a module as axes, shardings or `argnums` raises ValueError in graph mode, and "
    "`StateAxes`, `StateSharding` and `DiffState` do in tree mode and without graph updates",
    source=_PREFIX,
    level="observed",
    needs={"StateAxes", "StateSharding", "prefix"},
    case=stacked_modules(),
)
def prefixes_of_another_mode_are_refused(lib, case):
    """Tree mode "does not support" `StateAxes` and `DiffState`; no text names the exception."""
    for transform, option, filters in _refused(lib, case):
        in_mode = functools.partial(_refuses, transform, case.step, option)
        in_mode(case.module, {"graph": True})
        in_mode(filters, {"graph": False})
        in_mode(filters, {"graph_updates": False})


def _refuses(transform, function, option, value, mode):
    refuses(ValueError, lambda: transform(function, **{option: value}, **mode))


def _refused(lib, case):
    """Return transforms with an option, and its value by filters, which is for graph mode."""
    axes = lib.StateAxes(case.axes)
    return (
        (lib.vmap, "in_axes", axes),
        (lib.pmap, "out_axes", axes),
        (lib.jit, "in_shardings", lib.StateSharding({...: None})),
        (lib.grad, "argnums", lib.DiffState(0, lib.Param)),
    )
