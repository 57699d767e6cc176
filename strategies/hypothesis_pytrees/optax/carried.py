"""States of optimisers that are stored: of any transformation, with numbers by their places."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.numbered import NUMBERED

from .params import draw_parameters
from .transformations import found, optional, simple

_UNSAVED = {
    *("add_noise", "noisy_sgd", "named_chain"),
    "contrib.differentially_private_aggregate",
}


@st.composite
def carried_states(draw: st.DrawFn, *, saved: bool = False) -> Recipe:
    """Bind `tx`, any transformation, `params`, and `state`, its state for them.

    Args:
        saved: only parameters in dicts, lists and tuples, and states without random keys and
            `OrderedDict`, as Flax stores them; default `False`.
    """
    scope = Scope()
    scope.define(NUMBERED)
    table = [made for made in found() if not saved or made.name not in _UNSAVED]
    made = draw(st.sampled_from(table))
    scope.bind("tx", draw(st.sampled_from([simple(made), *optional(made)])))
    draw_parameters(draw, scope, **({"kinds": (), "models": False} if saved else {}))
    scope.bind("state", "numbered_arrays(tx.init(params))")
    return scope.recipe()
