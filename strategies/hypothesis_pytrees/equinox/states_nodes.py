"""`eqx.nn.State` and `eqx.nn.StateIndex` as nodes of a tree, both from `make_with_state`."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.leaves.leaves import arrays
from hypothesis_pytrees.trees.trees import trees

from .states_layers import LAYERS_WITH_STATE

_SUCCESSOR = """\
def successor(value):
    index, state = eqx.nn.make_with_state(eqx.nn.StateIndex)(value)
    return state.set(index, value)
"""
_DEFINITIONS = next(k for k in LAYERS_WITH_STATE if "stateful:two" in k.features).definitions

STATES: tuple[Kind, ...] = (
    Kind("state", "eqx.nn.make_with_state(eqx.nn.StateIndex)($0)[1]"),
    Kind("state", "eqx.nn.make_with_state(TwoStates)($0, [$1])[1]", _DEFINITIONS),
    Kind("state", "eqx.nn.make_with_state(dict)()[1]", features=("node:no-leaves",)),
    Kind("state", "successor($0)", (_SUCCESSOR,)),
)
# Without their initial values: markers from outside of `make_with_state` are of one object each.
INDICES: tuple[Kind, ...] = (
    Kind("state-index", "eqx.nn.make_with_state(eqx.nn.StateIndex)(0.0)[0]"),
    Kind("state-index", "eqx.nn.make_with_state(TwoStates)(0.0, 0.0)[0].first", _DEFINITIONS),
)


def states(**options: Any) -> st.SearchStrategy[Recipe]:
    """Draw an `eqx.nn.State`, which holds arrays alone.

    Args:
        options: options of `trees`; leaves are arrays, and there are no other nodes.
    """
    return trees(**{**options, "roots": STATES, "leaves": arrays(), "kinds": ()})


def state_indices(**options: Any) -> st.SearchStrategy[Recipe]:
    """Draw an `eqx.nn.StateIndex` of a model, which has no leaves.

    Args:
        options: options of `trees`.
    """
    return trees(**{**options, "roots": INDICES, "leaves": arrays(), "kinds": ()})
