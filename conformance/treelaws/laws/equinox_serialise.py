"""Equinox: `tree_serialise_leaves` and `tree_deserialise_leaves`."""

from __future__ import annotations

import io
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves, trees
from hypothesis_pytrees.cases import cases
from hypothesis_pytrees.dtypes import EVERY_DTYPE
from hypothesis_pytrees.kinds import Kind
from hypothesis_pytrees.leaves import COMPARABLE, PYTHON_SCALARS, pool
from hypothesis_pytrees.specs import partitions
from hypothesis_pytrees.trees import EVERY_KIND

from ..checks import refuses, same, true
from ..law import Topic
from ._isolated import outcome

law = Topic("equinox.serialise", "Equinox: saving and loading leaves", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/serialisation/"
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/"
_TESTS = f"{_CODE}tests/test_serialisation.py"
# Whatever a leaf's load raises comes out as a RuntimeError that names the leaf.
_ERRORS = f"{_CODE}equinox/_serialisation.py#L50-L66"
_SAVE_AND_LOAD = {"tree_serialise_leaves", "tree_deserialise_leaves"}
_SPECS = {"default_serialise_filter_spec", "default_deserialise_filter_spec"}


def _is(kind: Kind, *features: str) -> bool:
    return any(feature.startswith(features) for feature in kind.features)


_SCALARS = tuple(kind for kind in EVERY_DTYPE if _is(kind, "leaf-is:numpy-scalar"))
# Loading one of these can end the process; a law of its own asks that.
_DEADLY = tuple(kind for kind in _SCALARS if _is(kind, "leaf-is:extended"))
# Files hold no weak types, and no document says that they do; a long double's padding is noise.
_SAVED = tuple(
    kind
    for kind in (*COMPARABLE, *EVERY_DTYPE)
    if kind not in _DEADLY and not _is(kind, "leaf:weak") and "longdouble" not in kind.template
)
# What NumPy's file format holds as it is.
_PLAIN = tuple(
    kind
    for kind in _SAVED
    if not _is(kind, "leaf-is:extended", "leaf-is:bfloat16", "leaf-is:other", "leaf-is:abstract")
    and not _is(kind, "leaf:key", "leaf:bfloat16", "leaf:numpy-bfloat16", "leaf:big-int")
)
_ARRAYS = tuple(
    kind for kind in _PLAIN if _is(kind, "leaf-is:array", "leaf-is:numpy", "leaf-is:jax")
)
_ARRAYS = tuple(kind for kind in _ARRAYS if not _is(kind, "leaf-is:numpy-scalar"))
_NUMBERS = tuple(kind for kind in _PLAIN if not _is(kind, "leaf-is:object"))
_PLAIN_TREES = trees(pool(_PLAIN), history=True)
_PYTHON = tuple(kind for kind in PYTHON_SCALARS if kind in _PLAIN)
_NUMBER_TREES = trees(pool((*_PLAIN, *_PYTHON * 10)), history=True)
# The others cannot hold as a leaf a child that `is_leaf` accepts.
_FREE = tuple(kind for kind in EVERY_KIND if not _is(kind, "node:typed-children"))
_NAMES = ("model", "model.eqx", "model.v1.2", ".hidden", "two words")
_STARTS = (b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\x10\x00", b"PK\x03\x04", b"\x80\x04]")

_DTYPES = (
    *("bool", "np.int8", "np.int32", "np.int64", "np.uint8", "np.uint32", "np.uint64"),
    *("np.float16", "np.float32", "np.float64", "np.complex64", "np.complex128", "jnp.bfloat16"),
)
# What JAX makes of a 64-bit array where 64 bits are not enabled.
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
def _dtypes(draw: st.DrawFn) -> Recipe:
    """Draw an array and another one, `like`, that differs from it in dtype alone."""
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
def _number_types(draw: st.DrawFn) -> Recipe:
    """Draw a number, or an array that holds one, and a number `like` of another type."""
    scope = Scope()
    if draw(st.booleans()):
        # Python refuses these conversions itself.
        saved, wanted = "complex", _REAL[draw(st.integers(0, len(_REAL) - 1))]
        scope.note("mismatch:complex-to-real")
    else:
        first = draw(st.integers(0, len(_NUMBER_TYPES) - 1))
        second = (first + draw(st.integers(1, len(_NUMBER_TYPES) - 1))) % len(_NUMBER_TYPES)
        saved, wanted = _NUMBER_TYPES[first], _NUMBER_TYPES[second]
        scope.note("mismatch:convertible")
    # What jax.jit makes of a number loads as that number, by Equinox' own test.
    array = draw(st.booleans()) and _JITTED.get(wanted) not in (saved, f"np.{saved}_")
    scope.bind("leaf", f"np.asarray([1]).astype({saved})" if array else f"{saved}(1)")
    scope.bind("like", f"{wanted}(0)")
    scope.bind("after", draw(pool(_NUMBERS)))
    return scope.recipe()


@st.composite
def _cut(draw: st.DrawFn) -> Recipe:
    """Draw a tree with at least one number and where to cut its file off, from 0 to 1."""
    scope = Scope()
    scope.bind("tree", f"[{scope.include(draw(trees(pool(_PLAIN))))}, 1.5]")
    scope.bind("cut", f"{draw(st.integers(0, 999))} / 1000")
    return scope.recipe()


@st.composite
def _foreign(draw: st.DrawFn) -> Recipe:
    """Draw a tree that begins with a number, and bytes that nobody saved."""
    scope = Scope()
    number = scope.include(draw(pool(_NUMBERS)))
    scope.bind("tree", f"[{number}, {scope.include(draw(trees(pool(_PLAIN))))}]")
    start = _STARTS[draw(st.integers(0, len(_STARTS) - 1))]
    scope.bind("data", repr(start + draw(st.binary(max_size=40))))
    return scope.recipe()


@st.composite
def _names(draw: st.DrawFn) -> Recipe:
    """Draw a tree and the name of a file."""
    scope = Scope()
    scope.bind("tree", f"[{scope.include(draw(trees(pool(_PLAIN))))}]")
    scope.bind("name", repr(_NAMES[draw(st.integers(0, len(_NAMES) - 1))]))
    return scope.recipe()


@law(
    "loading gives back what was saved, or saving refuses",
    source=f"{_DOCS}#equinox.tree_deserialise_leaves",
    needs=_SAVE_AND_LOAD,
    case=cases(tree=trees(pool(_SAVED), history=True)),
)
def loading_undoes_saving(lib, case):
    """Weak types are exempt: files do not hold them, and no document says that they do."""
    saved = _saved(lib, case.tree)
    if saved is not None:
        same(_strong(_loaded(lib, saved, case.tree)), _strong(case.tree))


@law(
    "like gives the structure and the leaves that are not saved, never the value of another leaf",
    source=f"{_DOCS}#equinox.tree_deserialise_leaves",
    needs=_SAVE_AND_LOAD,
    case=cases(tree=_PLAIN_TREES),
    parents=(loading_undoes_saving,),
)
def like_gives_structure_only(lib, case):
    like = jtu.tree_map(_zeroed, case.tree)
    same(_strong(_loaded(lib, _saved(lib, case.tree), like)), _strong(case.tree))


@law(
    "jax.ShapeDtypeStruct in like stands for the JAX array that was saved",
    source=f"{_DOCS}#equinox.tree_deserialise_leaves",
    needs=_SAVE_AND_LOAD,
    case=cases(tree=_PLAIN_TREES),
    parents=(loading_undoes_saving,),
)
def an_abstract_like_loads_the_arrays(lib, case):
    like = jtu.tree_map(_abstract, case.tree)
    same(_strong(_loaded(lib, _saved(lib, case.tree), like)), _strong(case.tree))


@law(
    "a leaf that is no array and no number is that of like, as the very object",
    source=f"{_DOCS}#equinox.tree_deserialise_leaves",
    needs=_SAVE_AND_LOAD,
    case=cases(tree=_PLAIN_TREES),
)
def other_leaves_come_from_like(lib, case):
    like = jtu.tree_map(lambda leaf: leaf if _is_saved(leaf) else object(), case.tree)
    loaded = _loaded(lib, _saved(lib, case.tree), like)
    got, wanted = ([x for x in jtu.tree_leaves(t) if not _is_saved(x)] for t in (loaded, like))
    same(got, wanted, identical=True)


@law(
    "each leaf is read from the very bytes that were written for it",
    source="https://github.com/patrick-kidger/equinox/issues/486",
    needs=_SAVE_AND_LOAD | _SPECS,
    case=cases(tree=trees(pool(_SAVED), history=True)),
    parents=(loading_undoes_saving,),
)
def each_leaf_is_read_where_it_was_written(lib, case):
    written, read = [], []
    save, load = lib.default_serialise_filter_spec, lib.default_deserialise_filter_spec
    file = _saved(lib, case.tree, _noting(written, save))
    if file is not None:
        _loaded(lib, file, case.tree, _noting(read, load))
        same(read, written)


@law(
    "filter_spec gets each leaf once, in order, on both ways",
    source=f"{_DOCS}#equinox.tree_serialise_leaves",
    needs=_SAVE_AND_LOAD,
    case=partitions(trees(leaves(hostile=True), kinds=_FREE, history=True)),
)
def the_spec_gets_each_leaf_in_order(lib, case):
    seen, options = [], {"is_leaf": case.is_leaf}
    spec = jtu.tree_map(lambda _: lambda file, leaf: seen.append(leaf) or leaf, case.spec)
    file = io.BytesIO()
    lib.tree_serialise_leaves(file, case.tree, filter_spec=spec, **options)
    loaded = lib.tree_deserialise_leaves(file, case.tree, filter_spec=spec, **options)
    same(loaded, case.tree, identical=True)
    same(seen, jtu.tree_leaves(case.tree, **options) * 2, identical=True)


@law(
    "a prefix filter_spec saves and loads some leaves and takes the others from like",
    source=f"{_DOCS}#equinox.tree_deserialise_leaves",
    needs=_SAVE_AND_LOAD | _SPECS,
    case=partitions(_NUMBER_TREES, is_leaf=False, callables=False),
    parents=(loading_undoes_saving,),
)
def a_prefix_spec_loads_some_leaves(lib, case):
    save, load = lib.default_serialise_filter_spec, lib.default_deserialise_filter_spec
    saving = jtu.tree_map(lambda keep: save if keep else lambda file, leaf: None, case.spec)
    loading = jtu.tree_map(lambda keep: load if keep else lambda file, leaf: leaf, case.spec)
    like = jtu.tree_map(_zeroed, case.tree)
    loaded = _loaded(lib, _saved(lib, case.tree, saving), like, loading)
    full = jtu.tree_map(lambda keep, below: jtu.tree_map(lambda _: keep, below), case.spec, like)
    wanted = jtu.tree_map(lambda keep, x, y: x if keep else y, full, case.tree, like)
    same(_strong(loaded), _strong(wanted))


@law(
    "a path, a pathlib.Path and a file object take the same bytes and give the same tree",
    source=f"{_DOCS}#equinox.tree_serialise_leaves",
    needs=_SAVE_AND_LOAD,
    case=_names(),
    parents=(loading_undoes_saving,),
)
def a_path_is_as_good_as_a_file(lib, case):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, case.name)
        lib.tree_serialise_leaves(str(path), case.tree)
        (file,) = pathlib.Path(folder).iterdir()
        same(file.read_bytes(), _saved(lib, case.tree).getvalue())
        same(_strong(lib.tree_deserialise_leaves(path, case.tree)), _strong(case.tree))


