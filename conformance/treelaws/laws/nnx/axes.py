"""Flax NNX: transforms that take or make each Variable of a module along an axis of its own."""

from __future__ import annotations

from hypothesis_pytrees.nnx.axes import stacked_modules
from hypothesis_pytrees.nnx.axis_names import MAKERS, named_axes
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._axes_model import one_by_one
from ._model import same_graph, variables_of

law = Topic("nnx.axes", "Flax NNX: axes of Variables", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"
_AXES = f"{_GUIDE}#transforming-sub-states-lift-types"
_METADATA = f"{_GUIDE}#axis-metadata"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_PREFIX = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/extract.py"


def _is_a_loop(recipe):
    """Return whether no entry reads a Variable without an axis that another has written.

    Whether it meets the first value or the one that the entry before wrote is not documented.
    """
    return "write:without-axis-in-each-entry" not in recipe.features


_LOOPS = stacked_modules().filter(_is_a_loop)
_CARRYING = stacked_modules(carries=True).filter(
    lambda recipe: "axis:nnx.Carry" in recipe.features and _is_a_loop(recipe)
)


@law(
    "`vmap` with `StateAxes` does for each entry of the axes what the function does for the module "
    "of that entry",
    source=_AXES,
    needs={"StateAxes"},
    case=stacked_modules(),
)
def vmap_takes_an_axis_for_each_filter(lib, case):
    _is_mapped_along(lib, case, case.axes)


@law(
    "`StateAxes` of a State with an axis for each Variable are those of filters",
    # Only the annotation of `StateAxes` and a test say so.
    source="https://github.com/google/flax/blob/v0.12.8/tests/nnx/transforms_test.py",
    level="should",
    needs={"StateAxes"},
    case=stacked_modules(),
    parents=[vmap_takes_an_axis_for_each_filter],
)
def vmap_takes_a_state_of_axes(lib, case):
    _is_mapped_along(lib, case, nnx_api.from_flat(lib, case.axis_of))


def _is_mapped_along(lib, case, axes):
    given = case.rebuild()
    results, module = one_by_one(case)
    mapped = lib.vmap(given.step, in_axes=(lib.StateAxes(axes), 0))
    same(mapped(given.module, given.x), results)
    same_graph(given.module, module)


@law(
    "`vmap` without graph updates takes each leaf of a module along the axis that `prefix` gives",
    source=_PREFIX,
    needs={"prefix"},
    case=stacked_modules(),
)
def vmap_takes_the_axes_of_a_prefix(lib, case):
    for graph in (True, False):
        given = case.rebuild()
        axes = lib.prefix(given.module, dict(given.axes), graph=graph)
        mapped = lib.vmap(given.step, in_axes=(axes, 0), graph=graph, graph_updates=False)
        results, module = one_by_one(case)
        same(mapped(given.module, given.x), results)
        same_graph(given.module, module)


@law(
    "`scan` with `StateAxes` does what a Python loop over the entries of the axes does",
    source=_AXES,
    needs={"StateAxes"},
    case=_LOOPS,
)
def scan_takes_an_axis_for_each_filter(lib, case):
    _scans_like_a_loop(lib, case)


@law(
    "`scan` with `Carry` for a filter of `StateAxes` carries the Variables that the filter matches",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/transforms/iteration.py",
    level="should",
    needs={"StateAxes", "Carry"},
    case=_CARRYING,
    parents=[scan_takes_an_axis_for_each_filter],
)
def scan_carries_what_a_filter_matches(lib, case):
    _scans_like_a_loop(lib, case)


@law(
    "a transform with a partition name leaves the names of the axes of a module that its function "
    "does not change",
    source=_METADATA,
    needs={"StateAxes", "out_sharding"},
    case=named_axes(),
)
def axis_names_come_back(lib, case):
    case.run(lambda module, x: x, case.module, case.x, case.axis)
    equal(names_of_axes(case), case.stacked_names)


@law(
    "within a transform with a partition name, Variables do not name the mapped axis",
    source=_METADATA,
    needs={"StateAxes", "out_sharding"},
    case=named_axes(),
)
def the_mapped_axis_has_no_name_inside(lib, case):
    seen = []
    step = lambda module, x: (seen.append(names_of_axes(case, module)), x)[1]
    case.run(step, case.module, case.x, case.axis)
    equal(seen[-1], case.names)


@law(
    "Variables that a function under `vmap` with a partition name makes have that name at the new "
    "axis",
    source=_METADATA,
    needs={"StateAxes", "out_sharding"},
    case=named_axes(),
)
def made_variables_name_the_new_axis(lib, case):
    labels = {"partition_name": "stack"}
    make = lib.vmap(case.make, out_axes=case.axis, transform_metadata=labels)
    made = make(case.x)
    equal(names_of_axes(case, made), case.stacked_names)
    same(_values(lib, made), _values(lib, case.module))


@law(
    "Variables that a function makes under `vmap`, `pmap` or `scan` with a partition name have it "
    "at the new axis in each mode",
    source=f"{_API}#flax.nnx.pmap",
    level="should",
    needs={"StateAxes", "out_sharding"},
    case=named_axes(MAKERS),
    parents=[made_variables_name_the_new_axis],
)
def made_variables_name_the_new_axis_in_each_mode(lib, case):
    equal(names_of_axes(case, case.run(case.make, None, case.x, case.axis)), case.stacked_names)


@law(
    "a transform with a partition name calls the hooks of a Variable for the axis that goes, and "
    "when it comes back",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/spmd.py#L36-L98",
    level="observed",
    needs={"StateAxes", "out_sharding"},
    case=named_axes(),
)
def hooks_are_told_of_the_axis(lib, case):
    told = []
    for path, variable in variables_of(case.module):
        hooks = {f"on_{how}_axis": _teller(told, how, path) for how in ("remove", "add")}
        nnx_api.set_metadata(variable, **hooks)
    case.run(lambda module, x: x, case.module, case.x, case.axis)
    for path in case.names:
        events = list(dict.fromkeys(event[1:] for event in told if event[0] == path))
        equal(events, [("remove", case.axis, "stack"), ("add", case.axis, "stack")])


def _scans_like_a_loop(lib, case):
    scanned = lib.scan(case.step, in_axes=(lib.StateAxes(case.axes), 0), out_axes=0)
    results, module = one_by_one(case)
    same(scanned(case.module, case.x), results)
    same_graph(case.module, module)


def _teller(told, how, path):
    return lambda variable, index, name: told.append((path, how, index, name))


def names_of_axes(case, module=None):
    """Return the names of the axes of each Variable by path."""
    held = variables_of(case.module if module is None else module)
    return {path: nnx_api.metadata(variable)["out_sharding"] for path, variable in held}


def _values(lib, module):
    """Return the values of a module."""
    return nnx_api.pure(lib, lib.state(module))
