"""Mutants of `flax.serialization`."""

from __future__ import annotations

import dataclasses
from unittest import mock

import jax
import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant

_ID = "flax.serialization."
_RESTORE = "flax.restore."
_SCALARS = (bool, int, float, str)


def _scalars_of(target, restored):
    """Take the target's leaf where the restored one is a Python scalar."""
    return jtu.tree_map(lambda old, new: old if type(new) in _SCALARS else new, target, restored)


def _parts(tree):
    """Return the dicts and lists that a tree of dicts, lists and tuples holds, itself included."""
    if type(tree) in (dict, list):
        yield tree
    if type(tree) in (dict, list, tuple):
        for child in list(tree.values() if type(tree) is dict else tree):
            yield from _parts(child)


@mutant("flax", kills=[_ID + "state_dict_restores_the_tree", _ID + "values_come_from_the_state"])
def lists_come_back_as_tuples(flax):
    """`from_state_dict` gives a tuple for a list."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        restored = real(target, state, name)
        return tuple(restored) if type(restored) is list else restored

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_ID + "state_dicts_have_text_keys"])
def keys_stay_as_they_are(flax):
    """The state dict of a dict or FrozenDict has its keys, that of a list its indices."""
    real = flax.serialization.to_state_dict

    def to_state_dict(target):
        if type(target) in (dict, flax.core.FrozenDict):
            return {key: to_state_dict(value) for key, value in target.items()}
        if type(target) in (list, tuple):
            return {index: to_state_dict(value) for index, value in enumerate(target)}
        return real(target)

    return {"serialization.to_state_dict": to_state_dict}


@mutant("flax", kills=[_ID + "values_come_from_the_state"])
def scalars_come_from_the_target(flax):
    """`from_state_dict` keeps the target's value where the state has a Python scalar."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        return _scalars_of(target, real(target, state, name))

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_ID + "to_state_dict_leaves_the_target_alone"])
def to_state_dict_consumes_the_target(flax):
    """`to_state_dict` takes the items out of lists and dicts."""

    def to_state_dict(target):
        state = flax.serialization.to_state_dict(target)
        for part in list(_parts(target)):
            part.clear()
        return state

    return {"serialization.to_state_dict": to_state_dict}


@mutant("flax", kills=[_RESTORE + "refused_state_leaves_the_target_alone"])
def what_fits_is_restored_in_place(flax):
    """`from_state_dict` restores a list or dict entry by entry, until one does not fit."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        if type(target) is dict:
            for key in list(target):
                target[key] = from_state_dict(target.pop(key), state[str(key)], str(key))
        elif type(target) is list:
            for index in reversed(range(len(target))):
                target.append(from_state_dict(target.pop(index), state.get(str(index), 1)))
        return real(target, state, name)

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_ID + "restoring_makes_a_copy"])
def restoring_works_in_place(flax):
    """`from_state_dict` writes into a list or dict and gives it back."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        restored = real(target, state, name)
        if type(target) is list:
            target[:] = restored
        elif type(target) is dict:
            target.update(restored)
        return target if type(target) in (list, dict) else restored

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_ID + "struct_state_holds_the_data_fields"])
def static_fields_are_state(flax):
    """The state dict of a dataclass holds its static fields too."""

    def to_state_dict(target):
        state = flax.serialization.to_state_dict(target)
        if dataclasses.is_dataclass(target):
            names = [field.name for field in dataclasses.fields(target)]
            return {**{name: getattr(target, name) for name in names}, **state}
        return state

    return {"serialization.to_state_dict": to_state_dict}


@mutant(
    "flax",
    kills=[
        _ID + "bytes_restore_the_tree",
        _ID + "values_come_from_the_bytes",
        _RESTORE + "array_in_pieces_comes_back",
    ],
)
def arrays_without_axes_come_back_as_scalars(flax):
    """`from_bytes` gives a Python scalar for an array without axes."""
    real = flax.serialization.from_bytes

    def scalar(leaf):
        return leaf.item() if isinstance(leaf, np.ndarray) and not leaf.ndim else leaf

    def from_bytes(target, encoded):
        return jtu.tree_map(scalar, real(target, encoded))

    return {"serialization.from_bytes": from_bytes}


@mutant("flax", kills=[_ID + "values_come_from_the_bytes"])
def scalars_are_not_read(flax):
    """`from_bytes` keeps the target's value where a Python scalar was saved."""
    real = flax.serialization.from_bytes

    def from_bytes(target, encoded):
        return _scalars_of(target, real(target, encoded))

    return {"serialization.from_bytes": from_bytes}


