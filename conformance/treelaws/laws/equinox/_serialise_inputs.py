"""Shared by the laws of saving and loading: leaves that can be saved, mismatches, helpers."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.leaves.dtypes import EVERY_DTYPE
from hypothesis_pytrees.leaves.leaves import COMPARABLE, PYTHON_SCALARS, pool
from hypothesis_pytrees.trees.trees import EVERY_KIND

DOCS = "https://docs.kidger.site/equinox/api/serialisation/"
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/"
TESTS = f"{_CODE}tests/test_serialisation.py"
# Any error while a leaf is loaded is raised again as a RuntimeError that names the leaf.
ERRORS = f"{_CODE}equinox/_serialisation.py#L50-L66"
SAVE_AND_LOAD = {"tree_serialise_leaves", "tree_deserialise_leaves"}
SPECS = {"default_serialise_filter_spec", "default_deserialise_filter_spec"}


def tagged(kind: Kind, *features: str) -> bool:
    """Return whether a kind has a feature that starts with one of these texts."""
    return any(feature.startswith(features) for feature in kind.features)


SCALARS = tuple(kind for kind in EVERY_DTYPE if tagged(kind, "leaf-is:numpy-scalar"))
# Loading one of these can end the process, which a separate law checks.
_DEADLY = tuple(kind for kind in SCALARS if tagged(kind, "leaf-is:extended"))
# Without weak types, which files do not store, and long doubles, whose padding varies.
SAVED = tuple(
    kind
    for kind in (*COMPARABLE, *EVERY_DTYPE)
    if kind not in _DEADLY and not tagged(kind, "leaf:weak") and "longdouble" not in kind.template
)
# Leaves that the file format of NumPy stores unchanged.
_PLAIN = tuple(
    kind
    for kind in SAVED
    if not tagged(kind, "leaf-is:extended", "leaf-is:bfloat16", "leaf-is:other", "leaf-is:abstract")
    and not tagged(kind, "leaf:key", "leaf:bfloat16", "leaf:numpy-bfloat16", "leaf:big-int")
)
ARRAYS = tuple(
    kind for kind in _PLAIN if tagged(kind, "leaf-is:array", "leaf-is:numpy", "leaf-is:jax")
)
ARRAYS = tuple(kind for kind in ARRAYS if not tagged(kind, "leaf-is:numpy-scalar"))
NUMBERS = tuple(kind for kind in _PLAIN if not tagged(kind, "leaf-is:object"))
PLAIN_TREES = trees(pool(_PLAIN), history=True)
_PYTHON = tuple(kind for kind in PYTHON_SCALARS if kind in _PLAIN)
NUMBER_TREES = trees(pool((*_PLAIN, *_PYTHON * 10)), history=True)
# Nodes of other kinds cannot hold a child that `is_leaf` accepts as a leaf.
FREE = tuple(kind for kind in EVERY_KIND if not tagged(kind, "node:typed-children"))
_NAMES = ("model", "model.eqx", "model.v1.2", ".hidden", "two words")
_STARTS = (b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\x10\x00", b"PK\x03\x04", b"\x80\x04]")

_DTYPES = (
    *("bool", "np.int8", "np.int32", "np.int64", "np.uint8", "np.uint32", "np.uint64"),
    *("np.float16", "np.float32", "np.float64", "np.complex64", "np.complex128", "jnp.bfloat16"),
)
# The dtypes that JAX converts 64-bit arrays to, unless 64-bit mode is enabled.
_NARROWED = {
    "np.int64": "np.int32",
    "np.uint64": "np.uint32",
    "np.float64": "np.float32",
    "np.complex128": "np.complex64",
}
_REAL = ("int", "float", "np.int32", "np.float32")
_NUMBER_TYPES = ("bool", "np.bool_", *_REAL)
_JITTED = {
    "bool": "np.bool_",
    "np.bool_": "np.bool_",
    "int": "np.int32",
    "float": "np.float32",
}


@st.composite
def dtypes(draw: st.DrawFn) -> Recipe:
    """Draw an array `leaf`, and an array `like` that differs only in its dtype."""
    scope = Scope()
    first = draw(st.integers(0, len(_DTYPES) - 1))
    second = (first + draw(st.integers(1, len(_DTYPES) - 1))) % len(_DTYPES)
    saved, wanted = _DTYPES[first], _DTYPES[second]
    scope.bind("leaf", f"np.asarray([1.5, 0.0]).astype({saved})")
    text = f"np.asarray([1.5, 0.0]).astype({wanted})"
    jax_like = wanted not in _NARROWED and draw(st.booleans())
    scope.bind("like", f"jax.device_put({text})" if jax_like else text)
    if jax_like and _NARROWED.get(saved) == wanted:
        scope.note("mismatch:narrowed")
    return scope.recipe()


@st.composite
def number_types(draw: st.DrawFn) -> Recipe:
    """Draw `leaf`, a number or an array of one, and `like`, a number of another type."""
    scope = Scope()
    if draw(st.booleans()):
        # Python itself rejects these conversions.
        saved, wanted = "complex", _REAL[draw(st.integers(0, len(_REAL) - 1))]
        scope.note("mismatch:complex-to-real")
    else:
        first = draw(st.integers(0, len(_NUMBER_TYPES) - 1))
        second = (first + draw(st.integers(1, len(_NUMBER_TYPES) - 1))) % len(_NUMBER_TYPES)
        saved, wanted = _NUMBER_TYPES[first], _NUMBER_TYPES[second]
        scope.note("mismatch:convertible")
    # By a test of Equinox, the array that `jax.jit` makes of a number loads as that number.
    array = draw(st.booleans()) and _JITTED.get(wanted) not in (saved, f"np.{saved}_")
    scope.bind("leaf", f"np.asarray([1]).astype({saved})" if array else f"{saved}(1)")
    scope.bind("like", f"{wanted}(0)")
    scope.bind("after", draw(pool(NUMBERS)))
    return scope.recipe()


@st.composite
def cut(draw: st.DrawFn) -> Recipe:
    """Draw a tree with at least one number, and the part of its file to keep, from 0 to 1."""
    scope = Scope()
    scope.bind("tree", f"[{scope.include(draw(trees(pool(_PLAIN))))}, 1.5]")
    scope.bind("cut", f"{draw(st.integers(0, 999))} / 1000")
    return scope.recipe()


@st.composite
def foreign(draw: st.DrawFn) -> Recipe:
    """Draw a tree whose first leaf is a number, and bytes that are not a saved tree."""
    scope = Scope()
    number = scope.include(draw(pool(NUMBERS)))
    scope.bind("tree", f"[{number}, {scope.include(draw(trees(pool(_PLAIN))))}]")
    start = _STARTS[draw(st.integers(0, len(_STARTS) - 1))]
    scope.bind("data", repr(start + draw(st.binary(max_size=40))))
    return scope.recipe()


@st.composite
def names(draw: st.DrawFn) -> Recipe:
    """Draw a tree and the name of a file."""
    scope = Scope()
    scope.bind("tree", f"[{scope.include(draw(trees(pool(_PLAIN))))}]")
    scope.bind("name", repr(_NAMES[draw(st.integers(0, len(_NAMES) - 1))]))
    return scope.recipe()


def file_or_none(save: Callable[[Any], Any]) -> Any:
    """Return a file that `save` has written, or `None` if it raises an error."""
    # No document names the error that saving raises for a leaf that it cannot write.
    try:
        return file_of(save)
    except Exception:
        return None


def file_of(save: Callable[[Any], Any]) -> Any:
    """Return a file that `save` has written, set to its start."""
    file = io.BytesIO()
    save(file)
    file.seek(0)
    return file


def noting(positions: list[int], spec: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a filter spec that notes the position in the file before and after each leaf."""

    def noting(file, leaf):
        before = file.tell()
        value = spec(file, leaf)
        positions.extend((before, file.tell()))
        return value

    return noting


def is_saved(leaf: Any) -> bool:
    """Return whether saving writes a leaf to the file."""
    return isinstance(leaf, (jax.Array, np.ndarray, np.generic, bool, int, float, complex))


def strong(tree: Any) -> Any:
    """Return the tree with the weak types of its arrays made strong."""
    return jtu.tree_map(
        lambda leaf: jax.device_put(np.asarray(leaf)) if _is_weak(leaf) else leaf, tree
    )


def _is_weak(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and leaf.weak_type


def zeroed(leaf: Any) -> Any:
    """Return a leaf of the same type, shape and dtype with the value 0."""
    if isinstance(leaf, jax.Array):
        return jax.device_put(np.zeros(leaf.shape, leaf.dtype))
    if isinstance(leaf, np.ndarray):
        return np.zeros_like(leaf)
    return type(leaf)(0) if is_saved(leaf) else leaf


def abstract(leaf: Any) -> Any:
    """Return a `ShapeDtypeStruct` for a JAX array, and any other leaf itself."""
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if isinstance(leaf, jax.Array) else leaf
