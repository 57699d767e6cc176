"""Equinox: `tree_serialise_leaves` and `tree_deserialise_leaves`."""

from __future__ import annotations

import io
import pathlib
import tempfile

import jax.tree_util as jtu

from hypothesis_pytrees import leaves, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import COMPARABLE, pool
from hypothesis_pytrees.trees.specs import partitions
from treelaws.core.law import Topic
from treelaws.equality import equal, same
from treelaws.laws._carried import carried

from ._serialise_inputs import (
    DOCS,
    FREE,
    NUMBER_TREES,
    PLAIN_TREES,
    SAVE_AND_LOAD,
    SAVED,
    SPECS,
    abstract,
    file_of,
    file_or_none,
    is_saved,
    names,
    noting,
    strong,
    tagged,
    zeroed,
)

law = Topic("equinox.serialise", "Equinox: saving and loading leaves", family="equinox")


@law(
    "loading a saved tree returns that tree, unless saving it raises an error",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    needs=SAVE_AND_LOAD,
    case=cases(tree=trees(pool(SAVED), history=True)),
)
def loading_undoes_saving(lib, case):
    """Weak types are ignored: files do not store them, and the docs do not promise it."""
    file = file_or_none(lambda file: lib.tree_serialise_leaves(file, case.tree))
    if file is not None:
        same(strong(lib.tree_deserialise_leaves(file, case.tree)), strong(case.tree))


@law(
    "loading takes the structure and the unsaved leaves from `like`, but never the value of a"
    " saved leaf",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    needs=SAVE_AND_LOAD,
    case=cases(tree=PLAIN_TREES),
    parents=(loading_undoes_saving,),
)
def like_gives_structure_only(lib, case):
    like = jtu.tree_map(zeroed, case.tree)
    file = file_of(lambda file: lib.tree_serialise_leaves(file, case.tree))
    read = io.BytesIO(carried(file.getvalue()))
    same(strong(lib.tree_deserialise_leaves(read, like)), strong(case.tree))


@law(
    "a `jax.ShapeDtypeStruct` in `like` loads the JAX array that was saved",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    needs=SAVE_AND_LOAD,
    case=cases(tree=PLAIN_TREES),
    parents=(loading_undoes_saving,),
)
def an_abstract_like_loads_the_arrays(lib, case):
    like = jtu.tree_map(abstract, case.tree)
    file = file_of(lambda file: lib.tree_serialise_leaves(file, case.tree))
    read = io.BytesIO(carried(file.getvalue()))
    same(strong(lib.tree_deserialise_leaves(read, like)), strong(case.tree))


@law(
    "a leaf that is neither an array nor a number comes from `like`, as the same object",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    needs=SAVE_AND_LOAD,
    case=cases(tree=PLAIN_TREES),
)
def other_leaves_come_from_like(lib, case):
    like = jtu.tree_map(lambda leaf: leaf if is_saved(leaf) else object(), case.tree)
    file = file_or_none(lambda file: lib.tree_serialise_leaves(file, case.tree))
    loaded = lib.tree_deserialise_leaves(file, like)
    got, wanted = ([x for x in jtu.tree_leaves(t) if not is_saved(x)] for t in (loaded, like))
    same(got, wanted, identical=True)


@law(
    "loading reads each leaf from exactly the bytes that saving wrote for it",
    source="https://github.com/patrick-kidger/equinox/issues/486",
    needs=SAVE_AND_LOAD | SPECS,
    case=cases(tree=trees(pool(SAVED), history=True)),
    parents=(loading_undoes_saving,),
)
def each_leaf_is_read_where_it_was_written(lib, case):
    written, read = [], []
    save = noting(written, lib.default_serialise_filter_spec)
    load = noting(read, lib.default_deserialise_filter_spec)
    file = file_or_none(lambda file: lib.tree_serialise_leaves(file, case.tree, save))
    if file is not None:
        lib.tree_deserialise_leaves(file, case.tree, load)
        same(read, written)


@law(
    "saving and loading each call `filter_spec` once for each leaf, in order",
    source=f"{DOCS}#equinox.tree_serialise_leaves",
    needs=SAVE_AND_LOAD,
    case=partitions(trees(leaves(hostile=True), kinds=FREE, history=True)),
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
    "a prefix `filter_spec` saves and loads some leaves and takes the others from `like`",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    needs=SAVE_AND_LOAD | SPECS,
    case=partitions(NUMBER_TREES, is_leaf=False, callables=False),
    parents=(loading_undoes_saving,),
)
def a_prefix_spec_loads_some_leaves(lib, case):
    save, load = lib.default_serialise_filter_spec, lib.default_deserialise_filter_spec
    saving = jtu.tree_map(lambda keep: save if keep else lambda file, leaf: None, case.spec)
    loading = jtu.tree_map(lambda keep: load if keep else lambda file, leaf: leaf, case.spec)
    like = jtu.tree_map(zeroed, case.tree)
    file = file_of(lambda file: lib.tree_serialise_leaves(file, case.tree, saving))
    read = io.BytesIO(carried(file.getvalue()))
    loaded = lib.tree_deserialise_leaves(read, like, loading)
    full = jtu.tree_map(lambda keep, below: jtu.tree_map(lambda _: keep, below), case.spec, like)
    wanted = jtu.tree_map(lambda keep, x, y: x if keep else y, full, case.tree, like)
    same(strong(loaded), strong(wanted))


@law(
    "a string path, a `pathlib.Path` and a file object hold the same bytes and load the same tree",
    source=f"{DOCS}#equinox.tree_serialise_leaves",
    needs=SAVE_AND_LOAD,
    case=names(),
    parents=(loading_undoes_saving,),
)
def a_path_is_as_good_as_a_file(lib, case):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, case.name)
        lib.tree_serialise_leaves(str(path), case.tree)
        (written,) = pathlib.Path(folder).iterdir()
        file = io.BytesIO()
        lib.tree_serialise_leaves(file, case.tree)
        same(written.read_bytes(), file.getvalue())
        same(strong(lib.tree_deserialise_leaves(path, case.tree)), strong(case.tree))


@law(
    "saving and loading close the file that they open by its path",
    source=f"{DOCS}#equinox.tree_serialise_leaves",
    level="should",
    needs=SAVE_AND_LOAD,
    case=names(),
)
def files_opened_by_path_are_closed(lib, case):
    files = []
    keep = lambda file, leaf: (files.append(file), leaf)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder, case.name))
        lib.tree_serialise_leaves(path, case.tree, keep)
        lib.tree_deserialise_leaves(path, case.tree, keep)
        equal([file.closed for file in files], [True] * len(files))


@law(
    "a weak type survives saving and loading",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    level="observed",
    needs=SAVE_AND_LOAD,
    case=cases(leaf=pool(tuple(kind for kind in COMPARABLE if tagged(kind, "leaf:weak")))),
)
def a_weak_type_survives(lib, case):
    file = file_or_none(lambda file: lib.tree_serialise_leaves(file, case.leaf))
    same(lib.tree_deserialise_leaves(file, case.leaf), case.leaf)
