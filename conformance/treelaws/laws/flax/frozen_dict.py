"""Flax: a FrozenDict compared with the dict that it was made of."""

from __future__ import annotations

import copy
import pickle

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.mappings import ORDERED, frozen_dicts
from hypothesis_pytrees.flax.programs import frozen_programs
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same, true

law = Topic("flax.frozen_dict", "Flax: FrozenDict", family="flax")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.core.frozen_dict.html"
_FROZEN = f"{_DOCS}#flax.core.frozen_dict.FrozenDict"
_MAPPING = "https://docs.python.org/3/library/collections.abc.html#collections.abc.Mapping"
_HASH = "https://docs.python.org/3/reference/datamodel.html#object.__hash__"
# A fixed commit, so that its line numbers stay correct.
_COMMIT = "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0"
_TESTS = f"{_COMMIT}/tests/core/core_frozen_dict_test.py"
_REFUSALS = (ValueError, TypeError, AttributeError)


@st.composite
def _views(draw: st.DrawFn) -> Recipe:
    """Draw `plain`, `frozen` and `view`, the name of a method."""
    scope = Scope()
    scope.include(draw(frozen_dicts()))
    view = draw(st.sampled_from(("keys", "values", "items")))
    scope.note(f"view:{view}")
    scope.bind("view", repr(view))
    return scope.recipe()


@law(
    "`frozen[key]` and `frozen.get(key)` return the dict's value; a missing key raises KeyError",
    source=_FROZEN,
    needs={"core.freeze"},
    case=frozen_dicts(),
)
def lookups_agree_with_the_dict(lib, case):
    absent = object()
    for key, value in case.plain.items():
        true(key in case.frozen, case.frozen, f"the key {key!r}")
        equal(case.frozen[key], value)
        equal(case.frozen.get(key, absent), value)
    true(absent not in case.frozen, case.frozen, "no such key")
    true(case.frozen.get(absent, absent) is absent, case.frozen.get(absent, absent), "the default")
    refuses(KeyError, lambda: case.frozen[absent])


@law(
    "the length, keys, values and items of a FrozenDict are those of the dict",
    source=_FROZEN,
    needs={"core.freeze"},
    case=frozen_dicts(),
)
def keys_values_and_items_are_those_of_the_dict(lib, case):
    equal(len(case.frozen), len(case.plain))
    equal(case.frozen.keys(), case.plain.keys())
    equal(dict(case.frozen.items()), case.plain)
    equal(list(case.frozen.values()), [case.frozen[key] for key in case.frozen])


@law(
    "`FrozenDict(x, **entries)` holds the entries of `dict(x, **entries)`, and does not change `x`",
    source=_FROZEN,
    level="should",
    needs={"core.FrozenDict"},
    case=frozen_dicts(history=False),
)
def constructor_takes_the_arguments_of_dict(lib, case):
    before, entries = copy.deepcopy(case.plain), {"added": 1, "nested": {"inner": 2}}
    for given, named in (((case.plain,), entries), ((), entries), ((case.plain.items(),), {})):
        equal(lib.core.FrozenDict(*given, **named), lib.core.freeze(dict(*given, **named)))
    equal(case.plain, before)


@law(
    "`freeze(x)` keeps the order of the entries of the dict",
    source="https://docs.python.org/3/library/stdtypes.html#dict",
    level="should",
    needs={"core.freeze"},
    case=frozen_dicts(history=False),
)
def freeze_keeps_the_order(lib, case):
    equal(list(lib.core.freeze(case.plain)), list(case.plain))


@law(
    "`keys()`, `values()` and `items()` have a length and can be iterated over twice",
    source=_MAPPING,
    level="should",
    needs={"core.freeze"},
    case=_views(),
)
def views_can_be_read_twice(lib, case):
    view = getattr(case.frozen, case.view)()
    equal(len(view), len(case.plain))
    once = list(view)
    equal(list(view), once)


@law(
    "a FrozenDict equals the dict that it was made of, on either side of `==`",
    source=_MAPPING,
    level="should",
    needs={"core.freeze"},
    case=frozen_dicts(),
)
def equals_the_dict(lib, case):
    again = lib.core.freeze(case.plain)
    for one, other in ((case.frozen, case.plain), (case.plain, case.frozen), (case.frozen, again)):
        true((one == other, one != other) == (True, False), one, f"equal to {other}")


@law(
    "after copies, pops and maps, a FrozenDict equals a dict after the same operations",
    source=_FROZEN,
    level="should",
    needs={"core.freeze"},
    case=frozen_programs(),
    parents=[equals_the_dict],
)
def programs_end_as_those_of_the_dict(lib, case):
    true(isinstance(case.frozen, lib.core.FrozenDict), type(case.frozen), "a FrozenDict")
    equal(case.frozen, case.plain)
    equal(sorted(case.frozen), sorted(case.plain))
    back = lib.core.unfreeze(case.frozen)
    equal(back, case.plain)
    true(_types(back) <= {dict}, _types(back), "plain dicts only")


@law(
    "FrozenDicts that differ in one entry are not equal",
    source=_MAPPING,
    level="should",
    needs={"core.freeze"},
    case=frozen_dicts(least=1),
)
def differs_where_an_entry_differs(lib, case):
    for key in case.plain:
        differ(case.frozen.copy({key: object()}), case.frozen)
        differ(case.frozen.pop(key)[0], case.frozen)


@law(
    "equal FrozenDicts have equal hashes, in any order of their entries",
    source=_HASH,
    needs={"core.freeze"},
    case=frozen_dicts(hashable=True),
)
def equal_frozen_dicts_hash_alike(lib, case):
    other = lib.core.freeze(_reversed(case.plain))
    equal(hash(other), hash(case.frozen))
    again = lib.core.freeze(case.plain)
    true({case.frozen, other, again} == {again}, [case.frozen, other], "one member of a set")


