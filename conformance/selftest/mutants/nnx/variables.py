"""Mutants of Variables: how they are flattened, copied, read and written."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant

from ._patching import registered

_ID = "nnx.variables."


def _param(nnx, **methods):
    return {"Param": type(nnx.Param)("Param", (nnx.Param,), {"__slots__": (), **methods})}


def _metadata(variable):
    return tuple(sorted(variable.get_metadata().items()))


def _rebuild(cls, metadata, children):
    return cls.from_metadata(children[0], dict(metadata))


@mutant(
    "nnx",
    kills=[
        _ID + "mapping_the_identity_keeps_a_variable",
        _ID + "a_variable_goes_through_jit",
        "nnx.is_leaf.the_identity_keeps_modules_and_states",
    ],
)
def unflatten_forgets_metadata(nnx):
    """A Param is rebuilt without its metadata."""

    def unflatten(cls, metadata, children):
        required = {name: value for name, value in metadata if name in cls.required_metadata}
        return cls.from_metadata(children[0], required)

    def flatten(variable):
        return [variable.get_raw_value()], _metadata(variable)

    return {"Param": registered(nnx.Param, flatten, unflatten)}


@mutant("nnx", kills=[_ID + "a_mapped_variable_is_apart"])
def unflatten_gives_the_original(nnx):
    """A Param is rebuilt as the Param that was flattened, with the new value."""

    def unflatten(cls, static, children):
        static.original.set_raw_value(children[0])
        return static.original

    return {
        "Param": registered(nnx.Param, lambda one: ([one.get_raw_value()], _Kept(one)), unflatten)
    }


class _Kept:
    def __init__(self, original):
        self.original = original


@mutant("nnx", kills=[_ID + "the_leaves_are_those_of_the_value"])
def metadata_is_a_leaf(nnx):
    """The rank of a Param is a leaf beside its value."""

    def flatten(variable):
        return [variable.get_raw_value(), variable.get_metadata("rank", 0)], _metadata(variable)

    return {"Param": registered(nnx.Param, flatten, _rebuild)}


@mutant("nnx", kills=[_ID + "both_ways_to_flatten_agree"])
def key_paths_forget_metadata(nnx):
    """Flattened with key paths, a Param has no metadata in its structure."""

    def flatten(variable):
        return [variable.get_raw_value()], _metadata(variable)

    def keyed(variable):
        return [(jtu.GetAttrKey("value"), variable.get_raw_value())], ()

    return {"Param": registered(nnx.Param, flatten, _rebuild, keyed)}


@mutant("nnx", kills=[_ID + "the_structure_ignores_the_order_of_metadata"])
def metadata_is_not_sorted(nnx):
    """The metadata of a Param stands in its structure in the order in which it was given."""

    def flatten(variable):
        return [variable.get_raw_value()], tuple(variable.get_metadata().items())

    return {"Param": registered(nnx.Param, flatten, _rebuild)}


@mutant("nnx", kills=[_ID + "a_copy_stands_apart"])
def copy_gives_the_variable(nnx):
    """`copy` gives the Variable itself."""
    return _param(nnx, copy=lambda self: self)


@mutant("nnx", kills=[_ID + "replace_changes_the_value_alone"])
def replace_shares_metadata(nnx):
    """A Variable that `replace` made has the very metadata of the first, as up to flax 0.10.6."""

    def replace(self, *args, **updates):
        replaced = nnx.Param.replace(self, *args, **updates)
        object.__setattr__(replaced, "_var_metadata", self._var_metadata)
        return replaced

    return _param(nnx, replace=replace)


@mutant("nnx", kills=[_ID + "replace_changes_metadata"])
def replace_ignores_metadata(nnx):
    """`replace` takes a value and nothing else."""
    return _param(nnx, replace=lambda self, *args, **updates: nnx.Param.copy(self, *args))


@mutant("nnx", kills=[_ID + "a_deep_copy_is_an_equal_variable"])
def a_deep_copy_is_the_variable(nnx):
    """A deep copy of a Variable is the Variable."""
    return _param(nnx, __deepcopy__=lambda self, memo: self)


@mutant("nnx", kills=[_ID + "a_variable_comes_back_from_pickle"])
def pickle_forgets_metadata(nnx):
    """A Param comes back from pickle without its metadata."""
    return _param(nnx, __reduce__=lambda self: (nnx.Param, (self.get_raw_value(),)))