@law(
    "an array of another shape than in like is an error",
    source="https://github.com/patrick-kidger/equinox/issues/1093",
    level="should",
    needs=_SAVE_AND_LOAD,
    case=cases(leaf=pool(_ARRAYS), after=pool(_NUMBERS)),
)
def another_shape_is_refused(lib, case):
    file = _file_of(lib, [case.leaf, case.after])
    refuses(RuntimeError, lambda: _loaded(lib, file, [case.leaf[None], case.after]))


@law(
    "an array of another dtype than in like is an error, not a cast",
    source="https://github.com/patrick-kidger/equinox/issues/1180",
    level="should",
    needs=_SAVE_AND_LOAD,
    case=_dtypes(),
)
def another_dtype_is_refused(lib, case):
    file = _file_of(lib, case.leaf)
    refuses(RuntimeError, lambda: _loaded(lib, file, case.like))


@law(
    "a number of another type than in like is an error, not a cast",
    source=f"{_DOCS}#equinox.tree_deserialise_leaves",
    level="should",
    needs=_SAVE_AND_LOAD,
    case=_number_types(),
)
def another_number_type_is_refused(lib, case):
    file = _file_of(lib, [case.leaf, case.after])
    refuses(RuntimeError, lambda: _loaded(lib, file, [case.like, case.after]))


