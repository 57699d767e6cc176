"""Equinox: `filter_vmap` and `if_array`."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import leaves
from hypothesis_pytrees.trees.batching import batched, batches
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._functions import doubled, is_array
from ._mapped import both, counted_along, doubled_arrays, pair

law = Topic("equinox.vmap", "Equinox: filter_vmap", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_vmap_pmap.py"
_SIZE = 2
_BATCH = structures(scalars=False, inexact=True)
# Trees with several leaves, some of them static: callables return no axis for those.
_SEVERAL = [kind for kind in CONTAINERS if kind.arity > 1]
_MIXED = trees(batched(_SIZE, static=True), roots=_SEVERAL)
# A square array: its first and last axes differ but have the same size.
_SQUARE = "np.arange(4).reshape(2, 2)"
_SQUARES = st.sampled_from(
    [Recipe(expression=text.format(_SQUARE)) for text in ("jax.device_put({})", "np.float32({})")]
)


@st.composite
def _placed(draw: st.DrawFn) -> Recipe:
    """Draw an array, the axis to map and the axes of two results of one and two more dimensions."""
    scope = Scope()
    shape = draw(st.sampled_from([(3,), (2, 3), (3, 2), (2, 3, 4)]))
    count = functools.reduce(lambda one, other: one * other, shape)
    scope.bind("array", f"jax.device_put(np.float32(np.arange({count}).reshape({shape})))")
    rank = len(shape)
    scope.bind("axis", str(draw(st.integers(-rank, rank - 1))))
    out = _axis(draw, rank), _axis(draw, rank + 1)
    if out[0] % rank > 1 or out[1] % (rank + 1) > 1:
        scope.note("out-axis:beyond-1")
    scope.bind("out", str(out))
    return scope.recipe()


def _axis(draw: st.DrawFn, rank: int) -> int:
    return draw(st.integers(-rank, rank - 1))


@law(
    "`filter_vmap` puts the mapped axis where `in_axes` and `out_axes` say, as `jax.vmap` does",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=_placed(),
)
def mapped_axes_go_where_jax_puts_them(lib, case):
    got = lib.filter_vmap(pair, in_axes=case.axis, out_axes=case.out)(case.array)
    same(got, jax.vmap(pair, in_axes=case.axis, out_axes=case.out)(case.array))


@law(
    "`filter_vmap` equals a loop over the mapped axis that stacks its results",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=_placed(),
)
def mapping_is_a_loop(lib, case):
    slices = np.moveaxis(np.asarray(case.array), case.axis, 0)
    one, two = zip(*(pair(part) for part in slices), strict=True)
    wanted = (jnp.stack(one, case.out[0]), jnp.stack(two, case.out[1]))
    same(lib.filter_vmap(pair, in_axes=case.axis, out_axes=case.out)(case.array), wanted)


@law(
    "on a tree of arrays, `filter_vmap` agrees with `jax.vmap` for every prefix of axes",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=st.one_of(batches(size=_SIZE), batches(trees(_SQUARES, max_leaves=3), size=_SIZE)),
)
def axes_that_are_a_prefix_mean_what_jax_means(lib, case):
    got = lib.filter_vmap(doubled_arrays, in_axes=(case.axes,))(case.tree)
    same(got, jax.vmap(doubled_arrays, in_axes=(case.axes,))(case.tree))


@law(
    "a callable in `in_axes` is called with each leaf below it and returns the axis of that leaf",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=batches(_MIXED, size=_SIZE, callables=True),
)
def callable_axes_are_asked_for_each_leaf(lib, case):
    axes = jtu.tree_map(_resolved, case.axes, case.tree, is_leaf=_is_none)
    got = lib.filter_vmap(doubled_arrays, in_axes=(case.axes,))(case.tree)
    same(got, jax.vmap(doubled_arrays, in_axes=(axes,))(case.tree))


@law(
    "by default, `filter_vmap` maps arrays over their leading axis and broadcasts all other leaves",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=cases(tree=_BATCH),
)
def default_axes_map_arrays_alone(lib, case):
    results = [doubled(_slice(case.tree, index)) for index in range(_SIZE)]
    wanted = jtu.tree_map(_stacked, *results)
    same(lib.filter_vmap(doubled)(case.tree), wanted)


@law(
    "`if_array(axis)` returns `axis` for an array and `None` for anything else",
    source=f"{_DOCS}filter_vmap",
    needs={"if_array"},
    case=cases(
        leaf=leaves(), axis=st.sampled_from([Recipe(expression=str(n)) for n in (0, 1, -1)])
    ),
)
def if_array_gives_its_axis_for_arrays(lib, case):
    same(lib.if_array(case.axis)(case.leaf), case.axis if lib.is_array(case.leaf) else None)


@law(
    "`in_axes` by name applies to the named arguments, and the default to all others",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap", "if_array"},
    case=cases(tree=_BATCH, other=structures()),
)
def axes_by_name_leave_the_rest_to_the_default(lib, case):
    by_name = lib.filter_vmap(both, in_axes={"other": None})
    by_place = lib.filter_vmap(both, in_axes=(lib.if_array(0), None))
    same(by_name(case.tree, case.other), by_place(case.tree, case.other))


@law(
    "with `axis_size` and no mapped axis, the result is stacked `axis_size` times",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=cases(tree=structures(), size=st.sampled_from([Recipe(expression=n) for n in "123"])),
)
def axis_size_alone_copies_the_result(lib, case):
    got = lib.filter_vmap(doubled, in_axes=None, axis_size=case.size)(case.tree)
    same(got, jtu.tree_map(_stacked, *[doubled(case.tree)] * case.size))


@law(
    "an output with the axis `None` is returned once if it does not depend on the batch",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=cases(tree=_BATCH, other=structures()),
)
def unmapped_output_is_given_once(lib, case):
    mapped = lib.filter_vmap(
        both, in_axes=(lib.if_array(0), None), out_axes=(lib.if_array(0), None)
    )
    same(mapped(case.tree, case.other)[1], doubled(case.other))


@law(
    "`axis_name` names the mapped axis for collectives",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    case=batches(trees=trees(batched(_SIZE), max_leaves=3), size=_SIZE),
)
def axis_name_reaches_collectives(lib, case):
    counted = functools.partial(counted_along, "batch")
    got = lib.filter_vmap(counted, in_axes=(case.axes,), axis_name="batch")(case.tree)
    same(got, jax.vmap(counted, in_axes=(case.axes,), axis_name="batch")(case.tree))


@law(
    "`filter_vmap` raises ValueError if no axis is mapped and `axis_size` is not given",
    source=f"{_CODE}#L160-L167",
    needs={"filter_vmap"},
    case=cases(tree=structures(statics=False)),
    level="should",
)
def batch_without_size_is_refused(lib, case):
    refuses(ValueError, lambda: lib.filter_vmap(doubled, in_axes=None)(case.tree))


@law(
    "a function from `filter_vmap` raises RuntimeError for keyword arguments",
    source=f"{_DOCS}filter_vmap",
    needs={"filter_vmap"},
    level="should",
    case=cases(tree=_BATCH),
)
def keyword_arguments_are_refused(lib, case):
    refuses(RuntimeError, lambda: lib.filter_vmap(doubled)(tree=case.tree))
    refuses(RuntimeError, lambda: lib.filter_vmap(both)(case.tree, other=case.tree))


@law(
    "`filter_vmap` raises ValueError if `in_axes` names an argument that does not exist",
    source=f"{_CODE}#L96-L100",
    needs={"filter_vmap"},
    case=cases(tree=_BATCH),
    level="should",
)
def axes_of_no_argument_are_refused(lib, case):
    refuses(ValueError, lambda: lib.filter_vmap(doubled, in_axes={"other": 0})(case.tree))


@law(
    "`filter_vmap` raises ValueError for an axis that is not `None`, an int or a callable",
    source=f"{_CODE}#L40-L48",
    needs={"filter_vmap"},
    case=cases(
        array=batched(_SIZE),
        axis=st.sampled_from([Recipe(expression=text) for text in ("'a'", "0.0", "1j", "b''")]),
    ),
    level="should",
)
def axes_of_another_type_are_refused(lib, case):
    refuses(ValueError, lambda: lib.filter_vmap(doubled, in_axes=case.axis)(case.array))
    refuses(ValueError, lambda: lib.filter_vmap(doubled, out_axes=case.axis)(case.array))


@law(
    "`filter_vmap` raises ValueError if the mapped axes have different sizes",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html",
    needs={"filter_vmap"},
    case=cases(one=batched(2), other=batched(3)),
    level="should",
)
def axes_of_different_sizes_are_refused(lib, case):
    refuses(ValueError, lambda: lib.filter_vmap(both)(case.one, case.other))


def _slice(tree, index):
    return jtu.tree_map(lambda leaf: jnp.asarray(leaf)[index] if is_array(leaf) else leaf, tree)


def _stacked(*leaves):
    return jnp.stack(leaves) if is_array(leaves[0]) else leaves[0]


def _is_none(node):
    return node is None


def _resolved(axis, tree):
    return jtu.tree_map(axis if callable(axis) else lambda leaf: axis, tree)
