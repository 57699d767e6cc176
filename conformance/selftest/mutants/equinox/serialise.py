"""Mutants of `tree_serialise_leaves` and `tree_deserialise_leaves`."""

from __future__ import annotations

import io
import os
import pathlib
import signal

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant

_ID = "equinox.serialise."


def _loading(eqx, spec):
    """Return a `tree_deserialise_leaves` that loads with another default filter spec."""

    def tree_deserialise_leaves(path_or_file, like, filter_spec=None, is_leaf=None):
        return eqx.tree_deserialise_leaves(path_or_file, like, filter_spec or spec, is_leaf)

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "loading_undoes_saving_in_double_precision"])
def arrays_are_saved_with_32_bits(eqx):
    """An array of JAX is saved with 32 bits."""

    def spec(file, leaf):
        if isinstance(leaf, jax.Array) and leaf.dtype == "float64":
            leaf = leaf.astype("float32")
        eqx.default_serialise_filter_spec(file, leaf)

    def tree_serialise_leaves(path_or_file, pytree, filter_spec=None, is_leaf=None):
        eqx.tree_serialise_leaves(path_or_file, pytree, filter_spec or spec, is_leaf)

    return {"tree_serialise_leaves": tree_serialise_leaves}


@mutant("equinox", kills=[_ID + "loading_undoes_saving"])
def numpy_arrays_are_saved_through_jax(eqx):
    """A NumPy array or scalar is made an array of JAX first, which has 32 bits."""

    def spec(file, leaf):
        if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "iufc":
            leaf = jnp.asarray(leaf)
        eqx.default_serialise_filter_spec(file, leaf)

    def tree_serialise_leaves(path_or_file, pytree, filter_spec=None, is_leaf=None):
        eqx.tree_serialise_leaves(path_or_file, pytree, filter_spec or spec, is_leaf)

    return {"tree_serialise_leaves": tree_serialise_leaves}


@mutant("equinox", kills=[_ID + "a_path_is_as_good_as_a_file"])
def a_path_gets_its_suffix_on_saving_only(eqx):
    """A path without suffix is saved as `.eqx` and looked for without."""

    def tree_deserialise_leaves(path_or_file, like, *args, **options):
        if isinstance(path_or_file, (str, pathlib.Path)):
            path_or_file = io.BytesIO(pathlib.Path(path_or_file).read_bytes())
        return eqx.tree_deserialise_leaves(path_or_file, like, *args, **options)

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant(
    "equinox",
    kills=[_ID + "like_gives_structure_only", _ID + "a_prefix_spec_loads_some_leaves"],
)
def numbers_come_from_like(eqx):
    """A Python number is read, but that of `like` is kept."""

    def spec(file, leaf):
        value = eqx.default_deserialise_filter_spec(file, leaf)
        return leaf if isinstance(leaf, (bool, int, float, complex)) else value

    return {**_loading(eqx, spec), "default_deserialise_filter_spec": spec}


@mutant("equinox", kills=[_ID + "an_abstract_like_loads_the_arrays"])
def abstract_leaves_are_not_loaded(eqx):
    """Zeros are made for a ShapeDtypeStruct in `like`, and its bytes are not read."""

    def spec(file, leaf):
        if isinstance(leaf, jax.ShapeDtypeStruct):
            return jnp.zeros(leaf.shape, leaf.dtype)
        return eqx.default_deserialise_filter_spec(file, leaf)

    return _loading(eqx, spec)


@mutant("equinox", kills=[_ID + "other_leaves_come_from_like"])
def other_leaves_are_copied(eqx):
    """A leaf that is not loaded is a copy of that in `like`."""

    def tree_deserialise_leaves(path_or_file, like, *args, **options):
        loaded = eqx.tree_deserialise_leaves(path_or_file, like, *args, **options)
        return jtu.tree_map(lambda leaf: object() if type(leaf) is object else leaf, loaded)

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "each_leaf_is_read_where_it_was_written"])
def numpy_scalars_are_written_and_not_read(eqx):
    """A NumPy scalar is saved, but taken from `like` and never read."""

    def spec(file, leaf):
        if isinstance(leaf, np.generic):
            return leaf
        return eqx.default_deserialise_filter_spec(file, leaf)

    return {"default_deserialise_filter_spec": spec}


@mutant("equinox", kills=[_ID + "the_spec_gets_each_leaf_in_order"])
def leaves_are_saved_in_another_order(eqx):
    """Leaves are saved from the last to the first."""

    def tree_serialise_leaves(path_or_file, pytree, filter_spec, is_leaf=None):
        noted = []
        spec = jtu.tree_map(lambda save: lambda file, leaf: noted.append((save, leaf)), filter_spec)
        eqx.tree_serialise_leaves(path_or_file, pytree, spec, is_leaf)
        for save, leaf in reversed(noted):
            save(path_or_file, leaf)

    return {"tree_serialise_leaves": tree_serialise_leaves}


