"""Options of noise, with arrays of so many numbers that their statistics can be told."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

_TAKES_KEYS = Since(
    "a key for add_noise",
    "optax>=0.2.5",
    "https://github.com/google-deepmind/optax/pull/1138",
)
_SEEDS = ("3", "0")
_KEYS = ("jax.random.key(0)", "jax.random.key(12)")
# No two leaves have one shape.
_TREES = ("{'a': jnp.zeros(4000)}", "[jnp.zeros(4000), (jnp.zeros((4001,)), None)]")


@st.composite
def noise(draw: st.DrawFn) -> Recipe:
    """Draw `params` and `grads`, whose numbers are the length of an array, and options.

    These are `eta`, `gamma` and `key`.
    """
    scope = Scope()
    scope.bind("params", draw(st.sampled_from(_TREES)))
    scope.bind("grads", "jtu.tree_map(lambda leaf: leaf + leaf.shape[0], params)")
    scope.bind("eta", draw(st.sampled_from(("0.25", "4.0", "1.0"))))
    scope.bind("gamma", draw(st.sampled_from(("0.0", "0.55", "1.0", "2.0"))))
    scope.bind("key", draw(st.sampled_from(_SEEDS if _TAKES_KEYS.lacking() else _SEEDS + _KEYS)))
    return scope.recipe()
