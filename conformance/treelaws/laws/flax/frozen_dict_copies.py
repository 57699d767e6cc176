"""Flax: copies of a FrozenDict, `pop` and printed text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.mappings import KEYS, ORDERED, draw_dict, frozen_dicts
from treelaws.equality import equal, refuses, true

from .frozen_dict import law, spoil

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.core.frozen_dict.html"
_FROZEN = f"{_DOCS}#flax.core.frozen_dict.FrozenDict"


@st.composite
def _with_another(draw: st.DrawFn, sorts: Sequence[str] = tuple(KEYS)) -> Recipe:
    """Draw `plain`, `frozen` and `added`, a dict to copy into them."""
    scope = Scope()
    # Keys of one sort, so that some keys are in both.
    sort = (draw(st.sampled_from(sorts)),)
    scope.include(draw(frozen_dicts(sorts=sort)))
    scope.bind("added", draw_dict(draw, scope, sorts=sort))
    return scope.recipe()


@st.composite
def _printed(draw: st.DrawFn) -> Recipe:
    """Draw `plain`, `frozen` and `indent`, a number of spaces."""
    scope = Scope()
    scope.include(draw(frozen_dicts(history=False)))
    indent = draw(st.sampled_from((4, 2, 1)))
    scope.note("indent:default" if indent == 4 else "indent:other")
    scope.bind("indent", repr(indent))
    return scope.recipe()


@law(
    "`freeze(x)` copies: changing the dict later does not change the FrozenDict",
    source=f"{_DOCS}#flax.core.frozen_dict.freeze",
    needs={"core.freeze"},
    case=frozen_dicts(history=False),
)
def freeze_copies(lib, case):
    frozen = lib.core.freeze(case.plain)
    spoil(case.plain)
    equal(frozen, case.rebuild().frozen)


@law(
    "`unfreeze(frozen)` copies: changing the dict does not change the FrozenDict",
    source=f"{_DOCS}#flax.core.frozen_dict.unfreeze",
    needs={"core.freeze", "core.unfreeze"},
    case=frozen_dicts(sorts=ORDERED),
)
def unfreeze_copies(lib, case):
    spoil(lib.core.unfreeze(case.frozen))
    equal(case.frozen, case.plain)


@law(
    "`frozen.copy(entries)` is a FrozenDict equal to `{**frozen, **entries}`",
    source=f"{_DOCS}#flax.core.frozen_dict.FrozenDict.copy",
    needs={"core.copy"},
    case=_with_another(),
)
def copy_adds_and_replaces(lib, case):
    wanted = {**case.plain, **case.added}
    for added in (case.added, lib.core.freeze(case.added)):
        for got in (case.frozen.copy(added), lib.core.copy(case.frozen, added)):
            true(isinstance(got, lib.core.FrozenDict), type(got), "a FrozenDict")
            equal(got, wanted)
    true(case.frozen == case.plain, case.frozen, f"{case.plain}, unchanged")


@law(
    "`copy(x, entries)` of a dict is the dict `{**x, **entries}` and does not change `x`",
    source=f"{_DOCS}#flax.core.frozen_dict.copy",
    needs={"core.copy"},
    case=_with_another(ORDERED),
)
def copy_of_a_dict_adds_and_replaces(lib, case):
    """The annotation asks for string keys: keys that have no order are left out."""
    got = lib.core.copy(case.plain, case.added)
    true(type(got) is dict, type(got), "a dict")
    equal(got, {**case.plain, **case.added})
    true(case.frozen == case.plain, case.plain, f"{case.frozen}, unchanged")


@law(
    "`frozen.copy(entries)` copies: changing `entries` later does not change the result",
    source=_FROZEN,
    needs={"core.freeze"},
    case=_with_another(),
)
def copy_shares_no_dict_with_its_argument(lib, case):
    got = case.frozen.copy(case.added)
    spoil(case.added)
    wanted = {**case.plain, **case.rebuild().added}
    equal(got, wanted)


@law(
    "`frozen.pop(key)` returns the other entries and the value, and does not change `frozen`",
    source=f"{_DOCS}#flax.core.frozen_dict.FrozenDict.pop",
    needs={"core.pop"},
    case=frozen_dicts(least=1),
)
def pop_gives_the_rest_and_the_value(lib, case):
    for key in case.plain:
        wanted = {name: value for name, value in case.plain.items() if name != key}
        for rest, value in (case.frozen.pop(key), lib.core.pop(case.frozen, key)):
            true(isinstance(rest, lib.core.FrozenDict), type(rest), "a FrozenDict")
            equal(rest, wanted)
            equal(value, case.plain[key])
    true(case.frozen == case.plain, case.frozen, f"{case.plain}, unchanged")


@law(
    "`pop(x, key)` of a dict returns the other entries and the value, and does not change `x`",
    source=f"{_DOCS}#flax.core.frozen_dict.pop",
    needs={"core.pop"},
    case=frozen_dicts(sorts=ORDERED, least=1),
)
def pop_of_a_dict_gives_the_rest_and_the_value(lib, case):
    """The annotation asks for string keys: keys that have no order are left out."""
    for key in list(case.plain):
        wanted = {name: value for name, value in case.plain.items() if name != key}
        rest, value = lib.core.pop(case.plain, key)
        true(type(rest) is dict, type(rest), "a dict")
        equal(rest, wanted)
        equal(value, case.plain[key])
    true(case.frozen == case.plain, case.plain, f"{case.frozen}, unchanged")


@law(
    "`pop` of a missing key raises KeyError",
    source="https://docs.python.org/3/library/stdtypes.html#dict.pop",
    level="should",
    needs={"core.pop"},
    case=frozen_dicts(),
)
def pop_of_an_absent_key_is_a_key_error(lib, case):
    refuses(KeyError, lambda: case.frozen.pop(object()))
    refuses(KeyError, lambda: lib.core.pop(case.frozen, object()))


@law(
    "`frozen.pretty_repr(num_spaces)` is the text of the dict, indented, in `FrozenDict(...)`",
    source=f"{_DOCS}#flax.core.frozen_dict.FrozenDict.pretty_repr",
    needs={"core.pretty_repr"},
    case=_printed(),
)
def method_prints_as_the_dict_is_printed(lib, case):
    wanted = f"FrozenDict({lib.core.pretty_repr(case.plain, case.indent)})"
    got = case.frozen.pretty_repr(case.indent)
    equal(got, wanted)
    depths = {len(line) - len(line.lstrip(" ")) for line in got.splitlines()}
    true(all(depth % case.indent == 0 for depth in depths), got, f"indents of {case.indent}")


@law(
    "`pretty_repr(frozen, num_spaces)` equals `frozen.pretty_repr(num_spaces)`; for what is no "
    "mapping it is the `repr`",
    source=f"{_DOCS}#flax.core.frozen_dict.pretty_repr",
    needs={"core.pretty_repr"},
    case=_printed(),
)
def function_prints_as_the_method(lib, case):
    got = lib.core.pretty_repr(case.frozen, case.indent)
    equal(got, case.frozen.pretty_repr(case.indent))
    for other in (case.indent, "text", [case.indent]):
        equal(lib.core.pretty_repr(other, case.indent), repr(other))
