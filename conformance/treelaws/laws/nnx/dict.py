"""Flax NNX: `Dict` behaves as a dict."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.programs import DICT_STEPS, ROUND_TRIPS, dict_keys, dict_programs
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

from ._runs import run_program

law = Topic("nnx.dict", "Flax NNX: Dict", family="nnx")
_DICT = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/helpers.html#flax.nnx.Dict"
_MAPPING = "https://docs.python.org/3/library/collections.abc.html#collections.abc.MutableMapping"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
# A round trip sorts the keys, as JAX sorts those of a dict.
_UNORDERED = tuple(step for step in DICT_STEPS if step.name != "order")
_NEEDS = {"Dict.setdefault", "data"}


@st.composite
def _pairs(draw: st.DrawFn) -> Recipe:
    """Draw `start`, a dict, and `apart`: whether two Dicts are made of it, or one."""
    scope = Scope()
    scope.include(draw(dict_keys()))
    apart = draw(st.booleans())
    scope.bind("apart", str(apart))
    scope.note("pair:apart" if apart else "pair:one")
    return scope.recipe()


@law(
    "each step of a program returns or raises on a Dict what it does on a dict of the same items",
    source=_DICT,
    needs=_NEEDS,
    case=dict_programs(),
)
def a_program_does_what_it_does_to_a_dict(lib, case):
    """A key takes either data or static values, since an attribute keeps its status."""
    run_program(lib, case.steps, lib.Dict(case.start), dict(case.start))


@law(
    "split and merge, clone and a map in the midst of a program keep the items of a Dict",
    source=f"{_GUIDE}#nnx-pytree",
    needs=_NEEDS,
    case=dict_programs(steps=(*ROUND_TRIPS, *_UNORDERED, *ROUND_TRIPS)),
    weight=0.5,
    parents=[a_program_does_what_it_does_to_a_dict],
)
def a_round_trip_keeps_the_items(lib, case):
    run_program(lib, case.steps, lib.Dict(case.start), dict(case.start))


@law(
    "the structure of a Dict is that of a Dict newly made of its items, whatever was done to it",
    source="https://github.com/google/flax/pull/5133",
    level="should",
    needs=_NEEDS,
    case=dict_programs(),
    parents=[a_program_does_what_it_does_to_a_dict],
)
def structure_depends_on_the_items_alone(lib, case):
    items = run_program(lib, case.steps, lib.Dict(case.start), dict(case.start))
    fresh = lib.Dict(dict(items))
    same(items, fresh, identical=True)
    true(lib.graphdef(items) == lib.graphdef(fresh), lib.graphdef(items), f"{lib.graphdef(fresh)}")


@law(
    "a key that is not there is in no Dict: `in` says no, `get` gives the default, `[]` raises",
    source=_MAPPING,
    needs=_NEEDS,
    case=dict_keys(),
    parents=[a_program_does_what_it_does_to_a_dict],
)
def a_key_is_there_or_it_is_not(lib, case):
    """Any key can be asked for, names of methods and values that are no text included."""
    items, default = lib.Dict(case.start), object()
    true((case.key in items) is (case.key in case.start), case.key in items, "as a dict has it")
    got = items.get(case.key, default)
    true(got is case.start.get(case.key, default), got, "as a dict has it")
    if case.key not in case.start:
        refuses(KeyError, lambda: items[case.key])


@law(
    "a Dict compares equal to a dict of the same items, and to no other",
    source="https://docs.python.org/3/library/collections.abc.html#collections.abc.Mapping",
    needs=_NEEDS,
    case=dict_keys(),
    weight=0.4,
)
def equality_is_that_of_the_items(lib, case):
    """Of keys and the very values; another value's `==` is its own business."""
    other = {**case.start, "another": 1}
    answers = [lib.Dict(case.start) == case.start, lib.Dict(case.start) == other]
    true(answers == [True, False], answers, "equal to its items, different from more items")


@law(
    "Dicts that compare equal have equal hashes",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    level="should",
    needs=_NEEDS,
    case=_pairs(),
    weight=0.2,
)
def equal_dicts_hash_alike(lib, case):
    one = lib.Dict(case.start)
    other = lib.Dict(case.start) if case.apart else one
    answers = [one == other, hash(one) == hash(other)]
    true(answers == [True, True], answers, "equal, with equal hashes")


@law(
    "an item of a Dict is an attribute too, read and written either way",
    source="https://github.com/google/flax/blob/v0.12.6/flax/nnx/helpers.py#L64-L98",
    level="should",
    needs=_NEEDS,
    case=dict_keys(),
    weight=0.3,
)
def items_are_attributes(lib, case):
    items = lib.Dict(case.start)
    same([getattr(items, key) for key in case.start], list(case.start.values()), identical=True)
    items.attribute = 1
    true(dict(items) == {**case.start, "attribute": 1}, dict(items), "the attribute as an item")
