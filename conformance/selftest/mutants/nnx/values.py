"""Mutants of the values of Variables."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from selftest.mutant import mutant

_ID = "nnx.values."


def _param(nnx, **methods):
    return {"Param": type(nnx.Param)("Param", (nnx.Param,), {"__slots__": (), **methods})}


def _rebuild(cls, metadata, children):
    return cls.from_metadata(children[0], dict(metadata))


@mutant("nnx", kills=[_ID + "what_was_set_is_what_one_gets"])
def numbers_become_arrays(nnx):
    """A number that is set comes back as an array."""

    def set_value(self, value, **options):
        value = jnp.asarray(value) if isinstance(value, (int, float, complex)) else value
        nnx.Param.set_value(self, value, **options)

    return _param(nnx, set_value=set_value)


@mutant("nnx", kills=[_ID + "an_item_is_that_of_the_value"])
def items_are_counted_from_the_start(nnx):
    """Index -1 gives the first item."""

    def item(self, index):
        return self.get_value()[0 if index == -1 else index]

    return _param(nnx, __getitem__=item)


@mutant("nnx", kills=[_ID + "an_item_is_set"])
def setting_an_item_sets_them_all(nnx):
    """Setting one item sets every item."""

    def set_item(self, index, value):
        self.set_raw_value(self.get_raw_value().at[...].set(value))

    return _param(nnx, __setitem__=set_item)


@mutant("nnx", kills=[_ID + "a_variable_looks_like_its_value"])
def length_is_the_number_of_leaves(nnx):
    """The length of a Param is the number of its leaves."""
    return _param(nnx, __len__=lambda self: len(jax.tree.leaves(self)))


@mutant("nnx", kills=[_ID + "names_and_types_of_variables_correspond"])
def names_end_in_s(nnx):
    """`variable_name_from_type` adds an s."""

    def variable_name_from_type(cls, /, **options):
        return nnx.variable_name_from_type(cls, **options).rstrip("s") + "s"

    return {"variable_name_from_type": variable_name_from_type}


@mutant("nnx", kills=[_ID + "copy_from_takes_value_and_metadata"])
def copy_from_takes_the_value_alone(nnx):
    """`copy_from` does not take metadata over."""

    def copy_from(self, other):
        metadata = self.get_metadata()
        nnx.Param.copy_from(self, other)
        self.set_metadata(metadata)

    return _param(nnx, copy_from=copy_from)


@mutant("nnx", kills=["nnx.values.arrays_are_indexed_as_by_jax"])
def slices_are_written_whole(nnx):
    """A slice of a Param stands for the whole array when it is written."""

    class Param(nnx.Param):
        def __setitem__(self, index, value):
            super().__setitem__(... if isinstance(index, slice) else index, value)

    return {"Param": Param}