@law(
    "a file that was cut off is an error",
    source=_ERRORS,
    level="should",
    needs=_SAVE_AND_LOAD,
    case=_cut(),
)
def a_truncated_file_is_refused(lib, case):
    data = _file_of(lib, case.tree).getvalue()
    file = io.BytesIO(data[: int(case.cut * len(data))])
    refuses(RuntimeError, lambda: _loaded(lib, file, case.tree))


@law(
    "bytes that nobody saved are an error",
    source=_ERRORS,
    level="should",
    needs=_SAVE_AND_LOAD,
    case=_foreign(),
)
def foreign_bytes_are_refused(lib, case):
    refuses(RuntimeError, lambda: _loaded(lib, io.BytesIO(case.data), case.tree))


@law(
    "what stands in like and was not saved is an error that names its path",
    source=f"{_TESTS}#L83-L98",
    level="should",
    needs=_SAVE_AND_LOAD,
    case=cases(tree=_PLAIN_TREES, extra=pool(_NUMBERS)),
)
def an_error_names_the_path(lib, case):
    file = _file_of(lib, [case.tree])
    try:
        loaded = _loaded(lib, file, [case.tree, case.extra])
    except RuntimeError as error:
        true("SequenceKey(idx=1)" in str(error), error, "an error that names SequenceKey(idx=1)")
    else:
        true(False, loaded, "RuntimeError")


