"""Optimisers that also track the mean and the variance of gradients of single elements."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .aggregates import AFTER, AGGREGATING, ROWS, bind_gradients

_HALVES = ("bfloat16", "float16")
_WAYS = {
    "made": f"{AGGREGATING}.add_mean_variance_to_opt(after, decay, axis, length)",
    "parts": (
        f"{AGGREGATING}.process(optax.identity(), "
        f"{AGGREGATING}.get_per_element_mean_and_sum_sq_diff_grads(axis, length), optax.chain("
        f"{AGGREGATING}.track_per_element_mean_and_variance_with_ema(decay), after), "
        "aggregator_has_aux=True)"
    ),
}


@st.composite
def moments(draw: st.DrawFn, *, halves: bool = False) -> Recipe:
    """Draw `tx`, which does what `after` does and tracks moments, `params`, and `grads` of steps.

    The elements of each gradient are along `axis`; `length` steps count as one, and `decay` is
    that of the averages. Features: `name:ready` if parameters have that name, `dtype:half`.

    Args:
        halves: with `params` and `grads` of half precision among them; default `False`.
    """
    scope = Scope()
    scope.bind("after", draw(st.sampled_from([text for text, extra in AFTER if extra == "{}"])))
    axis, length = draw(st.sampled_from(tuple(ROWS))), draw(st.integers(1, 3))
    scope.note(f"axis:{axis}", "length:one" if length == 1 else "length:several")
    # Documented are a number and a list.
    scope.bind("axis", f"list({axis})" if axis.startswith("(") else axis)
    scope.bind("length", str(length))
    scope.bind("decay", draw(st.sampled_from(("0.0", "0.5", "0.9"))))
    way = draw(st.sampled_from(tuple(_WAYS)))
    scope.note(f"way:{way}")
    scope.bind("tx", _WAYS[way])
    bind_gradients(draw, scope, ROWS[axis], least=length)
    if halves and draw(st.booleans()):
        scope.note("dtype:half")
        cast = f"lambda leaf: leaf.astype(jnp.{draw(st.sampled_from(_HALVES))})"
        scope.rebind("params, grads", f"jtu.tree_map({cast}, (params, grads))")
    return scope.recipe()
