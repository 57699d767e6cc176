"""Checkpoints in the formats that people use, read as the places, shapes and dtypes of arrays."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from treelaws.compat import nnx as nnx_api
from treelaws.core.errors import BadInput
from treelaws.core.mismatch import first_line

_ARRAY, _ZIP, _PICKLE = b"\x93NUMPY", b"PK", b"\x80"
# Equinox suggests to write the hyperparameters as a line of JSON before the leaves.
# Source: https://docs.kidger.site/equinox/examples/serialisation/
_HYPERPARAMETERS = b"{"


@dataclasses.dataclass(frozen=True)
class Entry:
    """An array of a checkpoint or of a model.

    Args:
        place: its path; empty in a file without paths.
        shape: its shape.
        dtype: its dtype as text, such as `"float32"`.
    """

    place: str
    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    def fits(self, other: Entry) -> bool:
        """Return whether an array has the shape and the dtype of another.

        NumPy writes the dtypes of other libraries, such as bfloat16, as bytes of their size.
        """
        opaque = self.dtype.startswith("void") and self.dtype == f"void{8 * _size(other.dtype)}"
        return self.shape == other.shape and (self.dtype == other.dtype or opaque)


def _size(dtype: str) -> int:
    try:
        return jnp.dtype(dtype).itemsize
    except TypeError:
        # That of a random key.
        return 0


@dataclasses.dataclass(frozen=True)
class Format:
    """A format of checkpoints.

    Args:
        name: its name for the user.
        entries: returns the arrays of a file.
        of_model: returns the arrays of a model, as this format stores them.
        load: loads a file into a model and raises if that fails; `None` if the format needs none.
        named: whether arrays have paths in the file; otherwise their order says which is which.
    """

    name: str
    entries: Callable[[Path], list[Entry]]
    of_model: Callable[[Any], list[Entry]]
    load: Callable[[Path, Any], object] | None
    named: bool = True


def entry(place: str, leaf: Any) -> Entry:
    """Describe an array or a number."""
    found = leaf if hasattr(leaf, "dtype") and hasattr(leaf, "shape") else np.asarray(leaf)
    # The text of a random key's dtype is `key<fry>`.
    return Entry(place, tuple(found.shape), getattr(found.dtype, "name", str(found.dtype)))


def _numbers(tree: Any) -> list[Entry]:
    """Describe the arrays and numbers of a tree under their key paths."""
    kinds = (bool, int, float, complex)
    pairs = jtu.tree_flatten_with_path(tree)[0]
    return [
        entry(jtu.keystr(path), leaf)
        for path, leaf in pairs
        if isinstance(leaf, kinds) or (hasattr(leaf, "shape") and hasattr(leaf, "dtype"))
    ]


def _stream(path: Path) -> list[Entry]:
    """Read the arrays that Equinox writes one after the other."""
    found: list[Entry] = []
    try:
        with _leaves_of(path) as file:
            while file.peek(1):
                found.append(entry("", np.load(file)))
    except Exception as raised:
        # Whatever follows may look like any format that NumPy reads.
        told = f"{path} is cut off or damaged at its array {len(found) + 1}"
        raise BadInput(f"{told}: {first_line(raised)}") from raised
    return found


def _leaves_of(path: Path) -> BufferedReader:
    """Open a file of Equinox where its leaves begin."""
    file = path.open("rb")
    if file.peek(1).startswith(_HYPERPARAMETERS):
        file.readline()
    return file


def _load_stream(path: Path, model: Any) -> None:
    with _leaves_of(path) as file:
        importlib.import_module("equinox").tree_deserialise_leaves(file, model)
        if file.read(1):
            raise ValueError("the file has more arrays than the model")


def _archive(path: Path) -> list[Entry]:
    try:
        with np.load(path) as found:
            return [entry(name, found[name]) for name in found.files]
    except Exception as raised:
        raise BadInput(f"{path} is not an archive of NumPy: {first_line(raised)}") from raised


def _pickled(path: Path) -> list[Entry]:
    try:
        return _numbers(pickle.loads(path.read_bytes()))
    except Exception as raised:
        told = f"{type(raised).__name__}: {first_line(raised)}"
        raise BadInput(f"{path} cannot be unpickled here: {told}") from raised


def _message(path: Path) -> list[Entry]:
    try:
        flax = importlib.import_module("flax.serialization")
    except ImportError as raised:
        raise BadInput(f"{path} may be msgpack of Flax, which is not installed here") from raised
    try:
        found = flax.msgpack_restore(path.read_bytes())
    except Exception as raised:
        raise BadInput(
            f"{path} is in no format that is known here (leaves of Equinox, msgpack of Flax, a "
            f"folder of Orbax, an archive of NumPy, a pickle), or it is cut off"
        ) from raised
    return list(_nested(found))


def _nested(tree: Any, path: str = "") -> Iterator[Entry]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _nested(value, f"{path}/{key}" if path else str(key))
    elif isinstance(tree, (list, tuple)):
        for key, value in enumerate(tree):
            yield from _nested(value, f"{path}/{key}" if path else str(key))
    elif tree is not None and not isinstance(tree, (str, bytes)):
        yield entry(path, tree)


def _state_dict(model: Any) -> list[Entry]:
    flax = importlib.import_module("flax.serialization")
    return list(_nested(_pure(model) if _is_nnx(model) else flax.to_state_dict(model)))


def _is_nnx(model: Any) -> bool:
    return any(base.__module__.startswith("flax.nnx") for base in type(model).__mro__)


def _pure(model: Any) -> Any:
    nnx = importlib.import_module("flax.nnx")
    state = model if isinstance(model, nnx.State) else nnx.state(model)
    return nnx_api.pure(nnx, state)


def _load_message(path: Path, model: Any) -> None:
    if not _is_nnx(model):
        importlib.import_module("flax.serialization").from_bytes(model, path.read_bytes())


def _checkpoint(path: Path) -> list[Entry]:
    try:
        with importlib.import_module("orbax.checkpoint").StandardCheckpointer() as checkpointer:
            found = checkpointer.restore(path.absolute())
    except Exception as raised:
        told = f"{type(raised).__name__}: {first_line(raised)}"
        raise BadInput(f"{path} cannot be restored by Orbax: {told}") from raised
    # A State of Variables has its arrays one level deeper than its pure dict.
    return [
        dataclasses.replace(one, place=one.place.removesuffix("/value")) for one in _nested(found)
    ]


def format_of(path: Path) -> Format:
    """Return the format of a checkpoint by its first bytes.

    Raises:
        BadInput: there is no such file.
    """
    if path.is_dir():
        return Format("a checkpoint of Orbax", _checkpoint, _state_dict, None)
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as raised:
        raise BadInput(f"--file: {path} cannot be read: {raised.strerror}") from raised
    if start.startswith((_ARRAY, _HYPERPARAMETERS)):
        return Format("leaves of Equinox", _stream, _numbers, _load_stream, named=False)
    if start.startswith(_ZIP):
        return Format("an archive of NumPy", _archive, _numbers, None)
    if start.startswith(_PICKLE) and start[1:2] <= b"\x05":
        return Format("a pickle", _pickled, _numbers, None)
    return Format("msgpack of Flax", _message, _state_dict, _load_message)
