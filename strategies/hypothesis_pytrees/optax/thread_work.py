"""Work for threads: steps of optimisers, as functions without arguments."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .steps import COPIES

_STEPS = """\
def thread_optax_steps(tx, params, count):
    state = tx.init(params)
    for index in range(count):
        grads = jtu.tree_map(lambda leaf: leaf * (0.5 + index), params)
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params, jtu.tree_leaves(state)
"""
_CALLS = ("thread_optax_steps", "jax.jit(thread_optax_steps, static_argnums=(0, 2))")
_TREES = ("jnp.ones(2)", "{'b': jnp.ones(2), 'a': jnp.float32(3.0)}", "(jnp.zeros((2, 2)), [None])")


@st.composite
def optimiser_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that makes an optimiser, and steps with it."""
    scope = Scope()
    scope.define(_STEPS)
    text = draw(st.sampled_from(list(COPIES)))
    scope.note(f"case:{text.removeprefix('optax.').partition('(')[0]}")
    scope.bind("params", draw(st.sampled_from(_TREES)))
    count = draw(st.integers(1, 2))
    step = draw(st.sampled_from(_CALLS))
    return scope.recipe(f"lambda: {step}({text}, params, {count})")