def _unchecked(eqx, fits):
    """Load without a check where a function of the loaded leaf and that of `like` says so."""

    def tree_deserialise_leaves(path_or_file, like, filter_spec=None, is_leaf=None):
        def spec(file, leaf):
            value = eqx.default_deserialise_filter_spec(file, leaf)
            return fits(value, leaf)

        return eqx.tree_deserialise_leaves(path_or_file, like, filter_spec or spec, is_leaf)

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "another_shape_is_refused"])
def arrays_are_broadcast(eqx):
    """An array of another shape is broadcast to that of `like`."""

    def fits(value, leaf):
        return value.reshape(leaf.shape) if isinstance(value, (np.ndarray, jax.Array)) else value

    return _unchecked(eqx, fits)


@mutant("equinox", kills=[_ID + "another_dtype_is_refused"])
def arrays_are_cast(eqx):
    """An array of another dtype is cast to that of `like`."""

    def fits(value, leaf):
        return value.astype(leaf.dtype) if isinstance(value, (np.ndarray, jax.Array)) else value

    return _unchecked(eqx, fits)


@mutant("equinox", kills=[_ID + "another_number_type_is_refused"])
def complex_numbers_lose_their_imaginary_part(eqx):
    """A saved complex number loads as its real part."""

    def spec(file, leaf):
        if isinstance(leaf, (float, int, np.generic)):
            return type(leaf)(np.load(file).item().real)
        return eqx.default_deserialise_filter_spec(file, leaf)

    return _loading(eqx, spec)


@mutant(
    "equinox",
    kills=[_ID + "a_truncated_file_is_refused", _ID + "foreign_bytes_are_refused"],
)
def what_cannot_be_read_comes_from_like(eqx):
    """A leaf whose bytes cannot be read is that of `like`."""

    def spec(file, leaf):
        try:
            return eqx.default_deserialise_filter_spec(file, leaf)
        except (ValueError, EOFError, OSError, SyntaxError):
            return leaf

    return _loading(eqx, spec)


@mutant(
    "equinox",
    kills=[
        _ID + "another_shape_is_refused",
        _ID + "another_dtype_is_refused",
        _ID + "another_number_type_is_refused",
        _ID + "a_truncated_file_is_refused",
        _ID + "foreign_bytes_are_refused",
        _ID + "an_error_names_the_path",
    ],
)
def what_does_not_fit_is_an_attribute_error(eqx):
    """Loading fails with `AttributeError`, whatever the reason is."""

    def tree_deserialise_leaves(path_or_file, like, *args, **options):
        try:
            return eqx.tree_deserialise_leaves(path_or_file, like, *args, **options)
        except RuntimeError as error:
            raise AttributeError("NoneType has no attribute 'read'") from error

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "an_error_names_the_path"])
def errors_do_not_name_the_path(eqx):
    """What goes wrong with a leaf is told without its path."""

    def tree_deserialise_leaves(path_or_file, like, *args, **options):
        try:
            return eqx.tree_deserialise_leaves(path_or_file, like, *args, **options)
        except RuntimeError as error:
            raise RuntimeError("the file does not fit `like`") from error

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "a_load_never_ends_the_process"])
def complex_scalars_end_the_process(eqx):
    """Loading a complex NumPy scalar ends the process."""

    def spec(file, leaf):
        if isinstance(leaf, np.complexfloating):
            os.kill(os.getpid(), signal.SIGKILL)
        return eqx.default_deserialise_filter_spec(file, leaf)

    return {"default_deserialise_filter_spec": spec}


@mutant("equinox", kills=[_ID + "a_weak_type_survives"])
def weak_types_are_made_strong(eqx):
    """An array is loaded through a file of its own, which holds no weak type."""

    def tree_serialise_leaves(path_or_file, pytree, *args, **options):
        file = io.BytesIO()
        eqx.tree_serialise_leaves(file, pytree, *args, **options)
        path_or_file.write(file.getvalue())

    return {"tree_serialise_leaves": tree_serialise_leaves}


@mutant("equinox", kills=[_ID + "files_opened_by_path_are_closed"])
def files_stay_open(eqx):
    """A file that is opened by its path to load it stays open."""

    def tree_deserialise_leaves(path_or_file, like, *options):
        if isinstance(path_or_file, str):
            path = pathlib.Path(path_or_file)
            path_or_file = (path if path.suffix else path.with_suffix(".eqx")).open("rb")
        return eqx.tree_deserialise_leaves(path_or_file, like, *options)

    return {"tree_deserialise_leaves": tree_deserialise_leaves}
