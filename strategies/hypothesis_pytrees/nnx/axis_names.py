"""Flax NNX modules whose Variables name their axes, and transforms that add or remove an axis."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.ways import bind_way, way

from .axes import STACKED

_Path = tuple[str, ...]
_NAMES = (None, "rows", "columns")
_RULES = (("rows", "data"), ("rows", None), ("columns", "model"), ("stack", "data"))
# No two rules are about one name, or about one axis of the mesh, which shards one axis of an array.
_PARTS = (operator.itemgetter(0), operator.itemgetter(1))
_LENGTHS = (2, 3)
_PATHS = (("a",), ("inner", "b"))
_CARRIED = "out_axes=nnx.Carry"
_LABELS = "{'partition_name': 'stack'}"
# Expressions that call `step` with each entry along `axis` of a `module` and of an array `x`.
MAPS: Sequence[Kind] = (
    way("vmap", f"nnx.vmap(step, in_axes=(axis, 0), transform_metadata={_LABELS})(module, x)"),
    way(
        "scan",
        f"nnx.scan(step, in_axes=(axis, 0), out_axes=0, transform_metadata={_LABELS})(module, x)",
    ),
    way(
        "vmap-axes",
        "nnx.vmap(step, in_axes=(nnx.StateAxes({...: axis}), 0), "
        f"transform_metadata={_LABELS})(module, x)",
    ),
    way(
        "vmap-in-jit",
        f"nnx.jit(nnx.vmap(step, in_axes=(axis, 0), transform_metadata={_LABELS}))(module, x)",
    ),
    way(
        "marked",
        "nnx.vmap(nnx.transform_metadata(step, in_axes=(axis, 0), partition='stack'), "
        "in_axes=(axis, 0), graph_updates=False)(module, x)",
        needs=(GRAPH_OPTIONS,),
    ),
    way(
        "marked-carry",
        "nnx.scan(nnx.transform_metadata(lambda total, held: step(held, total), "
        f"in_axes=(nnx.Carry, axis), {_CARRIED}, partition='stack'), "
        f"in_axes=(nnx.Carry, axis), {_CARRIED}, graph_updates=False)(x[0], module)",
        needs=(GRAPH_OPTIONS,),
    ),
)
_MADE = f"out_axes=axis, transform_metadata={_LABELS}$mode)"
# Expressions that make a module for each entry of an array `x`, or for the first, in each mode.
MAKERS: Sequence[Kind] = tuple(
    way(f"{name}{mode}", text.replace("$mode", option), needs=(GRAPH_OPTIONS,) if option else ())
    for mode, option in (
        ("", ""),
        ("-tree", ", graph=False"),
        ("-no-updates", ", graph_updates=False"),
    )
    for name, text in (
        ("vmap", f"nnx.vmap(step, {_MADE}(x)"),
        ("pmap", f"nnx.pmap(step, {_MADE}(x[:1])"),
        ("scan", f"nnx.scan(step, in_axes=0, {_MADE}(x)"),
    )
)
# Expressions that make a module so, of a function that is marked with its axes.
_MARK = "nnx.transform_metadata(step, out_axes=axis, partition='stack'"
_END = "out_axes=axis, graph_updates=False)"
MARKED_MAKERS: Sequence[Kind] = tuple(
    way(f"marked-{name}", text, needs=(GRAPH_OPTIONS,))
    for name, text in (
        ("vmap", f"nnx.vmap({_MARK}), {_END}(x)"),
        (
            "vmap-no-axes",
            f"nnx.vmap({_MARK}, in_axes=(None,)), in_axes=(None,), axis_size=len(x), {_END}(x[0])",
        ),
        ("pmap", f"nnx.pmap({_MARK}), {_END}(x[:1])"),
        ("scan", f"nnx.scan({_MARK}), in_axes=0, {_END}(x)"),
        ("tree", f"nnx.vmap({_MARK}, graph=False), out_axes=axis, graph=False)(x)"),
    )
)


@st.composite
def named_axes(draw: st.DrawFn, ways: Sequence[Kind] = MAPS) -> Recipe:
    """Draw a module of stacked Variables that name their axes.

    Names: `module`; `axis`, along which each Variable is stacked; `names`, those of the axes of an
    entry by path; `stacked_names`, those of the stack; `x`, an array with a number for each entry;
    `make`, a function of such a number that makes the module of an entry;
    `run(step, module, x, axis)`, which calls the step with each entry; `rules`, pairs of a name and
    the axis of a mesh for it.

    Args:
        ways: how the step can be called; one that the releases have is drawn.
    """
    scope = Scope()
    scope.define(STACKED)
    size, axis = draw(st.integers(1, 2)), draw(st.sampled_from((0, 1, 2, -1, -2)))
    least = axis if axis >= 0 else -axis - 1
    paths = draw(st.lists(st.sampled_from(_PATHS), min_size=1, max_size=2, unique=True))
    names: dict[_Path, tuple[object, ...]] = {}
    stacked: dict[_Path, tuple[object, ...]] = {}
    whole: dict[_Path, str] = {}
    entries: dict[_Path, str] = {}
    for path in paths:
        given = draw(_names(least))
        shape = [draw(st.sampled_from(_LENGTHS)) for _ in given]
        index = axis if axis >= 0 else len(given) + 1 + axis
        names[path] = tuple(given)
        stacked[path] = (*given[:index], "stack", *given[index:])
        full = (*shape[:index], size, *shape[index:])
        whole[path] = _variable(f"jnp.ones({full})", stacked[path])
        entries[path] = _variable(f"x * jnp.ones({tuple(shape)})", names[path])
        scope.note("names:some" if given else "names:none-left")
    # -2 may be the first of two axes.
    if axis < 0 and any(-axis <= len(given) for given in names.values()):
        scope.note("axis:negative-inner")
    scope.bind("module", _module(whole))
    scope.bind("make", f"lambda x: {_module(entries)}")
    scope.bind("names", repr(names))
    scope.bind("stacked_names", repr(stacked))
    scope.bind("axis", str(axis))
    scope.bind("x", f"jnp.ones({size})")
    rules = draw(st.lists(st.sampled_from(_RULES), max_size=2, unique_by=_PARTS))
    scope.bind("rules", repr(rules))
    # "A non-negative integer", says the documentation of `pmap` about its axes.
    fitting = [one for one in ways if axis >= 0 or "pmap" not in one.template]
    bind_way(draw, scope, fitting, "step, module, x, axis")
    return scope.recipe()


def _names(least: int) -> st.SearchStrategy[list[str | None]]:
    # A mesh axis shards one axis of an array.
    names = st.sampled_from(_NAMES)
    return st.lists(
        names, min_size=least, max_size=least + 1, unique_by=lambda one: one or object()
    )


def _variable(value: str, names: tuple[object, ...]) -> str:
    # Without a mesh no value can be placed.
    return f"nnx.Param({value}, out_sharding={names!r}, eager_sharding=False)"


def _module(variables: dict[_Path, str]) -> str:
    held = [f"{path[0]}={text}" for path, text in variables.items() if len(path) == 1]
    held += [
        f"{path[0]}=NnxStacked({path[1]}={text})"
        for path, text in variables.items()
        if len(path) > 1
    ]
    return f"NnxStacked({', '.join(held)})"
