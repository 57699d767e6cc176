"""Equinox: `filter_pmap`, on one device.

Each case that has static leaves maps a new function: calls of one function share what is compiled
for static leaves that are equal, also for 1 and True.
"""

from __future__ import annotations

import functools
import warnings

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.batching import batched, batches
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._functions import doubled, is_array
from ._mapped import both, counted_along, doubled_arrays, pair

law = Topic("equinox.pmap", "Equinox: filter_pmap", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_pmap"
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_vmap_pmap.py"
# The number of devices, which is that of the entries along the mapped axis.
_SIZE = 1
_DONATING = st.sampled_from([Recipe(expression=text) for text in ("'all'", "'warn'", "'none'")])
# "A non-negative integer", says the documentation of `jax.pmap` about its axes.
_BATCHES = batches(size=_SIZE).filter(lambda recipe: "axes:last" not in recipe.features)


@st.composite
def _placed(draw: st.DrawFn) -> Recipe:
    """Draw an array, its axis of one entry, and the axes of two results."""
    scope = Scope()
    shape: list[int] = [*draw(st.sampled_from([(), (3,), (2, 3)]))]
    axis = draw(st.integers(0, len(shape)))
    count = functools.reduce(lambda one, other: one * other, shape, 1)
    shape.insert(axis, _SIZE)
    rank = len(shape)
    scope.bind("array", f"jax.device_put(np.float32(np.arange({count}).reshape({tuple(shape)})))")
    scope.bind("axis", str(axis))
    scope.bind("out", str((_axis(draw, rank), _axis(draw, rank + 1))))
    return scope.recipe()


def _axis(draw: st.DrawFn, rank: int) -> int:
    return draw(st.integers(0, rank - 1))


@law(
    "`filter_pmap` puts the mapped axis where `in_axes` and `out_axes` say, as `jax.vmap` does",
    source=_DOCS,
    needs={"filter_pmap"},
    case=_placed(),
)
def mapped_axes_go_where_jax_puts_them(lib, case):
    got = lib.filter_pmap(pair, in_axes=case.axis, out_axes=case.out)(case.array)
    same(got, jax.vmap(pair, in_axes=case.axis, out_axes=case.out)(case.array))


@law(
    "on a tree of arrays, `filter_pmap` agrees with `jax.vmap` for every prefix of axes",
    source=_DOCS,
    needs={"filter_pmap"},
    case=_BATCHES,
)
def axes_that_are_a_prefix_mean_what_jax_means(lib, case):
    got = lib.filter_pmap(doubled_arrays, in_axes=(case.axes,))(case.tree)
    same(got, jax.vmap(doubled_arrays, in_axes=(case.axes,))(case.tree))


@law(
    "by default, and with a callable that says so, `filter_pmap` maps arrays over their leading "
    "axis and broadcasts all other leaves",
    source=_DOCS,
    needs={"filter_pmap"},
    case=cases(tree=structures(inexact=True)),
)
def default_axes_map_arrays_alone(lib, case):
    given = jtu.tree_map(_stacked, case.tree)
    for options in ({}, {"in_axes": lib.if_array(0)}, {"in_axes": _first_of_arrays}):
        same(lib.filter_pmap(lambda tree: doubled(tree), **options)(given), doubled(given))


@law(
    "an output with the axis `None` is returned once if it does not depend on the mapped axis",
    source=_DOCS,
    needs={"filter_pmap", "if_array"},
    case=cases(array=batched(_SIZE), other=structures()),
)
def unmapped_output_is_given_once(lib, case):
    axes, mapped = (lib.if_array(0), None), lambda one, other: both(one, other)
    got = lib.filter_pmap(mapped, in_axes=axes, out_axes=axes)(case.array, case.other)
    same(got, (doubled(case.array), doubled(case.other)))
    second = lambda one, other: doubled(other)
    got = lib.filter_pmap(second, in_axes=axes, out_axes=None)(case.array, case.other)
    same(got, doubled(case.other))


@law(
    "`in_axes` by name applies to the named arguments, and the default to all others",
    source=_DOCS,
    needs={"filter_pmap", "if_array"},
    case=cases(array=batched(_SIZE), other=structures()),
)
def axes_by_name_leave_the_rest_to_the_default(lib, case):
    mapped = lambda one, other: both(one, other)
    by_name = lib.filter_pmap(mapped, in_axes={"other": None})
    by_place = lib.filter_pmap(mapped, in_axes=(lib.if_array(0), None))
    same(by_name(case.array, case.other), by_place(case.array, case.other))


@law(
    "`axis_name` names the mapped axis for collectives",
    source=_DOCS,
    needs={"filter_pmap"},
    case=_BATCHES,
)
def axis_name_reaches_collectives(lib, case):
    counted = functools.partial(counted_along, "batch")
    got = lib.filter_pmap(counted, in_axes=(case.axes,), axis_name="batch")(case.tree)
    same(got, jax.vmap(counted, in_axes=(case.axes,), axis_name="batch")(case.tree))


@law(
    "with `axis_size` and no mapped axis, the result has a new axis of that size",
    source=_DOCS,
    needs={"filter_pmap"},
    case=cases(tree=structures()),
)
def axis_size_alone_copies_the_result(lib, case):
    mapped = lib.filter_pmap(lambda tree: doubled(tree), in_axes=None, axis_size=_SIZE)
    got = mapped(case.tree)
    same(got, jtu.tree_map(_stacked, doubled(case.tree)))


@law(
    "`lower(...).compile()` of a mapped function returns what the mapped function returns",
    source="https://docs.kidger.site/equinox/api/transformations/#equinox.filter_jit",
    needs={"filter_pmap"},
    level="should",
    case=cases(array=batched(_SIZE)),
)
def compiled_function_equals_the_function(lib, case):
    mapped = lib.filter_pmap(doubled)
    same(mapped.lower(case.array).compile()(case.array), mapped(case.array))


@law(
    "donating arguments does not change the result of a mapped function",
    source=_DOCS,
    level="should",
    needs={"filter_pmap"},
    case=cases(array=batched(_SIZE), donate=_DONATING),
)
def donation_changes_no_result(lib, case):
    wanted = lib.filter_pmap(doubled)(case.rebuild().array)
    with warnings.catch_warnings():
        # A buffer that cannot be used again is not an error.
        warnings.simplefilter("ignore")
        got = lib.filter_pmap(doubled, donate=case.donate)(case.array)
    same(got, wanted)


@law(
    "a function from `filter_pmap` raises RuntimeError for keyword arguments",
    source=_DOCS,
    needs={"filter_pmap"},
    level="should",
    case=cases(array=batched(_SIZE)),
)
def keyword_arguments_are_refused(lib, case):
    refuses(RuntimeError, lambda: lib.filter_pmap(doubled)(tree=case.array))
    refuses(RuntimeError, lambda: lib.filter_pmap(both)(case.array, other=case.array))


@law(
    "`filter_pmap` raises ValueError for an output axis that no output has or that is not an int",
    source=f"{_CODE}#L340-L350",
    needs={"filter_pmap"},
    level="should",
    case=cases(
        array=batched(_SIZE),
        axis=st.sampled_from([Recipe(expression=text) for text in ("9", "-9", "'a'", "0.0")]),
    ),
)
def output_axes_that_do_not_exist_are_refused(lib, case):
    """Each time: an error must not change the next call."""
    function = lambda array: doubled(array)
    for _ in range(2):
        refuses(ValueError, lambda: lib.filter_pmap(function, out_axes=case.axis)(case.array))


def _first_of_arrays(leaf):
    return 0 if is_array(leaf) else None


def _stacked(leaf):
    return jnp.asarray(leaf)[None] if is_array(leaf) else leaf
