"""Gradients of each element of a batch, what is done with each, and with their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_AGGREGATING = "optax.experimental.aggregating"
# What is done with each gradient, without a state.
_BEFORE = (
    "optax.identity()",
    "optax.with_extra_args_support(optax.identity())",
    "optax.stateless(lambda updates, params: jtu.tree_map(lambda leaf: leaf * 0.5, updates))",
    "optax.chain(optax.clip(1.0), optax.scale(2.0))",
    "optax.scale_by_sign()",
)
# What is done with the mean, and the extra arguments that it needs.
_AFTER: Sequence[tuple[str, str]] = (
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
_MEAN = "lambda leaf: jnp.mean(leaf, 0)"
# Aggregators that average along the first axis over some steps, and the number of these steps.
_OWN = (
    f"{_AGGREGATING}.Aggregator(init=lambda params: optax.EmptyState(), update=lambda updates, "
    f"state, params=None, **extra: (jtu.tree_map({_MEAN}, updates), state))"
)
_STATELESS = f"optax.stateless(lambda updates, params: jtu.tree_map({_MEAN}, updates))"
_AGGREGATORS: Mapping[str, tuple[str, int]] = {
    "average": (f"{_AGGREGATING}.average_per_element_updates(0)", 1),
    "average-1": (f"{_AGGREGATING}.average_incrementally_updates(0, 1)", 1),
    "average-2": (f"{_AGGREGATING}.average_incrementally_updates(0, 2)", 2),
    "own": (_OWN, 1),
    "stateless": (_STATELESS, 1),
}


@st.composite
def aggregates(draw: st.DrawFn) -> Recipe:
    """Draw `before`, `aggregator` and `after`, `params`, and `grads`, two a step.

    `extra` are the extra arguments of `update`, of which `after` takes some, and `length` is the
    number of steps whose gradients are averaged.
    """
    scope = Scope()
    scope.bind("before", draw(st.sampled_from(_BEFORE)))
    name, (text, length) = draw(st.sampled_from(tuple(_AGGREGATORS.items())))
    scope.note(f"aggregator:{name}")
    scope.bind("aggregator", text)
    scope.bind("length", repr(length))
    after, extra = draw(st.sampled_from(_AFTER))
    scope.bind("after", after)
    if extra == "{}" and draw(st.booleans()):
        # As any transformation with extra arguments, it ignores those that it does not take.
        extra = "{'unknown': jnp.float32(2.0)}"
    scope.note("extra:none" if extra == "{}" else "extra:some")
    scope.bind("extra", extra)
    scope.bind("params", draw(st.sampled_from(("{'w': jnp.ones(2)}", "[jnp.ones(2), None]"))))
    count = draw(st.integers(1, 4))
    factors = draw(st.lists(st.sampled_from((1.0, -0.5, 2.0)), min_size=count, max_size=count))
    rows = "jtu.tree_map(lambda leaf: jnp.stack([leaf * factor, leaf * 3.0]), params)"
    scope.bind("grads", f"[{rows} for factor in {factors}]")
    return scope.recipe()
