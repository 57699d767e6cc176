"""Mutants of dataclasses and FrozenDicts that use names of the user for themselves."""

from __future__ import annotations

import dataclasses

import jax
import jax.tree_util as jtu

from selftest.flax_patching import frozen_patches, register_in_order, struct_patches
from selftest.mutant import mutant

_ID = "flax."


@mutant("flax", kills=[_ID + "struct.fields_can_have_any_name"])
def fields_of_some_names_are_static(flax):
    """Fields named as a parameter of Flax are static."""
    taken = ("self", "cls")

    def register(kind, data, meta):
        static = [name for name in data if name in taken]
        register_in_order(kind, [name for name in data if name not in taken], [*meta, *static])

    return struct_patches(register=register)


@mutant("flax", kills=[_ID + "struct.replace_takes_fields_of_any_name"])
def replace_has_a_parameter(flax):
    """`replace` has a parameter named `cls`."""

    def finish(kind):
        kind.replace = lambda self, cls=None, **updates: dataclasses.replace(self, **updates)

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "struct.fields_of_any_name_are_restored"])
def some_fields_are_not_saved(flax):
    """The state dict of a dataclass lacks fields named `x`."""

    def to_state_dict(target):
        state = flax.serialization.to_state_dict(target)
        if dataclasses.is_dataclass(target):
            return {name: state[name] for name in state if name != "x"}
        return state

    return {"serialization.to_state_dict": to_state_dict}


@mutant("flax", kills=[_ID + "struct.class_keywords_reach_the_other_bases"])
def bases_are_not_told_of_a_class(flax):
    """`PyTreeNode` keeps from the other bases that there is a class."""
    patches = struct_patches()
    decorate = patches["struct.dataclass"]

    class PyTreeNode:
        def __init_subclass__(cls, **options):
            decorate(cls, **options)

    return {**patches, "struct.PyTreeNode": PyTreeNode}


@mutant("flax", kills=[_ID + "frozen_dict.keywords_are_those_of_dict"])
def constructor_has_a_parameter(flax):
    """The constructor of a FrozenDict has a parameter named `cls`."""
    real = flax.core.FrozenDict

    def init(self, *args, cls=None, **entries):
        real.__init__(self, *args, **entries)

    return frozen_patches(flax, __init__=init)


@mutant("flax", kills=[_ID + "frozen_dict.entries_of_any_name_are_copied_and_popped"])
def copies_take_keywords(flax):
    """`FrozenDict.copy` drops an entry named `cls`."""
    real = flax.core.FrozenDict

    def copied(self, added=()):
        return real.copy(self, {key: value for key, value in dict(added).items() if key != "cls"})

    return frozen_patches(flax, copy=copied)


@mutant("flax", kills=[_ID + "restore.abstract_targets_take_a_state"])
def targets_need_values(flax):
    """`from_state_dict` keeps abstract arrays of the target."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        return _abstract_kept(target, real(target, state, name))

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_ID + "restore.abstract_targets_take_bytes"])
def targets_of_bytes_need_values(flax):
    """`from_bytes` keeps abstract arrays of the target."""
    real = flax.serialization.from_bytes

    def from_bytes(target, encoded):
        return _abstract_kept(target, real(target, encoded))

    return {"serialization.from_bytes": from_bytes}


@mutant("flax", kills=[_ID + "restore.renamed_entry_is_refused_by_its_path"])
def renamed_entries_have_no_path(flax):
    """`from_state_dict` raises KeyError, without a path, where the target has another entry."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        try:
            return real(target, state, name)
        except ValueError as error:
            raise KeyError("an entry") from error

    return {"serialization.from_state_dict": from_state_dict}


def _abstract_kept(target, restored):
    def keep(old, new):
        return old if isinstance(old, jax.ShapeDtypeStruct) else new

    return jtu.tree_map(keep, target, restored)
