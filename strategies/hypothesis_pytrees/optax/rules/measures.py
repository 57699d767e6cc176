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


# Measurements of every dtype; each has the same dtype for parameters and for updates.
_OF_DTYPES = (
    ("bool", "optax.global_norm(tree) > 1.0"),
    ("bool", "jtu.tree_leaves(tree)[0] > 1.0"),
    ("int32", "sum(jnp.sum(leaf > 0) for leaf in jtu.tree_leaves(tree))"),
    ("int8", "jnp.sum(jtu.tree_leaves(tree)[0] > 0).astype('int8')"),
    ("float32", "optax.global_norm(tree)"),
    ("float32", "jtu.tree_map(lambda leaf: leaf * 2, tree)"),
    ("bfloat16", "optax.global_norm(tree).astype(jnp.bfloat16)"),
    ("float16", "jtu.tree_leaves(tree)[0].astype(jnp.float16)"),
    ("complex64", "jtu.tree_leaves(tree)[0] * (1 + 2j)"),
)


@st.composite
def averaged_measures(draw: st.DrawFn) -> Recipe:
    """Draw `measure`, a function of updates, `options` of its average, `params` and `grads`."""
    scope = Scope()
    bind_steps(draw, scope, most=1, shapes=FEW)
    chosen = [draw(st.sampled_from(_OF_DTYPES)) for _ in range(draw(st.integers(1, 2)))]
    scope.note(*(f"measure:{dtype}" for dtype, _ in chosen))
    texts = [text for _, text in chosen]
    result = texts[0] if len(texts) == 1 else f"{{'a': {texts[0]}, 'b': ({texts[1]}, None)}}"
    scope.bind("measure", f"lambda tree: {result}")
    option = draw(st.sampled_from(_OPTIONS))
    scope.note(*["dtype:given"] * ("dtype" in option))
    scope.bind("options", f"dict({option})")
    return scope.recipe()
