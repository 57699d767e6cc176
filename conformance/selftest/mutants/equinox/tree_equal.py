"""Mutants of `tree_equal`."""

from __future__ import annotations

import jax
import jax.core
import jax.tree_util as jtu

from selftest.mutant import mutant

_TOPIC = "equinox.tree_equal"


def _ids(*names: str) -> list[str]:
    return [f"{_TOPIC}.{name}" for name in names]


@mutant("equinox", kills=_ids("a_tree_equals_itself"))
def tree_equal_refuses_empty_arrays(eqx):
    """Trees with an array of size 0 are never equal."""

    def tree_equal(*trees, **keywords):
        import jax.tree_util as jtu

        if any(getattr(leaf, "size", 1) == 0 for leaf in jtu.tree_leaves(trees)):
            return False
        return eqx.tree_equal(*trees, **keywords)

    return {"tree_equal": tree_equal}


@mutant(
    "equinox",
    kills=_ids(
        "another_value_makes_a_difference",
        "another_shape_makes_a_difference",
        "another_dtype_makes_a_difference",
        "an_array_is_no_scalar",
        "tolerance_refuses_what_is_far",
        "tolerance_is_for_inexact_arrays",
    ),
)
def tree_equal_compares_structures(eqx):
    """Only the structures are compared."""

    def tree_equal(*trees, typematch=False, **keywords):
        import jax.tree_util as jtu

        return len({jtu.tree_structure(tree) for tree in trees}) == 1

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("another_structure_makes_a_difference"))
def tree_equal_compares_leaves(eqx):
    """Trees of the same leaves are equal, whatever their structures are."""

    def tree_equal(*trees, **keywords):
        import jax.tree_util as jtu

        return eqx.tree_equal(*map(jtu.tree_leaves, trees), **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("tree_equal_is_symmetric", "an_array_is_no_scalar"))
def tree_equal_compares_scalars_with_arrays(eqx):
    """A Python scalar in the first tree equals an array of its value in the second."""

    def tree_equal(*trees, **keywords):
        import jax.tree_util as jtu
        import numpy as np

        if len(trees) != 2 or jtu.tree_structure(trees[0]) != jtu.tree_structure(trees[1]):
            return eqx.tree_equal(*trees, **keywords)

        def cast(one, other):
            scalar = type(one) in (bool, int, float) and getattr(other, "shape", None) == ()
            return other if scalar and eqx.is_array(other) and one == np.asarray(other) else one

        return eqx.tree_equal(jtu.tree_map(cast, *trees), trees[1], **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("tree_equal_is_transitive"))
def tree_equal_compares_numpy_with_jax_by_shape(eqx):
    """A numpy and a jax array are equal as soon as their shapes are."""

    def tree_equal(*trees, **keywords):
        import jax
        import jax.tree_util as jtu
        import numpy as np

        if len(trees) != 2 or jtu.tree_structure(trees[0]) != jtu.tree_structure(trees[1]):
            return eqx.tree_equal(*trees, **keywords)

        def cast(one, other):
            pair = {isinstance(one, np.ndarray), isinstance(other, np.ndarray)}
            jaxes = isinstance(one, jax.Array) or isinstance(other, jax.Array)
            return other if len(pair) == 2 and jaxes and one.shape == other.shape else one

        return eqx.tree_equal(jtu.tree_map(cast, *trees), trees[1], **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("trees_are_equal_leaf_by_leaf"))
def tree_equal_keeps_the_last_verdict(eqx):
    """The verdict on the last leaf overwrites those on the leaves before it."""

    def tree_equal(*trees, **keywords):
        import jax.tree_util as jtu

        if len({jtu.tree_structure(tree) for tree in trees}) > 1:
            return False
        return eqx.tree_equal(*(jtu.tree_leaves(tree)[-1:] for tree in trees), **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("several_trees_are_compared_with_the_first"))
def tree_equal_compares_two(eqx):
    """Trees after the second are not looked at."""

    def tree_equal(*trees, **keywords):
        return eqx.tree_equal(*trees[:2], **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("numpy_equals_jax"))
def tree_equal_always_matches_types(eqx):
    """numpy and jax arrays are never equal, as before release 0.10."""

    def tree_equal(*trees, typematch=False, **keywords):
        return eqx.tree_equal(*trees, typematch=True, **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("typematch_tells_numpy_from_jax", "typematch_demands_one_type"))
def tree_equal_ignores_typematch(eqx):
    """`typematch` is not looked at."""

    def tree_equal(*trees, typematch=False, **keywords):
        return eqx.tree_equal(*trees, **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("tolerance_accepts_what_is_close"))
def tree_equal_forgets_atol(eqx):
    """`atol` is not looked at."""

    def tree_equal(*trees, typematch=False, rtol=0.0, atol=0.0):
        return eqx.tree_equal(*trees, typematch=typematch, rtol=rtol)

    return {"tree_equal": tree_equal}


@mutant(
    "equinox",
    kills=_ids("traced_arrays_give_a_bool", "jit_gives_the_same_verdict"),
)
def tree_equal_is_false_under_jit(eqx):
    """Traced arrays are equal to nothing."""

    def tree_equal(*trees, **keywords):
        import jax.tree_util as jtu
        from jax.core import Tracer

        if any(isinstance(leaf, Tracer) for leaf in jtu.tree_leaves(trees)):
            return False
        return eqx.tree_equal(*trees, **keywords)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=_ids("without_arrays_the_verdict_is_static"))
def tree_equal_gives_an_array(eqx):
    """The verdict is always an array."""

    def tree_equal(*trees, **keywords):
        import jax.numpy as jnp

        return jnp.asarray(eqx.tree_equal(*trees, **keywords))

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=["equinox.tree_equal.traces_give_the_same_verdict"])
def traced_trees_are_equal(eqx):
    """Trees of one structure with traced arrays are equal, whatever the values are."""

    def tree_equal(*trees, **options):
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jtu.tree_leaves(trees)):
            return len({jtu.tree_structure(tree) for tree in trees}) == 1
        return eqx.tree_equal(*trees, **options)

    return {"tree_equal": tree_equal}


@mutant("equinox", kills=["equinox.tree_equal.any_number_of_trees_is_compared"])
def one_tree_is_compared_with_none(eqx):
    """A single tree is compared with `None`."""

    def tree_equal(*trees, **options):
        return eqx.tree_equal(*trees, *[None] * (len(trees) == 1), **options)

    return {"tree_equal": tree_equal}
