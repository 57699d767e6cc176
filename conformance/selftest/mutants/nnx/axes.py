"""Mutants of the axes of Variables and their names."""

from __future__ import annotations

import jax

from selftest.mutant import mutant

_ID = "nnx.axes."


def _without_names(transform):
    """Return a transform that does not look at the names of axes."""

    def changed(function, *, transform_metadata, **options):
        return transform(function, **options)

    return changed


@mutant(
    "nnx",
    kills=[
        _ID + "the_mapped_axis_has_no_name_inside",
        _ID + "made_variables_name_the_new_axis",
        _ID + "made_variables_name_the_new_axis_in_each_mode",
        _ID + "hooks_are_told_of_the_axis",
    ],
)
def transforms_ignore_the_partition_name(nnx):
    """`vmap` and `scan` neither remove nor add the name of an axis."""
    return {name: _without_names(getattr(nnx, name)) for name in ("vmap", "scan")}


@mutant("nnx", kills=[_ID + "axis_names_come_back"])
def transforms_add_no_axis(nnx):
    """`vmap` and `scan` leave the names as they are inside."""

    def changed(transform):
        def wrapped(function, *, in_axes, transform_metadata, **options):
            def remove(module):
                axes = in_axes[0]
                axis = axes if isinstance(axes, int) else axes.axes[0]
                for _, variable in nnx.to_flat_state(nnx.state(module)):
                    names = list(variable.get_metadata()["out_sharding"])
                    names.pop(axis)
                    variable.set_metadata(out_sharding=tuple(names))

            def call(module, x):
                result = transform(function, in_axes=in_axes, **options)(module, x)
                remove(module)
                return result

            return call

        return wrapped

    return {name: changed(getattr(nnx, name)) for name in ("vmap", "scan")}


@mutant("nnx", kills=[_ID + "marked_functions_take_and_return_none"])
def marked_functions_get_zero_for_none(nnx):
    """A function marked by `transform_metadata` gets 0 in the place of None."""

    def transform_metadata(function, **options):
        marked = nnx.transform_metadata(function, **options)
        zero = lambda leaf: 0 if leaf is None else leaf
        is_leaf = lambda leaf: leaf is None or isinstance(leaf, nnx.Variable)
        return lambda *args: marked(*jax.tree.map(zero, args, is_leaf=is_leaf))

    return {"transform_metadata": transform_metadata}


@mutant("nnx", kills=[_ID + "variables_without_an_axis_keep_their_names"])
def no_axis_is_the_first(nnx):
    """`transform_metadata` takes None for the axis 0."""

    def transform_metadata(function, *, in_axes, **options):
        axes = jax.tree.map(lambda axis: axis or 0, in_axes, is_leaf=lambda axis: axis is None)
        return nnx.transform_metadata(function, in_axes=axes, **options)

    return {"transform_metadata": transform_metadata}
