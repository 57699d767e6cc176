"""Optax: arithmetic and reductions of trees."""

from __future__ import annotations

import operator

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.trees import (
    empty_reductions,
    reductions,
    reductions_of_vectors,
    tree_pairs,
)
from treelaws.core.law import Topic
from treelaws.equality import same, true

from ._inputs import DOCS, dtypes, shapes, types

law = Topic("optax.tree", "Optax: arithmetic and reductions of trees", family="optax")
_PAGE = f"{DOCS}utilities.html"
_PAIRS = tree_pairs()


@law(
    "`tree_add`, `tree_sub`, `tree_mul` and `tree_div` add, subtract, multiply and divide each "
    "pair of leaves",
    source=f"{_PAGE}#optax.tree_utils.tree_add",
    needs={"tree_utils.tree_add", "tree_utils.tree_div"},
    case=_PAIRS,
)
def arithmetic_is_leafwise(lib, case):
    operators = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
    for name, step in {**operators, "div": operator.truediv}.items():
        got = getattr(lib.tree_utils, f"tree_{name}")(case.tree, case.other)
        same(got, jtu.tree_map(step, case.tree, case.other))


@law(
    "`tree_zeros_like`, `tree_ones_like` and `tree_full_like` keep structure, shapes and dtypes",
    source=f"{_PAGE}#optax.tree_utils.tree_zeros_like",
    needs={"tree_utils.tree_zeros_like", "tree_utils.tree_full_like"},
    case=_PAIRS,
)
def constant_trees_are_like_their_model(lib, case):
    util = lib.tree_utils
    made = (util.tree_zeros_like, util.tree_ones_like, lambda tree: util.tree_full_like(tree, 2))
    for value, constant in enumerate(made):
        wanted = jtu.tree_map(lambda leaf, value=value: jnp.full_like(leaf, value), case.tree)
        same(constant(case.tree), wanted)


@law(
    "`tree_cast` and `tree_zeros_like` give every leaf the requested dtype and keep the structure",
    source=f"{_PAGE}#optax.tree_utils.tree_cast",
    needs={"tree_utils.tree_cast", "tree_utils.tree_zeros_like"},
    case=_PAIRS,
)
def a_dtype_is_given_to_every_leaf(lib, case):
    wanted = jtu.tree_map(lambda leaf: leaf.astype(jnp.float16), case.tree)
    same(lib.tree_utils.tree_cast(case.tree, jnp.float16), wanted)
    zeros = lib.tree_utils.tree_zeros_like(case.tree, dtype=jnp.float16)
    same(types(zeros), types(wanted))


@law(
    "`tree_cast(tree, None)` returns the tree unchanged",
    source=f"{_PAGE}#optax.tree_utils.tree_cast",
    needs={"tree_utils.tree_cast"},
    case=_PAIRS,
)
def a_cast_to_none_is_the_identity(lib, case):
    same(lib.tree_utils.tree_cast(case.tree, None), case.tree)


@law(
    "`tree_cast_like` gives each leaf the dtype of the same leaf in the other tree",
    source=f"{_PAGE}#optax.tree_utils.tree_cast_like",
    needs={"tree_utils.tree_cast_like"},
    case=_PAIRS,
)
def a_tree_is_cast_like_another(lib, case):
    low = jtu.tree_map(lambda leaf: leaf.astype(jnp.float16), case.other)
    same(dtypes(lib.tree_utils.tree_cast_like(case.tree, low)), dtypes(low))
    same(lib.tree_utils.tree_cast_like(low, case.other), jtu.tree_map(_cast, low, case.other))


@law(
    "`tree_where` returns the first tree if the condition is true, and otherwise the second",
    source=f"{_PAGE}#optax.tree_utils.tree_where",
    needs={"tree_utils.tree_where"},
    case=_PAIRS,
)
def where_chooses_a_tree(lib, case):
    where = lib.tree_utils.tree_where
    tree, other = jtu.tree_map(jnp.asarray, (case.tree, case.other))
    same(where(jnp.array(True), case.tree, case.other), tree)
    same(where(jnp.array(False), case.tree, case.other), other)


@law(
    "`tree_random_like` returns a tree of the same structure, shapes and dtypes",
    source=f"{_PAGE}#optax.tree_utils.tree_random_like",
    needs={"tree_utils.tree_random_like"},
    case=_PAIRS,
)
def random_trees_are_like_their_model(lib, case):
    made = jax.eval_shape(lib.tree_utils.tree_random_like, jax.random.key(0), case.tree)
    same((shapes(made), dtypes(made)), (shapes(case.tree), dtypes(case.tree)))


@law(
    "a reduction of a tree equals the reduction of the list and of the tuple of its leaves",
    source=f"{_PAGE}#optax.tree_utils.tree_sum",
    case=reductions(),
)
def reductions_look_at_the_leaves_alone(lib, case):
    leaves = jtu.tree_leaves(case.tree)
    for tree in (leaves, tuple(leaves)):
        same(case.reduce(case.tree), case.reduce(tree))


@law(
    "`tree_sum`, `tree_norm`, `tree_max` and the other reductions are those of one vector of all "
    "numbers of the tree",
    source=f"{_PAGE}#optax.tree_utils.tree_norm",
    case=reductions_of_vectors(),
)
def reductions_are_those_of_all_numbers(lib, case):
    """A reduction may add up in bfloat16, which has a relative error of almost one percent."""
    leaves = jtu.tree_leaves(case.tree)
    numbers = np.concatenate([np.zeros(0), *(np.ravel(np.float64(leaf)) for leaf in leaves)])
    got, wanted = case.reduce(case.tree), case.of_vector(numbers)
    close = np.allclose(np.float64(got), wanted, rtol=2e-2, atol=2e-2 * abs(numbers).sum())
    true(close, got, f"{wanted}")


@law(
    "a reduction of a tree without numbers returns the identity, which is 0 for sums and norms",
    source=f"{_PAGE}#optax.tree_utils.tree_sum",
    level="should",
    case=empty_reductions(),
)
def empty_reductions_give_the_identity(lib, case):
    got = case.reduced()
    true(bool(got == case.identity), got, f"{case.identity}")


@law(
    "`global_norm(tree)` is the norm of one vector of all its numbers",
    source=f"{DOCS}transformations.html#optax.global_norm",
    needs={"global_norm"},
    case=_PAIRS,
)
def the_global_norm_is_that_of_all_numbers(lib, case):
    numbers = [jnp.ravel(leaf).astype(jnp.float32) for leaf in jtu.tree_leaves(case.tree)]
    wanted = jnp.linalg.norm(jnp.concatenate([*numbers, jnp.zeros(1)]))
    got = lib.global_norm(case.tree)
    true(bool(jnp.allclose(got, wanted, rtol=1e-2)), got, f"{wanted}")


def _cast(leaf, other):
    return leaf.astype(other.dtype)
