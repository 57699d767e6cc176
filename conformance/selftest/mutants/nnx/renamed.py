"""Mutants of Flax NNX: functions that deprecated methods stand for."""

from __future__ import annotations

from selftest.mutant import mutant

_LAW = "nnx.renamed.a_deprecated_name_does_what_the_new_one_does"


@mutant("nnx", kills=[_LAW])
def merged_states_keep_the_first_value(nnx):
    """`merge_state` keeps the value of the first State that has an entry."""

    def merge_state(state, /, *states, cls=None):
        return nnx.merge_state(*reversed((state, *states)))

    return {"merge_state": merge_state}


@mutant("nnx", kills=[_LAW])
def children_are_told_without_names(nnx):
    """`iter_children` numbers the children."""

    def iter_children(node, /, **options):
        return ((number, child) for number, (_, child) in enumerate(nnx.iter_children(node)))

    return {"iter_children": iter_children}
