"""Mutants of the State of what objects hold."""

from __future__ import annotations

import numpy as np

from selftest.mutant import mutant


@mutant(
    "nnx",
    kills=[
        "nnx.attributes.the_state_holds_the_leaves",
        "nnx.attributes.the_state_of_a_tree_holds_the_leaves",
    ],
)
def a_state_lacks_arrays_of_numpy(nnx):
    """`state` leaves out arrays of NumPy that are in no Variable."""

    def state(node, *filters, **options):
        found = nnx.state(node, *filters, **options)
        flat = nnx.to_flat_state(found)
        return nnx.from_flat_state([one for one in flat if not isinstance(one[1], np.ndarray)])

    return {"state": state}
