"""Equinox: `tree_pformat`, `tree_pprint` and the `repr` of Modules."""

from __future__ import annotations

import contextlib
import io
import re

import jax
from hypothesis import strategies as st

from hypothesis_pytrees import arrays, modules, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import CALLABLE_OBJECTS, COMPARABLE, pool
from treelaws.equality import equal, true

from ._tree_tools_inputs import (
    MEMBERS,
    SHORT,
    SPELLED_OUT,
    STRUCTS,
    SUMMARISED,
    TRUNCATED,
    array_texts,
    layouts,
    narrow_trees,
)
from .tree_tools import law

_DOCS = "https://docs.kidger.site/equinox/api/pretty-printing/"
_PPRINT = f"{_DOCS}#equinox.tree_pprint"
_PFORMAT = f"{_DOCS}#equinox.tree_pformat"
_NEEDS = {"tree_pformat"}
_TREES = trees(pool((*COMPARABLE, *CALLABLE_OBJECTS)), history=True)


@law(
    "`tree_pformat` returns a string for every tree",
    source=_PFORMAT,
    needs=_NEEDS,
    case=cases(tree=st.one_of(_TREES, _TREES, _TREES, pool(CALLABLE_OBJECTS))),
)
def every_tree_has_a_text(lib, case):
    """The text shows leaves by their `repr`, so no leaf has a `repr` that raises."""
    text = lib.tree_pformat(case.tree)
    true(type(text) is str and text != "", text, "a text")


@law(
    "`tree_pprint` prints the string that `tree_pformat` returns",
    source=_PFORMAT,
    needs={"tree_pformat", "tree_pprint"},
    case=layouts(_TREES),
)
def pprint_prints_the_text(lib, case):
    options = {"width": case.width, "indent": case.indent, "short_arrays": False}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        lib.tree_pprint(case.tree, **options)
    wanted = lib.tree_pformat(case.tree, **options) + "\n"
    equal(printed.getvalue(), wanted)


@law(
    "`tree_pprint` takes `struct_as_array` and `truncate_leaf` as `tree_pformat` does",
    source=_PPRINT,
    needs={"tree_pformat", "tree_pprint"},
    case=STRUCTS | TRUNCATED,
    parents=[pprint_prints_the_text],
)
def pprint_takes_the_options_of_pformat(lib, case):
    blank = lambda node: type(node).__name__ == "Blank"
    options = {"struct_as_array": True, "truncate_leaf": blank}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        lib.tree_pprint(case.tree, **options)
    _same_text(printed.getvalue(), lib.tree_pformat(case.tree, **options) + "\n")


@law(
    "the `repr` of a Module equals its `tree_pformat`",
    source=_PFORMAT,
    needs={"tree_pformat", "Module"},
    case=cases(tree=modules()),
)
def repr_is_the_text(lib, case):
    """Modules with their own `repr` are exempt: `filter_jit` functions, bound methods, ..."""
    if type(case.tree).__repr__ is lib.Module.__repr__:
        equal(repr(case.tree), lib.tree_pformat(case.tree))


@law(
    "a member of an Enumeration is shown by its `repr` at each place of a tree",
    # Quote: "Enumerations use their assigned value in their repr".
    source="https://docs.kidger.site/equinox/api/enumerations/",
    level="should",
    needs=_NEEDS | {"Enumeration"},
    case=MEMBERS,
)
def members_are_shown_by_their_repr(lib, case):
    _same_text(lib.tree_pformat(case.tree), lib.tree_pformat(case.shown))


@law(
    "`width` and `indent` change only white space",
    source=_PPRINT,
    level="should",
    needs=_NEEDS,
    case=layouts(_TREES),
)
def layout_changes_white_space_only(lib, case):
    text = lib.tree_pformat(case.tree, width=case.width, indent=case.indent)
    wanted = lib.tree_pformat(case.tree)
    equal("".join(text.split()), "".join(wanted.split()))


@law(
    "no line is longer than `width`, if the tree can be broken into such lines",
    source=_PPRINT,
    needs=_NEEDS,
    case=narrow_trees(),
)
def what_fits_is_printed_within_the_width(lib, case):
    text = lib.tree_pformat(case.tree, width=case.width, indent=case.indent)
    longest = max(map(len, text.splitlines()))
    true(longest <= case.width, text, f"at most {case.width} characters a line")


@law(
    "a JAX array is shown by its dtype and shape: `f32[3,4]`",
    source=_PPRINT,
    needs=_NEEDS,
    case=array_texts("float32"),
)
def an_array_is_shown_by_dtype_and_shape(lib, case):
    equal(lib.tree_pformat(case.array), case.text)


@law(
    "a JAX array of any dtype is shown by a short dtype name: `bf16[2]`, `i32[2]`, `bool[2]`",
    source=_PPRINT,
    level="should",
    needs=_NEEDS,
    case=array_texts(*SHORT),
)
def every_dtype_has_a_short_name(lib, case):
    equal(lib.tree_pformat(case.array), case.text)


@law(
    "every JAX array of the tree is abbreviated, in any kind of node",
    source=_PPRINT,
    needs=_NEEDS,
    case=SUMMARISED,
)
def every_array_is_abbreviated(lib, case):
    _same_text(lib.tree_pformat(case.tree), lib.tree_pformat(case.shown))


@law(
    "`short_arrays=False` prints every array in full",
    source=_PPRINT,
    needs=_NEEDS,
    case=SPELLED_OUT,
)
def arrays_can_be_spelled_out(lib, case):
    got = lib.tree_pformat(case.tree, short_arrays=False, width=10**6)
    _same_text(got, lib.tree_pformat(case.shown, short_arrays=False, width=10**6))


@law(
    "`struct_as_array=True` shows every `ShapeDtypeStruct` as an array",
    source=_PPRINT,
    needs=_NEEDS,
    case=STRUCTS,
)
def structs_can_be_shown_as_arrays(lib, case):
    _same_text(lib.tree_pformat(case.tree, struct_as_array=True), lib.tree_pformat(case.shown))


@law(
    "a leaf that `truncate_leaf` accepts is shown as its type name and `(...)`",
    source=_PPRINT,
    needs=_NEEDS,
    case=TRUNCATED,
)
def leaves_can_be_truncated(lib, case):
    got = lib.tree_pformat(case.tree, truncate_leaf=lambda node: type(node).__name__ == "Blank")
    _same_text(got, lib.tree_pformat(case.shown))


@law(
    "`truncate_leaf` is also asked about nodes, the root first",
    source=_PPRINT,
    needs=_NEEDS,
    case=cases(tree=_TREES),
)
def nodes_can_be_truncated(lib, case):
    wanted = f"{type(case.tree).__name__}(...)"
    got = lib.tree_pformat(case.tree, truncate_leaf=lambda node: node is case.tree)
    equal(got, wanted)


@law(
    "`tree_pformat` returns the same text for traced arrays as for arrays",
    source=_PPRINT,
    level="should",
    needs=_NEEDS,
    case=cases(array=arrays()),
)
def traced_arrays_have_a_text(lib, case):
    texts = []
    jax.eval_shape(lambda array: texts.append(lib.tree_pformat({"a": array})), case.array)
    equal(texts[0], lib.tree_pformat({"a": case.array}))


def _same_text(got, wanted):
    equal(*(re.sub(r"0x[0-9a-f]+", "0x", text) for text in (got, wanted)))
