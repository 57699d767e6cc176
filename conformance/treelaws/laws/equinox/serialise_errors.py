"""Equinox: errors of `tree_deserialise_leaves`."""

from __future__ import annotations

import io

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import PYTHON_SCALARS, pool
from treelaws.equality import refuses, true
from treelaws.laws._isolated import outcome

from ._serialise_inputs import (
    ARRAYS,
    DOCS,
    ERRORS,
    NUMBERS,
    PLAIN_TREES,
    SAVE_AND_LOAD,
    SCALARS,
    SPECS,
    TESTS,
    cut,
    dtypes,
    file_of,
    file_or_none,
    foreign,
    number_types,
)
from .serialise import law


@law(
    "loading raises RuntimeError if an array has another shape than in `like`",
    source="https://github.com/patrick-kidger/equinox/issues/1093",
    level="should",
    needs=SAVE_AND_LOAD,
    case=cases(leaf=pool(ARRAYS), after=pool(NUMBERS)),
)
def another_shape_is_refused(lib, case):
    file = file_of(lambda file: lib.tree_serialise_leaves(file, [case.leaf, case.after]))
    like = [case.leaf[None], case.after]
    refuses(RuntimeError, lambda: lib.tree_deserialise_leaves(file, like))


@law(
    "loading raises RuntimeError if an array has another dtype than in `like`; it does not cast",
    source="https://github.com/patrick-kidger/equinox/issues/1180",
    level="should",
    needs=SAVE_AND_LOAD,
    case=dtypes(),
)
def another_dtype_is_refused(lib, case):
    file = file_of(lambda file: lib.tree_serialise_leaves(file, case.leaf))
    refuses(RuntimeError, lambda: lib.tree_deserialise_leaves(file, case.like))


@law(
    "loading raises RuntimeError if a number has another type than in `like`; it does not cast",
    source=f"{DOCS}#equinox.tree_deserialise_leaves",
    level="should",
    needs=SAVE_AND_LOAD,
    case=number_types(),
)
def another_number_type_is_refused(lib, case):
    file = file_of(lambda file: lib.tree_serialise_leaves(file, [case.leaf, case.after]))
    refuses(RuntimeError, lambda: lib.tree_deserialise_leaves(file, [case.like, case.after]))


@law(
    "loading a truncated file raises RuntimeError",
    source=ERRORS,
    level="should",
    needs=SAVE_AND_LOAD,
    case=cut(),
)
def a_truncated_file_is_refused(lib, case):
    data = file_of(lambda file: lib.tree_serialise_leaves(file, case.tree)).getvalue()
    file = io.BytesIO(data[: int(case.cut * len(data))])
    refuses(RuntimeError, lambda: lib.tree_deserialise_leaves(file, case.tree))


@law(
    "loading bytes that were never saved by `tree_serialise_leaves` raises RuntimeError",
    source=ERRORS,
    level="should",
    needs=SAVE_AND_LOAD,
    case=foreign(),
)
def foreign_bytes_are_refused(lib, case):
    file = io.BytesIO(case.data)
    refuses(RuntimeError, lambda: lib.tree_deserialise_leaves(file, case.tree))


@law(
    "an extra leaf in `like` raises RuntimeError, and the message names its path",
    source=f"{TESTS}#L83-L98",
    level="should",
    needs=SAVE_AND_LOAD,
    case=cases(tree=PLAIN_TREES, extra=pool(NUMBERS)),
)
def an_error_names_the_path(lib, case):
    file = file_of(lambda file: lib.tree_serialise_leaves(file, [case.tree]))
    try:
        loaded = lib.tree_deserialise_leaves(file, [case.tree, case.extra])
    except RuntimeError as error:
        true("SequenceKey(idx=1)" in str(error), error, "an error that names SequenceKey(idx=1)")
    else:
        true(False, loaded, "RuntimeError")


@law(
    "loading a saved leaf never ends the process",
    source=f"{DOCS}#equinox.default_deserialise_filter_spec",
    level="should",
    needs=SAVE_AND_LOAD | SPECS,
    case=cases(leaf=pool((*PYTHON_SCALARS, *SCALARS))),
)
def a_load_never_ends_the_process(lib, case):
    file = file_or_none(lambda file: lib.tree_serialise_leaves(file, case.leaf))
    if file is not None:
        ended = outcome(lambda: lib.default_deserialise_filter_spec(file, case.leaf)).answer
        true(not ended.startswith(("killed", "exit")), ended, "a value or an error")
