"""Measurements of updates, with names, and steps for them."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .formulas import FEW, bind_steps

# Functions of updates; each has results of one shape and dtype.
_MEASURES = (
    "lambda tree: sum(jnp.sum(leaf) for leaf in jtu.tree_leaves(tree))",
    "lambda tree: optax.global_norm(tree)",
    "lambda tree: jtu.tree_map(lambda leaf: leaf * 2, tree)",
    "lambda tree: {'first': jtu.tree_leaves(tree)[0], 'none': None}",
    "lambda tree: jtu.tree_leaves(tree)[0].max() > 1.0",
)
_NAMES = ("norm", "largest", "measurement", "aux")
_OPTIONS = (
    *("decay=0.5", "decay=0.9, debias=False", "decay=0.25, debias=True", "decay=0.0"),
    "decay=0.5, accumulator_dtype='float32'",
)


@st.composite
def measures(draw: st.DrawFn) -> Recipe:
    """Draw `grads`, a list of gradients for `params`, and `held`, functions of them by name.

    `averaged` has the options of a moving average for some of the names.
    """
    scope = Scope()
    bind_steps(draw, scope, shapes=FEW)
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3, unique=True))
    scope.note(*(f"name:{name}" for name in names))
    held = ", ".join(f"{name!r}: {draw(st.sampled_from(_MEASURES))}" for name in names)
    scope.bind("held", f"{{{held}}}")
    chosen = [name for name in names if draw(st.booleans())]
    pairs = ", ".join(f"{name!r}: dict({draw(st.sampled_from(_OPTIONS))})" for name in chosen)
    scope.bind("averaged", f"{{{pairs}}}")
    return scope.recipe()
