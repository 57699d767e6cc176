"""Equinox: weakly typed values of a `State`."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same

from ._state_inputs import STATE
from .state import get_gives_what_was_set, law

# The maintainer would take "a pull request adjusting this check so that it ignores weak dtypes".
_IGNORED = "https://github.com/patrick-kidger/equinox/issues/885"
_WEAK = ("jnp.asarray(0)", "jnp.asarray(2.0)", "3", "0.5", "jnp.asarray(2j)")
_STRONG = (
    "jnp.int32(1)",
    "jnp.float32(4.0)",
    "np.int32(5)",
    "np.float32(0.25)",
    "np.complex64(1j)",
)
_AROUND = ("{}", "({}, None)", "[{}, np.zeros(2, np.float32)]", "{{'a': {}}}")


@st.composite
def _weakly_typed(draw: st.DrawFn) -> Recipe:
    """Bind `first` and `second`, trees that differ at most in a weak type and in numbers."""
    scope = Scope()
    place = draw(st.integers(0, len(_WEAK) - 1))
    around = draw(st.sampled_from(_AROUND))
    pairs = [draw(st.sampled_from((_WEAK, _STRONG))) for _ in range(2)]
    scope.note("weak-types:differ" if pairs[0] != pairs[1] else "weak-types:agree")
    for name, leaves in zip(("first", "second"), pairs, strict=True):
        scope.bind(name, around.format(leaves[place]))
    return scope.recipe()


@law(
    "`set` takes a value whether it is weakly typed, and whether the value before was",
    source=_IGNORED,
    needs=STATE,
    level="should",
    case=_weakly_typed(),
    parents=(get_gives_what_was_set,),
)
def weak_types_are_no_mismatch(lib, case):
    index, state = lib.nn.make_with_state(lib.nn.StateIndex)(case.first)
    got = state.set(index, case.second).get(index)
    same(got, jtu.tree_map(jnp.asarray, case.second))