@law(
    "loading what was saved never ends the process",
    source=f"{_DOCS}#equinox.default_deserialise_filter_spec",
    level="should",
    needs=_SAVE_AND_LOAD | _SPECS,
    weight=0.2,
    case=cases(leaf=pool((*PYTHON_SCALARS, *_SCALARS))),
)
def a_load_never_ends_the_process(lib, case):
    file = _saved(lib, case.leaf)
    if file is not None:
        ended = outcome(lambda: lib.default_deserialise_filter_spec(file, case.leaf)).answer
        true(not ended.startswith(("killed", "exit")), ended, "a value or an error")


@law(
    "a weak type survives saving and loading",
    source=f"{_DOCS}#equinox.tree_deserialise_leaves",
    level="observed",
    needs=_SAVE_AND_LOAD,
    weight=0.1,
    case=cases(leaf=pool(tuple(kind for kind in COMPARABLE if _is(kind, "leaf:weak")))),
)
def a_weak_type_survives(lib, case):
    same(_loaded(lib, _saved(lib, case.leaf), case.leaf), case.leaf)


def _saved(lib: Any, tree: Any, *spec: Any) -> Any:
    """Save a tree and give the file, or `None` where saving refuses."""
    # No document names the error with which saving refuses a leaf that it cannot write.
    try:
        return _file_of(lib, tree, *spec)
    except Exception:
        return None


def _file_of(lib: Any, tree: Any, *spec: Any) -> Any:
    """Save a tree that can be saved and give the file."""
    file = io.BytesIO()
    lib.tree_serialise_leaves(file, tree, *spec)
    file.seek(0)
    return file


def _loaded(lib: Any, file: Any, like: Any, *spec: Any) -> Any:
    return lib.tree_deserialise_leaves(file, like, *spec)


def _noting(positions: list[int], spec: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Make a filter spec that notes where the file stands before and after each leaf."""

    def noting(file, leaf):
        before = file.tell()
        value = spec(file, leaf)
        positions.extend((before, file.tell()))
        return value

    return noting


def _is_saved(leaf: Any) -> bool:
    return isinstance(leaf, (jax.Array, np.ndarray, np.generic, bool, int, float, complex))


def _strong(tree: Any) -> Any:
    """Make the weak types of a tree strong."""
    return jtu.tree_map(
        lambda leaf: jax.device_put(np.asarray(leaf)) if _is_weak(leaf) else leaf, tree
    )


def _is_weak(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and leaf.weak_type


def _zeroed(leaf: Any) -> Any:
    """Give a leaf of the same type, shape and dtype with another value."""
    if isinstance(leaf, jax.Array):
        return jax.device_put(np.zeros(leaf.shape, leaf.dtype))
    if isinstance(leaf, np.ndarray):
        return np.zeros_like(leaf)
    return type(leaf)(0) if _is_saved(leaf) else leaf


def _abstract(leaf: Any) -> Any:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if isinstance(leaf, jax.Array) else leaf
