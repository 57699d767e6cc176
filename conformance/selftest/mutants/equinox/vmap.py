"""Mutants of `filter_vmap` and `if_array`."""

from __future__ import annotations

import inspect

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant


def _is_none(node):
    return node is None


def _patched(eqx, change):
    """Return `filter_vmap` with options that `change` changes."""
    return {"filter_vmap": lambda fun, **options: eqx.filter_vmap(fun, **change(options))}


def _replaced(option, change):
    """Change one option where it is given."""
    return lambda options: {
        **options,
        **({option: change(options[option])} if option in options else {}),
    }


def _each_axis(change):
    return lambda axes: jtu.tree_map(change, axes, is_leaf=_is_none)


def _from_the_front(axis):
    return -1 - axis if isinstance(axis, int) and axis < 0 else axis


@mutant(
    "equinox",
    kills=["equinox.vmap.mapped_axes_go_where_jax_puts_them", "equinox.vmap.mapping_is_a_loop"],
)
def mapped_axis_is_swapped_into_place(eqx):
    """The mapped axis changes places with the axis that it goes to, instead of being moved."""

    def filter_vmap(fun, *, out_axes=0, **options):
        mapped = eqx.filter_vmap(fun, **options)
        swap = lambda axis, out: jtu.tree_map(lambda leaf: jnp.swapaxes(leaf, 0, axis), out)
        return lambda *args: jtu.tree_map(swap, out_axes, mapped(*args))

    return {"filter_vmap": filter_vmap}


@mutant(
    "equinox",
    kills=[
        "equinox.vmap.mapped_axes_go_where_jax_puts_them",
        "equinox.vmap.mapping_is_a_loop",
        "equinox.vmap.axes_that_are_a_prefix_mean_what_jax_means",
    ],
)
def negative_axes_count_from_the_front(eqx):
    """-1 is taken for the leading axis."""
    return _patched(eqx, _replaced("in_axes", _each_axis(_from_the_front)))


@mutant(
    "equinox",
    kills=[
        "equinox.vmap.callable_axes_are_asked_for_each_leaf",
        "equinox.vmap.default_axes_map_arrays_alone",
    ],
)
def callable_axes_are_asked_once(eqx):
    """A callable is asked for the first leaf below it, and the answer holds for all."""

    def asked(axis, tree):
        leaves = jtu.tree_leaves(tree)
        return axis(leaves[0]) if callable(axis) and leaves else axis

    def filter_vmap(fun, *, in_axes=None, **options):
        def call(*args):
            axes = (eqx.if_array(0),) if in_axes is None else in_axes
            axes = jtu.tree_map(asked, axes, args, is_leaf=_is_none)
            return eqx.filter_vmap(fun, in_axes=axes, **options)(*args)

        return call

    return {"filter_vmap": filter_vmap}


@mutant("equinox", kills=["equinox.vmap.if_array_gives_its_axis_for_arrays"])
def if_array_takes_numbers_for_arrays(eqx):
    """`if_array` gives its axis for Python numbers too."""
    return {"if_array": lambda axis: lambda leaf: axis if eqx.is_array_like(leaf) else None}


@mutant("equinox", kills=["equinox.vmap.axes_by_name_leave_the_rest_to_the_default"])
def unnamed_arguments_are_broadcast(eqx):
    """Arguments that a dict of axes does not name are not mapped over."""

    def filter_vmap(fun, *, in_axes=None, **options):
        if isinstance(in_axes, dict):
            in_axes = tuple(in_axes.get(name) for name in inspect.signature(fun).parameters)
        return eqx.filter_vmap(fun, in_axes=in_axes or eqx.if_array(0), **options)

    return {"filter_vmap": filter_vmap}


@mutant("equinox", kills=["equinox.vmap.axis_size_alone_copies_the_result"])
def axis_size_is_counted_from_zero(eqx):
    """One copy more than `axis_size` is made."""
    return _patched(eqx, _replaced("axis_size", lambda size: size + 1))


@mutant("equinox", kills=["equinox.vmap.batch_without_size_is_refused"])
def nothing_mapped_is_a_plain_call(eqx):
    """Where nothing is mapped and no size is known, the function is called once."""

    def filter_vmap(fun, *, in_axes=0, **options):
        return fun if in_axes is None else eqx.filter_vmap(fun, in_axes=in_axes, **options)

    return {"filter_vmap": filter_vmap}


@mutant(
    "equinox",
    kills=[
        "equinox.vmap.keyword_arguments_are_refused",
        "equinox.vmap.axes_of_no_argument_are_refused",
    ],
)
def unknown_names_are_dropped(eqx):
    """Keyword arguments are broadcast, and axes of no argument are dropped."""

    def filter_vmap(fun, *, in_axes=None, **options):
        if isinstance(in_axes, dict):
            known = inspect.signature(fun).parameters
            in_axes = {name: axis for name, axis in in_axes.items() if name in known}
        axes = eqx.if_array(0) if in_axes is None else in_axes

        def call(*args, **kwargs):
            return eqx.filter_vmap(lambda *a: fun(*a, **kwargs), in_axes=axes, **options)(*args)

        return call

    return {"filter_vmap": filter_vmap}


@mutant("equinox", kills=["equinox.vmap.axes_of_another_type_are_refused"])
def axes_are_converted(eqx):
    """Axes that are no ints are made ints, or else taken for `None`."""
    made = lambda axis: int(axis) if isinstance(axis, float) else axis
    known = lambda axis: made(axis) if axis is None or callable(axis) or made(axis) == 0 else None
    return _patched(
        eqx,
        lambda options: {
            name: _each_axis(known)(value) if name in ("in_axes", "out_axes") else value
            for name, value in options.items()
        },
    )


@mutant("equinox", kills=["equinox.vmap.axes_of_different_sizes_are_refused"])
def longer_axes_are_cut(eqx):
    """Like `zip`, mapping ends with the shortest axis."""

    def filter_vmap(fun, **options):
        def call(*args):
            shortest = min(leaf.shape[0] for leaf in jtu.tree_leaves(args))
            cut = jtu.tree_map(lambda leaf: leaf[:shortest], args)
            return eqx.filter_vmap(fun, **options)(*cut)

        return call

    return {"filter_vmap": filter_vmap}


@mutant("equinox", kills=["equinox.vmap.unmapped_output_is_given_once"])
def every_output_is_stacked(eqx):
    """`None` among `out_axes` is taken for the default."""
    default = lambda axis: eqx.if_array(0) if axis is None else axis
    return _patched(eqx, _replaced("out_axes", _each_axis(default)))


@mutant("equinox", kills=["equinox.vmap.axis_name_reaches_collectives"])
def axis_name_is_dropped(eqx):
    """`axis_name` is not handed on."""
    return _patched(eqx, lambda options: {k: v for k, v in options.items() if k != "axis_name"})


@mutant(
    "equinox",
    kills=["equinox.vmap.one_axis_stands_for_everything", "equinox.vmap.each_axis_is_put_back"],
)
def axes_of_results_are_those_of_the_front(eqx):
    """`out_axes` puts the mapped axis in front, whatever it says."""

    def leading(axis):
        if callable(axis):
            return lambda leaf: None if axis(leaf) is None else 0
        return None if axis is None else 0

    return _patched(eqx, _replaced("out_axes", _each_axis(leading)))
