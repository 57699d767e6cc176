"""Mutants of the errors of transforms for trees that do not fit."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "nnx.transforms."


@mutant("nnx", kills=["nnx.transforms.what_does_not_fit_is_refused"])
def a_branch_that_does_not_fit_is_an_assertion(nnx):
    """`cond` asserts that the results of its branches fit."""

    def cond(*args, **options):
        try:
            return nnx.cond(*args, **options)
        except (TypeError, ValueError) as raised:
            raise AssertionError(str(raised)) from None

    return {"cond": cond}


@mutant("nnx", kills=[_ID + "trees_share_no_variable"])
def vmap_parts_what_is_shared(nnx):
    """`vmap` makes two Variables of one that has two places."""

    def vmap(function, **options):
        mapped = nnx.vmap(function, **options)
        return lambda *args: mapped(*_parted(nnx, args))

    return {"vmap": vmap}


@mutant("nnx", kills=[_ID + "results_share_no_variable", _ID + "results_hold_no_argument"])
def remat_parts_what_it_returns(nnx):
    """`remat` gives new Variables for those of the result."""

    def remat(function, **options):
        return nnx.remat(lambda *args: _parted(nnx, function(*args)), **options)

    return {"remat": remat}


def _parted(nnx, tree):
    """Return a tree with a new Variable at each place."""
    is_leaf = lambda value: isinstance(value, nnx.Variable)
    new = lambda leaf: leaf.replace(leaf[...]) if is_leaf(leaf) else leaf
    return jtu.tree_map(new, tree, is_leaf=is_leaf)
