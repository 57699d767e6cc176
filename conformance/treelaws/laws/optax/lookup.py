"""Optax: values of a state by their key."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.states import searches
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

from ._inputs import DOCS, types
from ._lookup_model import by_identity, followed, replaced, replaced_at, values_at

law = Topic("optax.lookup", "Optax: values of a state by their key", family="optax")
_PAGE = f"{DOCS}utilities.html"
_CASES = searches()
_FOUND = _CASES.filter(lambda recipe: "key:found" in recipe.features)
_NOTHING = object()


@law(
    "`tree_get_all_with_path` finds every value with the key, including values inside other values",
    source=f"{_PAGE}#optax.tree_utils.tree_get_all_with_path",
    needs={"tree_utils.tree_get_all_with_path"},
    case=_CASES,
)
def every_value_is_found(lib, case):
    found = lib.tree_utils.tree_get_all_with_path(case.tree, case.key)
    same(by_identity([value for _, value in found]), by_identity(values_at(case.tree, case.key)))


@law(
    "each path from `tree_get_all_with_path` leads to its value",
    source=f"{_PAGE}#optax.tree_utils.tree_get_all_with_path",
    needs={"tree_utils.tree_get_all_with_path"},
    case=_CASES,
)
def a_path_leads_to_its_value(lib, case):
    found = lib.tree_utils.tree_get_all_with_path(case.tree, case.key)
    values = [followed(case.tree, path) for path, _ in found]
    same(values, [value for _, value in found], identical=True)


@law(
    "`tree_get` returns the only value with the key, or the default if there are none, and raises "
    "KeyError for several",
    source=f"{_PAGE}#optax.tree_utils.tree_get",
    needs={"tree_utils.tree_get"},
    case=_CASES,
    parents=(every_value_is_found,),
)
def the_only_value_is_got(lib, case):
    get = lambda: lib.tree_utils.tree_get(case.tree, case.key, default=_NOTHING)
    found = values_at(case.tree, case.key)
    if len(found) > 1:
        refuses(KeyError, get)
    else:
        same(get(), found[0] if found else _NOTHING, identical=True)


@law(
    "`tree_set` sets the value at every place with the key and changes nothing else, and raises "
    "KeyError for a missing key",
    source=f"{_PAGE}#optax.tree_utils.tree_set",
    needs={"tree_utils.tree_set"},
    case=_CASES,
    parents=(every_value_is_found,),
)
def every_value_is_set(lib, case):
    put = lambda: lib.tree_utils.tree_set(case.tree, **{case.key: 7})
    if not values_at(case.tree, case.key):
        refuses(KeyError, put)
    else:
        same(put(), replaced(case.tree, case.key, 7), identical=True)


@law(
    "`tree_set` sets an array, and one that `jit` traces, at every place with the key",
    # Quote: "its value is set by the corresponding value in `**kwargs`".
    source=f"{_PAGE}#optax.tree_utils.tree_set",
    level="should",
    needs={"tree_utils.tree_set"},
    case=_FOUND,
    parents=(every_value_is_set,),
)
def an_array_is_set_at_every_place(lib, case):
    """No other array has the shape of the traced value."""
    put = lambda value: lib.tree_utils.tree_set(case.tree, **{case.key: value})
    wanted = lambda value: replaced(case.tree, case.key, value)
    same(put(case.value), wanted(case.value), identical=True)
    same(*(types(jax.eval_shape(one, jnp.zeros((5, 7)))) for one in (put, wanted)))


@law(
    "`tree_get` and `tree_set` use only the values that `filtering` accepts",
    source=f"{_PAGE}#optax.tree_utils.tree_get",
    needs={"tree_utils.tree_get", "tree_utils.tree_set"},
    case=_CASES,
    parents=(every_value_is_found, every_value_is_set),
)
def filtering_chooses_among_the_values(lib, case):
    never = lambda path, value: False
    refuses(KeyError, lambda: lib.tree_utils.tree_set(case.tree, never, **{case.key: 7}))
    got = lib.tree_utils.tree_get(case.tree, case.key, default=_NOTHING, filtering=never)
    same(got, _NOTHING, identical=True)


@law(
    "`tree_get` returns the only value that `filtering` accepts, and `tree_set` sets it and no "
    "other",
    source=f"{_PAGE}#optax.tree_utils.tree_set",
    needs={"tree_utils.tree_get", "tree_utils.tree_set", "tree_utils.tree_get_all_with_path"},
    case=_CASES,
    parents=(the_only_value_is_got, every_value_is_set),
)
def an_accepted_value_is_got_and_set(lib, case):
    found = lib.tree_utils.tree_get_all_with_path(case.tree, case.key)
    for path, value in found:
        # A named tuple may be found by its type and as a field.
        if [at for at, _ in found].count(path) == 1:
            only = lambda at, _, path=path: at == path
            got = lib.tree_utils.tree_get(case.tree, case.key, filtering=only)
            same(got, value, identical=True)
            put = lib.tree_utils.tree_set(case.tree, only, **{case.key: 7})
            same(put, replaced_at(case.tree, path, 7), identical=True)


@law(
    "`tree_set` does not change its argument",
    source=f"{_PAGE}#optax.tree_utils.tree_set",
    needs={"tree_utils.tree_set"},
    case=_CASES,
)
def setting_leaves_the_argument_alone(lib, case):
    before = repr(case.tree)
    if values_at(case.tree, case.key):
        lib.tree_utils.tree_set(case.tree, **{case.key: 7})
    same(repr(case.tree), before)


@law(
    "`tree_get_all_with_path` keeps the values that `filtering` accepts by path and value, in "
    "their order",
    source=f"{_PAGE}#optax.tree_utils.tree_get_all_with_path",
    needs={"tree_utils.tree_get_all_with_path"},
    case=_CASES,
    parents=(every_value_is_found,),
)
def filtering_keeps_accepted_values(lib, case):
    find = lib.tree_utils.tree_get_all_with_path
    told = lambda found: [(jtu.keystr(path), id(value)) for path, value in found]
    every = find(case.tree, case.key)
    for keeps in (lambda path, value: len(path) > 1, lambda path, value: hasattr(value, "dtype")):
        wanted = [found for found in every if keeps(*found)]
        equal(told(find(case.tree, case.key, keeps)), told(wanted))