@mutant("flax", kills=[_ID + "to_bytes_leaves_the_target_alone"])
def to_bytes_works_in_place(flax):
    """`to_bytes` puts NumPy arrays into the dicts and lists that it saves."""

    def to_bytes(target):
        for part in _parts(target):
            for key, leaf in part.items() if type(part) is dict else enumerate(part):
                if isinstance(leaf, jax.Array) and leaf.dtype == "float32":
                    part[key] = np.asarray(leaf)
        return flax.serialization.to_bytes(target)

    return {"serialization.to_bytes": to_bytes}


@mutant("flax", kills=[_ID + "msgpack_restores_the_tree"])
def restored_lists_are_tuples(flax):
    """`msgpack_restore` gives tuples for lists."""

    def turned(tree):
        if type(tree) is dict:
            return {key: turned(value) for key, value in tree.items()}
        return tuple(map(turned, tree)) if type(tree) is list else tree

    def msgpack_restore(encoded):
        return turned(flax.serialization.msgpack_restore(encoded))

    return {"serialization.msgpack_restore": msgpack_restore}


@mutant("flax", kills=[_ID + "msgpack_leaves_its_argument_alone"])
def msgpack_works_in_place(flax):
    """`msgpack_serialize` works in place, asked or not."""

    def msgpack_serialize(pytree, in_place=False):
        return flax.serialization.msgpack_serialize(pytree, in_place=True)

    return {"serialization.msgpack_serialize": msgpack_serialize}


@mutant("flax", kills=[_ID + "unsupported_dtypes_are_refused"])
def objects_are_saved_as_text(flax):
    """`msgpack_serialize` saves the text of what it cannot save."""

    def msgpack_serialize(pytree, in_place=False):
        try:
            return flax.serialization.msgpack_serialize(pytree, in_place)
        except ValueError:
            return flax.serialization.msgpack_serialize(repr(pytree))

    return {"serialization.msgpack_serialize": msgpack_serialize}


@mutant("flax", kills=[_ID + "registering_twice_is_refused"])
def registering_always_overrides(flax):
    """A type can be registered again and again."""

    def register(ty, to_state, from_state, override=False):
        flax.serialization.register_serialization_state(ty, to_state, from_state, override=True)

    return {"serialization.register_serialization_state": register}


@mutant("flax", kills=[_ID + "override_replaces_the_handlers"])
def the_first_handlers_stay(flax):
    """`override=True` refuses nothing and replaces nothing."""

    def register(ty, to_state, from_state, override=False):
        if not (override and flax.serialization.is_serializable(ty)):
            flax.serialization.register_serialization_state(ty, to_state, from_state)

    return {"serialization.register_serialization_state": register}


@mutant(
    "flax",
    kills=[
        _RESTORE + "missing_entry_is_refused_by_its_path",
        _RESTORE + "unknown_entry_is_refused_by_its_path",
    ],
)
def errors_do_not_name_the_path(flax):
    """The error of `from_state_dict` does not say where the state does not fit."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        try:
            return real(target, state, name)
        except ValueError as raised:
            raise ValueError(str(raised).partition(" at path")[0]) from None

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_RESTORE + "unknown_entry_is_refused_by_its_path"])
def a_state_that_is_too_long_is_ignored(flax):
    """`from_state_dict` gives the target where the state has entries too many."""
    real = flax.serialization.from_state_dict

    def from_state_dict(target, state, name="."):
        try:
            return real(target, state, name)
        except ValueError as raised:
            if "Missing" in str(raised) or "not present" in str(raised):
                raise
            return target

    return {"serialization.from_state_dict": from_state_dict}


@mutant("flax", kills=[_RESTORE + "array_in_pieces_comes_back"])
def pieces_are_not_put_in_shape(flax):
    """`from_bytes` gives arrays of several axes flat."""
    real = flax.serialization.from_bytes

    def flat(leaf):
        return leaf.reshape(-1) if isinstance(leaf, np.ndarray) and leaf.ndim > 1 else leaf

    return {"serialization.from_bytes": lambda target, data: jtu.tree_map(flat, real(target, data))}


@mutant("flax", kills=[_RESTORE + "every_array_above_the_limit_is_in_pieces"])
def arrays_are_never_split(flax):
    """`msgpack_serialize` knows no limit."""
    library = flax.serialization

    def msgpack_serialize(pytree, in_place=False):
        with mock.patch.object(library, "MAX_CHUNK_SIZE", 2**40):
            return library.msgpack_serialize(pytree, in_place)

    return {"serialization.msgpack_serialize": msgpack_serialize}


@mutant("flax", kills=[_ID + "a_registered_type_is_serializable"])
def every_type_is_serializable(flax):
    """`is_serializable` says so of any object."""
    return {"serialization.is_serializable": lambda target: True}
