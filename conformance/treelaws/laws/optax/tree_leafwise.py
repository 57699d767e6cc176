"""Optax: functions of trees that work leaf by leaf, dtypes of trees, and random trees."""

from __future__ import annotations

import collections
import functools

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.leafwise import (
    counts,
    fractional_calls,
    leafwise_calls,
    trees_of_dtypes,
)
from hypothesis_pytrees.optax.trees import close_trees, tree_pairs
from treelaws.equality import equal, refuses, same, true

from ._inputs import DOCS, close
from .tree import law

_PAGE = f"{DOCS}utilities.html"
_PAIRS = tree_pairs()
_HELD = collections.namedtuple("_HELD", ["tree", "key"])
# Trees of a tree and a key.
_BUILDS = (lambda tree, key: [tree, {"key": key}], lambda tree, key: (key, tree), _HELD)


@law(
    "`tree_scale`, `tree_clip`, `tree_update_moment` and the other functions of trees of numbers "
    "give for each leaf what their formula gives for it",
    source=f"{_PAGE}#optax.tree_utils.tree_scale",
    case=leafwise_calls(),
)
def functions_of_trees_are_leafwise(lib, case):
    """A tree in a tuple and `None` are trees, too."""
    given = (case.tree, case.other)
    for call, of_leaves in case.calls:
        for trees in (given, [(tree,) for tree in given], (None, None)):
            close(call(*trees), jtu.tree_map(of_leaves, *trees))


@law(
    "sums, products, quotients, clipping and moments of trees give the numbers of their formula "
    "for integers too, also beside floats and with a fraction as a factor",
    # The formulas are documented for trees of numbers of any kind, those of moments only by name.
    source=f"{_PAGE}#optax.tree_utils.tree_add_scale",
    level="should",
    case=fractional_calls(),
)
def functions_of_integers_are_leafwise(lib, case):
    got = jtu.tree_leaves(case.call(case.tree, case.other))
    exact = jtu.tree_map(np.float64, (case.tree, case.other))
    wanted = jtu.tree_leaves(jtu.tree_map(case.of_leaves, *exact))
    same([np.float64(leaf).tolist() for leaf in got], [np.float64(one).tolist() for one in wanted])


@law(
    "`tree_dtype` is the dtype of all leaves, the default one of JAX if there are none, and raises "
    "ValueError if they have several",
    source=f"{_PAGE}#optax.tree_utils.tree_dtype",
    needs={"tree_utils.tree_dtype"},
    case=trees_of_dtypes(),
)
def the_dtype_of_a_tree_is_that_of_its_leaves(lib, case):
    dtype_of = lib.tree_utils.tree_dtype
    _refuses_if(ValueError, len({*case.dtypes}) > 1, lambda: dtype_of(case.tree), case.dtypes[0])


@law(
    "`tree_dtype(tree, 'promote')` is the dtype to which JAX promotes the dtypes of all leaves",
    source=f"{_PAGE}#optax.tree_utils.tree_dtype",
    needs={"tree_utils.tree_dtype"},
    case=trees_of_dtypes(),
)
def mixed_dtypes_are_promoted(lib, case):
    promoted = functools.reduce(jnp.promote_types, case.dtypes)
    equal(lib.tree_utils.tree_dtype(case.tree, "promote"), promoted)


@law(
    "`tree_dtype` with 'highest' or 'lowest' is the dtype to which, or from which, all others can "
    "be promoted, and raises ValueError if two cannot be promoted to one another",
    source=f"{_PAGE}#optax.tree_utils.tree_dtype",
    needs={"tree_utils.tree_dtype"},
    case=trees_of_dtypes(),
)
def the_highest_dtype_is_above_all_others(lib, case):
    above = lambda one, other: jnp.promote_types(one, other) == one
    in_order = functools.cmp_to_key(lambda one, other: above(one, other) - above(other, one))
    lowest, *_, highest = sorted([case.dtypes[0], *case.dtypes], key=in_order)
    apart = any(above(a, b) + above(b, a) == 0 for a in case.dtypes for b in case.dtypes)
    for way, wanted in (("highest", highest), ("lowest", lowest)):
        dtype_of = functools.partial(lib.tree_utils.tree_dtype, case.tree, way)
        _refuses_if(ValueError, apart, dtype_of, wanted)


