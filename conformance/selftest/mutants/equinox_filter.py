"""Mutants of `filter`, `partition` and `combine`."""

from __future__ import annotations

from ..mutant import mutant


@mutant("equinox", kills=["equinox.filter.combine_undoes_partition"])
def combine_takes_the_last(eqx):
    """`combine` gives the last tree's leaf where several are not None, and drops falsy leaves."""

    def combine(*trees, is_leaf=None):
        import jax.tree_util as jtu

        return jtu.tree_map(
            lambda *leaves: leaves[0] or leaves[-1], *trees, is_leaf=lambda x: x is None
        )

    return {"combine": combine}
