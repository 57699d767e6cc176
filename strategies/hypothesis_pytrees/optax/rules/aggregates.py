"""Gradients of each element of a batch, what is done with each, and with their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

AGGREGATING = "optax.experimental.aggregating"
# What is done with each gradient, without a state.
_BEFORE = (
    "optax.identity()",
    "optax.with_extra_args_support(optax.identity())",
    "optax.stateless(lambda updates, params: jtu.tree_map(lambda leaf: leaf * 0.5, updates))",
    "optax.chain(optax.clip(1.0), optax.scale(2.0))",
    "optax.scale_by_sign()",
)
# What is done with the mean, and the extra arguments that it needs.
AFTER: Sequence[tuple[str, str]] = (
    ("optax.identity()", "{}"),
    ("optax.scale(-0.5)", "{}"),
    ("optax.sgd(0.5, momentum=0.5)", "{}"),
    ("optax.adam(0.5)", "{}"),
    ("optax.adamw(0.5, weight_decay=0.5)", "{}"),
    ("optax.chain(optax.clip(0.5), optax.trace(0.5))", "{}"),
    ("optax.masked(optax.sgd(0.5), True)", "{}"),
    ("optax.inject_hyperparams(optax.sgd)(0.5)", "{}"),
    ("optax.polyak_sgd()", "{'value': jnp.float32(0.5)}"),
    ("optax.chain(optax.polyak_sgd(), optax.trace(0.5))", "{'value': jnp.float32(0.5)}"),
    ("optax.contrib.reduce_on_plateau(patience=1)", "{'value': jnp.float32(0.5)}"),
)
# Aggregators that average along an axis over some steps, and the number of these steps.
_OWN = (
    f"{AGGREGATING}.Aggregator(init=lambda params: optax.EmptyState(), update=lambda updates, "
    f"state, params=None, **extra: (jtu.tree_map(mean, updates), state))"
)
_STATELESS = "optax.stateless(lambda updates, params: jtu.tree_map(mean, updates))"
_AGGREGATORS: Mapping[str, tuple[str, int]] = {
    "average": (f"{AGGREGATING}.average_per_element_updates($)", 1),
    "average-1": (f"{AGGREGATING}.average_incrementally_updates($, 1)", 1),
    "average-2": (f"{AGGREGATING}.average_incrementally_updates($, 2)", 2),
    "own": (_OWN, 1),
    "stateless": (_STATELESS, 1),
}
# The same without an axis of elements.
_ACCUMULATORS: Mapping[str, tuple[str, int]] = {
    "average-1": (f"{AGGREGATING}.average_incrementally_updates(None, 1)", 1),
    "average-2": (f"{AGGREGATING}.average_incrementally_updates(None, 2)", 2),
    **{
        f"accumulate-{length}": (f"{AGGREGATING}.accumulate_avg_updates({length})", length)
        for length in (1, 2, 3)
    },
}
# By axis of the elements: the gradients of some, made of a `leaf` and a `factor`.
ROWS: Mapping[str, str] = {
    "0": "jnp.stack([leaf * factor, leaf * 3.0])",
    "-1": "jnp.stack([leaf * factor, leaf * 3.0, leaf], -1)",
    "(0,)": "jnp.stack([leaf * 3.0, leaf * factor])",
    "(0, 1)": "jnp.stack([jnp.stack([leaf * factor, leaf]), jnp.stack([leaf * 3.0, leaf])])",
    "[0, -1]": "jnp.stack([jnp.stack([leaf * factor, leaf]), jnp.stack([leaf * 3.0, leaf])], -1)",
}


@st.composite
def aggregates(draw: st.DrawFn) -> Recipe:
    """Draw `before`, `aggregator` and `after`, `params`, and `grads`, several a step.

    `extra` are the extra arguments of `update`, of which `after` takes some, `length` is the
    number of steps whose gradients are averaged, and `mean` averages the elements of an array.
    Feature: `name:ready` if parameters have that name.
    """
    scope = Scope()
    scope.bind("before", draw(st.sampled_from(_BEFORE)))
    axis = draw(st.sampled_from((None, *ROWS)))
    scope.note(f"axis:{axis}")
    average = "leaf" if axis is None else f"jnp.mean(leaf, tuple(np.atleast_1d({axis})))"
    scope.bind("mean", f"lambda leaf: {average}")
    aggregators = _ACCUMULATORS if axis is None else _AGGREGATORS
    name, (text, length) = draw(st.sampled_from(tuple(aggregators.items())))
    scope.note(f"aggregator:{name}", "length:one" if length == 1 else "length:several")
    scope.bind("aggregator", text.replace("$", str(axis)))
    scope.bind("length", repr(length))
    after, extra = draw(st.sampled_from(AFTER))
    scope.bind("after", after)
    if extra == "{}" and draw(st.booleans()):
        # As any transformation with extra arguments, it ignores those that it does not take.
        extra = "{'unknown': jnp.float32(2.0)}"
    scope.note("extra:none" if extra == "{}" else "extra:some")
    scope.bind("extra", extra)
    bind_gradients(draw, scope, ROWS.get(str(axis), "leaf * factor"), least=1)
    return scope.recipe()


_PARAMS = (
    "{'w': jnp.ones(2)}",
    "[jnp.ones(2), None]",
    "(jnp.float32(0.5), {'w': jnp.ones((2, 3))})",
    "{'ready': jnp.ones(2), 'count': jnp.ones(())}",
)


def bind_gradients(draw: st.DrawFn, scope: Scope, rows: str, *, least: int) -> None:
    """Bind `params`, and `grads`, a list with the gradients of each step.

    Args:
        draw: draws from strategies.
        scope: the recipe under construction.
        rows: text of the gradients of a step for a `leaf` of the parameters and a `factor`.
        least: the smallest number of steps.
    """
    params = draw(st.sampled_from(_PARAMS))
    scope.note(*["name:ready"] * ("ready" in params))
    scope.bind("params", params)
    count = draw(st.integers(least, least + 3))
    factors = draw(st.lists(st.sampled_from((1.0, -0.5, 2.0)), min_size=count, max_size=count))
    step = f"jtu.tree_map(lambda leaf: {rows}, params)"
    scope.bind("grads", f"[{step} for factor in {factors}]")