@law(
    "`unfreeze(freeze(x))` equals `x`, with plain dicts at every level",
    source=f"{_DOCS}#flax.core.frozen_dict.unfreeze",
    needs={"core.freeze", "core.unfreeze"},
    case=frozen_dicts(),
)
def unfreeze_undoes_freeze(lib, case):
    for back in (lib.core.unfreeze(case.frozen), case.frozen.unfreeze()):
        equal(back, case.plain)
        true(_types(back) <= {dict}, _types(back), "plain dicts only")


@law(
    "`freeze(unfreeze(frozen))` is a FrozenDict equal to the dict that `frozen` was made of",
    source=f"{_DOCS}#flax.core.frozen_dict.freeze",
    needs={"core.freeze", "core.unfreeze"},
    case=frozen_dicts(sorts=ORDERED),
)
def freeze_undoes_unfreeze(lib, case):
    back = lib.core.freeze(lib.core.unfreeze(case.frozen))
    true(isinstance(back, lib.core.FrozenDict), type(back), "a FrozenDict")
    equal({**back}, {**case.plain})
    same(jtu.tree_leaves(back), jtu.tree_leaves(case.plain))


@law(
    "setting or deleting an entry of a FrozenDict, also of a nested one, raises an exception",
    source=_FROZEN,
    needs={"core.freeze"},
    case=frozen_dicts(),
)
def entries_cannot_be_changed(lib, case):
    for part, plain in _parts(case.frozen, case.plain):
        for key in [*plain, "new"]:
            refuses(_REFUSALS, lambda part=part, key=key: part.__setitem__(key, 1))
            refuses(_REFUSALS, lambda part=part, key=key: part.__delitem__(key))
        refuses(_REFUSALS, lambda part=part: setattr(part, "new", 1))


@law(
    "every way of reading a nested dict from a FrozenDict returns a FrozenDict",
    source=f"{_DOCS}#flax.core.frozen_dict.freeze",
    needs={"core.freeze"},
    case=frozen_dicts(least=1),
)
def nested_dicts_are_read_frozen(lib, case):
    for key in [key for key, value in case.plain.items() if isinstance(value, dict)]:
        items = dict(case.frozen.items())
        values = dict(zip(case.frozen, case.frozen.values(), strict=True))
        popped = case.frozen.pop(key)[1]
        for part in (case.frozen[key], case.frozen.get(key), items[key], values[key], popped):
            true(isinstance(part, lib.core.FrozenDict), type(part), "a FrozenDict")


@law(
    "the tree structure of a FrozenDict does not depend on the order of its entries",
    source="https://docs.jax.dev/en/latest/pytrees.html",
    level="should",
    needs={"core.freeze"},
    case=frozen_dicts(sorts=ORDERED, history=False),
)
def structure_ignores_the_order(lib, case):
    same(lib.core.freeze(_reversed(case.plain)), lib.core.freeze(case.plain))


@law(
    "the leaves and key paths of a FrozenDict are those of the dict",
    source=f"{_TESTS}#L155-L180",
    level="should",
    needs={"core.freeze"},
    case=frozen_dicts(sorts=ORDERED),
)
def leaves_and_paths_are_those_of_the_dict(lib, case):
    got, _ = jtu.tree_flatten_with_path(case.frozen)
    wanted, _ = jtu.tree_flatten_with_path(case.plain)
    equal([path for path, _ in got], [path for path, _ in wanted])
    same([leaf for _, leaf in got], [leaf for _, leaf in wanted])


@law(
    "`tree_map(f, freeze(x))` equals `freeze(tree_map(f, x))`",
    source=f"{_TESTS}#L29-L33",
    level="should",
    needs={"core.freeze"},
    case=frozen_dicts(sorts=ORDERED),
)
def map_is_the_frozen_map_of_the_dict(lib, case):
    got = jtu.tree_map(lambda leaf: (leaf, "mapped"), case.frozen)
    wanted = lib.core.freeze(jtu.tree_map(lambda leaf: (leaf, "mapped"), case.plain))
    true(type(got) is type(case.frozen), type(got), "a FrozenDict")
    equal(got, wanted)


@law(
    "copies, deep copies and unpickled copies of a FrozenDict are equal FrozenDicts",
    source=f"{_TESTS}#L71-L77",
    level="should",
    needs={"core.freeze"},
    case=frozen_dicts(),
)
def copies_and_pickles_are_equal(lib, case):
    loaded = pickle.loads(pickle.dumps(case.frozen))
    for other in (copy.copy(case.frozen), copy.deepcopy(case.frozen), loaded):
        true(isinstance(other, lib.core.FrozenDict), type(other), "a FrozenDict")
        equal(other, case.plain)


def _reversed(plain):
    """Return a nested dict with its entries in the opposite order."""
    return {
        key: _reversed(value) if isinstance(value, dict) else value
        for key, value in reversed(plain.items())
    }


def spoil(plain):
    """Change every dict of a nested dict."""
    for value in list(plain.values()):
        if isinstance(value, dict):
            spoil(value)
    plain.clear()
    plain["spoilt"] = True


def _types(value):
    """Return the types of the mappings in a nested dict."""
    if not hasattr(value, "keys"):
        return set()
    return {type(value)}.union(*(_types(value[key]) for key in value))


def _parts(frozen, plain):
    """Yield every mapping in a FrozenDict with its counterpart in the dict."""
    yield frozen, plain
    for key, value in plain.items():
        if isinstance(value, dict):
            yield from _parts(frozen[key], value)
