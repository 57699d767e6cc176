"""Flax NNX: `Dict` behaves as a dict."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.programs import DICT_STEPS, ROUND_TRIPS, dict_keys, dict_programs
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._runs import run_program

law = Topic("nnx.dict", "Flax NNX: Dict", family="nnx")
_DICT = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/helpers.html#flax.nnx.Dict"
_GETITEM = "https://docs.python.org/3/reference/datamodel.html#object.__getitem__"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
# A round trip sorts the keys, as JAX does for a dict.
_UNORDERED = tuple(step for step in DICT_STEPS if step.name != "order")
_NEEDS = {"Dict.setdefault", "data"}


@st.composite
def _pairs(draw: st.DrawFn) -> Recipe:
    """Draw `start`, a dict, and `apart`: whether two Dicts are made of it or only one."""
    scope = Scope()
    scope.include(draw(dict_keys()))
    apart = draw(st.booleans())
    scope.bind("apart", str(apart))
    scope.note("pair:apart" if apart else "pair:one")
    return scope.recipe()


# Names of methods and attributes of a Dict, of its bases and of Python, and other texts.
_TEXTS = (
    *("a", "", "two words", "1", "None", "_hidden", "self", "key", "args", "kwargs", "class"),
    *("é", "a.b", "a/b", "[0]", "kernel", "shape", "value", "metadata", "path", "name", "__init"),
)
_METHODS = (
    *("items", "keys", "values", "get", "pop", "popitem", "clear", "update", "setdefault"),
    *("train", "eval", "sow", "perturb", "set_attributes", "iter_modules", "set_mode"),
)
# How the items of a mapping are read: by syntax, or by a method that a key may be named after.
_READS = {
    "syntax": "lambda items, key: (key in items, items[key], sorted(items), len(items))",
    "items": "lambda items, key: sorted(items.items())",
    "keys": "lambda items, key: sorted(items.keys())",
    "values": "lambda items, key: list(items.values())",
    "get": "lambda items, key: items.get(key)",
    "setdefault": "lambda items, key: items.setdefault(key, 0)",
    "update": "lambda items, key: (items.update({key: 3.5}), items[key])",
    "pop": "lambda items, key: (items.pop(key), operator.setitem(items, key, 1.0))",
}


@st.composite
def _named_items(draw: st.DrawFn) -> Recipe:
    """Draw `start`, a dict, `keys`, texts, and `read`, a function of a mapping and a key."""
    scope = Scope()
    names = st.sampled_from(_TEXTS) | st.sampled_from(_METHODS)
    keys = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    how = draw(st.sampled_from(tuple(_READS)))
    scope.note(f"read:{how}")
    start = draw(st.lists(names, max_size=2, unique=True))
    if how in {*keys, *start}:
        scope.note("key:shadows")
    scope.bind("start", repr(dict.fromkeys(start, 1.5)))
    scope.bind("keys", repr(keys))
    scope.bind("read", _READS[how])
    return scope.recipe()


@law(
    "each operation on a Dict has the same result as on a dict of the same items, or also raises",
    source=_DICT,
    needs=_NEEDS,
    case=dict_programs(),
)
def a_program_does_what_it_does_to_a_dict(lib, case):
    """A key holds only data or only static values, since an attribute keeps its status."""
    run_program(lib, case.steps, lib.Dict(case.start), dict(case.start))


@law(
    "an operation that raises on a dict raises the same type of exception on a Dict",
    source=_GETITEM,
    level="should",
    needs=_NEEDS,
    case=dict_programs(),
    parents=[a_program_does_what_it_does_to_a_dict],
)
def errors_are_those_of_a_dict(lib, case):
    run_program(lib, case.steps, lib.Dict(case.start), dict(case.start), same_error=True)


@law(
    "`merge(*split(x))`, `clone(x)` and an identity `tree_map` keep the items of a Dict",
    source=f"{_GUIDE}#nnx-pytree",
    needs=_NEEDS,
    case=dict_programs(steps=(*ROUND_TRIPS, *_UNORDERED, *ROUND_TRIPS)),
    parents=[a_program_does_what_it_does_to_a_dict],
)
def a_round_trip_keeps_the_items(lib, case):
    run_program(lib, case.steps, lib.Dict(case.start), dict(case.start))


@law(
    "after any operations, a Dict has the same structure as a new Dict of its items",
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
    equal(lib.graphdef(items), lib.graphdef(fresh))


@law(
    "for a missing key of a Dict, `in` is False, `get` returns the default, `[]` raises KeyError",
    source=_GETITEM,
    needs=_NEEDS,
    case=dict_keys(),
    parents=[a_program_does_what_it_does_to_a_dict],
)
def a_key_is_there_or_it_is_not(lib, case):
    """Any key can be looked up, also the name of a method or a key that is not a string."""
    items, default = lib.Dict(case.start), object()
    equal(case.key in items, case.key in case.start)
    got = items.get(case.key, default)
    true(got is case.start.get(case.key, default), got, "the object that dict returns")
    if case.key not in case.start:
        refuses(KeyError, lambda: items[case.key])


@law(
    "a Dict equals a dict of the same items and differs from a dict with one item more",
    source="https://docs.python.org/3/library/collections.abc.html#collections.abc.Mapping",
    level="should",
    needs=_NEEDS,
    case=dict_keys(),
)
def equality_is_that_of_the_items(lib, case):
    """The values are the same objects, since the `==` of values is not under test."""
    other = {**case.start, "another": 1}
    answers = [lib.Dict(case.start) == case.start, lib.Dict(case.start) == other]
    true(answers == [True, False], answers, "equal to its items, different from more items")


@law(
    "equal Dicts have equal hashes",
    source="https://docs.python.org/3/reference/datamodel.html#object.__hash__",
    level="should",
    needs=_NEEDS,
    case=_pairs(),
)
def equal_dicts_hash_alike(lib, case):
    one = lib.Dict(case.start)
    other = lib.Dict(case.start) if case.apart else one
    answers = [one == other, hash(one) == hash(other)]
    true(answers == [True, True], answers, "equal, with equal hashes")


@law(
    "an item of a Dict is also an attribute: each can be read and written as the other",
    source="https://github.com/google/flax/blob/v0.12.6/flax/nnx/helpers.py#L64-L98",
    level="should",
    needs=_NEEDS,
    case=dict_keys(),
)
def items_are_attributes(lib, case):
    items = lib.Dict(case.start)
    same([getattr(items, key) for key in case.start], list(case.start.values()), identical=True)
    items.attribute = 1
    equal(dict(items), {**case.start, "attribute": 1})


@law(
    "keys of a Dict are any texts: its items are found, counted, listed, set and deleted under "
    "them",
    source=_DICT,
    level="should",
    needs=_NEEDS,
    case=_named_items(),
    parents=[a_program_does_what_it_does_to_a_dict],
)
def keys_are_any_texts(lib, case):
    items, model = lib.Dict(case.start), dict(case.start)
    for key in case.keys:
        for one in (items, model):
            one[key] = 2.5
        equal(case.read(items, key), case.read(model, key))
    del items[case.keys[0]], model[case.keys[0]]
    equal({key: items[key] for key in items}, model)