@law(
    "`tree_split_key_like` gives each leaf one key of `jax.random.split`",
    source=f"{_PAGE}#optax.tree_utils.tree_split_key_like",
    needs={"tree_utils.tree_split_key_like"},
    case=_PAIRS,
)
def each_leaf_has_a_key_of_its_own(lib, case):
    leaves, treedef = jtu.tree_flatten(case.tree)
    keys = jax.random.split(jax.random.key(3), max(len(leaves), 1))[: len(leaves)]
    wanted = jtu.tree_unflatten(treedef, list(keys))
    same(lib.tree_utils.tree_split_key_like(jax.random.key(3), case.tree), wanted)


@law(
    "`tree_random_like` calls its sampler with the key, the shape and the dtype of each leaf",
    source=f"{_PAGE}#optax.tree_utils.tree_random_like",
    needs={"tree_utils.tree_random_like", "tree_utils.tree_split_key_like"},
    case=_PAIRS,
)
def random_trees_ask_their_sampler(lib, case):
    key, sampler = jax.random.key(5), jax.random.uniform
    keys = lib.tree_utils.tree_split_key_like(key, case.tree)
    for dtype in (None, jnp.float16, np.dtype("float16"), "bfloat16"):
        draw = lambda one, leaf, dtype=dtype: sampler(one, leaf.shape, dtype or leaf.dtype)
        got = lib.tree_utils.tree_random_like(key, case.tree, sampler, dtype)
        same(got, jtu.tree_map(draw, keys, case.tree))


@law(
    "`tree_unwrap_random_key_data` gives the data of each key of a tree, and other leaves as they "
    "are",
    source=f"{_PAGE}#optax.tree_utils.tree_unwrap_random_key_data",
    needs={"tree_utils.tree_unwrap_random_key_data"},
    case=_PAIRS,
)
def keys_in_a_tree_become_their_data(lib, case):
    key, unwrap = jax.random.key(7), lib.tree_utils.tree_unwrap_random_key_data
    data = jax.random.key_data(key)
    same(unwrap(key), data)
    same(unwrap(case.tree), case.tree)
    for build in _BUILDS:
        same(unwrap(build(case.tree, key)), build(case.tree, data))


@law(
    "`safe_increment` adds one to a count of any integer or floating dtype, and stays at its "
    "largest value",
    source=f"{_PAGE}#optax.safe_increment",
    needs={"safe_increment"},
    case=counts(),
)
def counts_stay_at_their_largest_value(lib, case):
    same(lib.safe_increment(case.count), case.after)
    refuses(ValueError, lambda: lib.safe_increment(case.count == 0))


@law(
    "`tree_sum(tree, associative_reduction=True)` is the sum of all numbers of the tree",
    source=f"{_PAGE}#optax.tree_utils.tree_sum",
    needs={"tree_utils.tree_sum(associative_reduction)", "associative_sums"},
    case=_PAIRS,
)
def sums_do_not_depend_on_the_order(lib, case):
    """A sum may be in bfloat16, which has a relative error of almost one percent."""
    leaves = [np.float64(leaf) for leaf in jtu.tree_leaves(case.tree)]
    wanted, size = (sum(float(of(leaf).sum()) for leaf in leaves) for of in (np.copy, np.abs))
    got = lib.tree_utils.tree_sum(case.tree, associative_reduction=True)
    true(abs(float(got) - wanted) <= 2e-2 * size, got, f"{wanted}")


@law(
    "`tree_allclose` with `rtol`, `atol` and `equal_nan` is true if `numpy.allclose` is true for "
    "each pair of leaves",
    source=f"{_PAGE}#optax.tree_utils.tree_allclose",
    needs={"tree_utils.tree_allclose"},
    case=close_trees(),
)
def trees_are_close_if_their_leaves_are(lib, case):
    got = lib.tree_utils.tree_allclose(case.tree, case.other, **case.options)
    pairs = zip(jtu.tree_leaves(case.tree), jtu.tree_leaves(case.other), strict=True)
    equal(bool(got), all(np.allclose(*pair, **case.options) for pair in pairs))


def _refuses_if(error, refused, call, wanted):
    """Demand the error if the call is to be refused, and else the result."""
    if refused:
        refuses(error, call)
    else:
        equal(call(), wanted)
