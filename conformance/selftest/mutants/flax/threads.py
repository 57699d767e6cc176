"""Mutants of Flax that share between threads what belongs to a call."""

from __future__ import annotations

from selftest.mutant import mutant

from .._one_place import one_place_for_arguments

_ID = "flax.threads."


@mutant("flax", kills=[_ID + "states_are_saved_by_threads"])
def states_have_one_place_for_arguments(flax):
    """Functions of states keep their arguments where each call keeps them."""
    names = ("serialization.from_state_dict", "serialization.to_bytes", "core.freeze")
    found = {"from_state_dict": flax.serialization, "to_bytes": flax.serialization}
    found["freeze"] = flax.core
    return {
        name: one_place_for_arguments(
            getattr(found[name.rpartition(".")[2]], name.rpartition(".")[2])
        )
        for name in names
    }


@mutant("flax", kills=[_ID + "items_that_are_read_ahead_are_the_items"])
def the_first_item_is_lost(flax):
    """`PrefetchIterator` begins with the second item."""

    def read_ahead(items, buffer_size=1):
        next(items, None)
        return flax.training.prefetch_iterator.PrefetchIterator(items, buffer_size)

    return {"training.prefetch_iterator.PrefetchIterator": read_ahead}
