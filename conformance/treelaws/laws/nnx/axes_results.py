"""Flax NNX: modules that a transform makes along an axis for each Variable, and refused axes."""

from __future__ import annotations

from hypothesis_pytrees.nnx.axes import stacked_modules
from hypothesis_pytrees.nnx.calls.axis_ways import PMAPS, VMAPS
from treelaws.equality import refuses

from ._model import same_graph
from .axes import law, vmap_takes_an_axis_for_each_filter

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_PREFIX = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/extract.py"


def _not_from_the_end(recipe):
    """Return whether no axis is negative, which `pmap` does not take."""
    return "axis:-1" not in recipe.features


@law(
    "`vmap` of a function that copies a module, along the same axes in and out, gives a copy of "
    "the module, whether `StateAxes` or a `prefix` says the axes, alone or in a tuple",
    source=f"{_API}#flax.nnx.vmap",
    needs={"StateAxes", "clone"},
    case=stacked_modules(VMAPS),
    weight=0.3,
    parents=[vmap_takes_an_axis_for_each_filter],
)
def vmap_gives_an_axis_for_each_filter(lib, case):
    copied = case.run(lambda module, x: lib.clone(module), case.module, case.x, case.axes)
    same_graph(copied, case.module)
    same_graph(case.module, case.rebuild().module)


@law(
    "`pmap` of a function that copies a module, along the same axes in and out, gives a copy of "
    "the module, whether `StateAxes` or a `prefix` says the axes, alone or in a tuple",
    source=f"{_API}#flax.nnx.pmap",
    needs={"StateAxes", "clone"},
    case=stacked_modules(PMAPS, most=1).filter(_not_from_the_end),
    weight=0.2,
    parents=[vmap_takes_an_axis_for_each_filter],
)
def pmap_gives_an_axis_for_each_filter(lib, case):
    copied = case.run(lambda module, x: lib.clone(module), case.module, case.x, case.axes)
    same_graph(copied, case.module)
    same_graph(case.module, case.rebuild().module)


@law(
    "a module as axes or shardings raises ValueError in graph mode, and `StateAxes` and "
    "`StateSharding` do in tree mode and without graph updates",
    source=_PREFIX,
    level="observed",
    needs={"StateAxes", "StateSharding", "prefix"},
    case=stacked_modules(),
    weight=0.1,
)
def prefixes_of_another_mode_are_refused(lib, case):
    """Documented for `StateAxes` and `StateSharding`, without the type of the exception."""
    axes, shardings = lib.StateAxes(case.axes), lib.StateSharding({...: None})
    table = ((lib.vmap, "in_axes", axes), (lib.pmap, "out_axes", axes))
    for transform, name, filters in (*table, (lib.jit, "in_shardings", shardings)):
        call = lambda held, transform=transform, name=name, **mode: transform(
            case.step, **{name: held}, **mode
        )
        refuses(ValueError, lambda call=call: call(case.module, graph=True))
        for mode in ({"graph": False}, {"graph_updates": False}):
            refuses(ValueError, lambda call=call, f=filters, mode=mode: call(f, **mode))
