"""Contexts: the transformations of JAX inside which a function can be called.

Each context takes a function from a tree of arrays to a tree of the same structure, shapes and
dtypes, and returns such a function that calls it under a JAX trace, so contexts nest.
"""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from .recipe import Recipe, Scope

# Definitions for recipe text: call a function in a context, or in another thread.
WITHIN = """\
def run_within(context, function):
    with context:
        return function()
"""
IN_THREAD = """\
def run_in_thread(function):
    import concurrent.futures

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()
"""
_TOTAL = """\
def total(tree):
    return sum(jnp.sum(leaf) for leaf in jtu.tree_leaves(tree))
"""
_BODIES = {
    "jit": "jax.jit(function)(tree)",
    "inlined-jit": "jax.jit(function, inline=True)(tree)",
    "vmap": "jtu.tree_map(\n"
    "        lambda leaf: leaf[1],\n"
    "        jax.vmap(function)(jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), tree)),\n"
    "    )",
    "grad": "jax.grad(lambda tree: total(function(tree)))(tree)",
    "jvp": "jax.jvp(function, (tree,), (tree,))[1]",
    "vjp": "jax.vjp(function, tree)[1](tree)[0]",
    "linearize": "jax.linearize(function, tree)[1](tree)",
    "checkpoint": "jax.checkpoint(function)(tree)",
    "scan": "jax.lax.scan(lambda carry, _: (function(carry), None), tree, None, length=2)[0]",
    "scan-output": "jtu.tree_map(\n"
    "        lambda leaf: leaf[0],\n"
    "        jax.lax.scan(lambda carry, _: (carry, function(tree)), 0, None, length=1)[1],\n"
    "    )",
    "while": "jax.lax.while_loop(\n"
    "        lambda carry: carry[0] < 2,\n"
    "        lambda carry: (carry[0] + 1, function(carry[1])),\n"
    "        (0, tree),\n"
    "    )[1]",
    "fori": "jax.lax.fori_loop(0, 2, lambda _, carry: function(carry), tree)",
    "cond": "jax.lax.cond(total(tree) > 0, function, lambda tree: tree, tree)",
    "switch": "jax.lax.switch(jnp.int32(1), [lambda tree: tree, function], tree)",
    "map": "jtu.tree_map(\n"
    "        lambda leaf: leaf[0],\n"
    "        jax.lax.map(function, jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), tree)),\n"
    "    )",
    "eval_shape": "jtu.tree_map(\n"
    "        lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(function, tree)\n"
    "    )",
    "no-arguments": "jax.jit(lambda: function(jtu.tree_map(jnp.ones_like, tree)))()",
}
CONTEXTS: tuple[str, ...] = tuple(_BODIES)
# JAX differentiates no loop of unknown length in reverse mode.
_REVERSE = frozenset({"grad", "vjp"})


def definitions_of(context: str) -> tuple[str, ...]:
    """Return the texts that define a context, as `in_scan` and so on.

    Args:
        context: one of `CONTEXTS`.
    """
    name = context.replace("-", "_")
    return (_TOTAL, f"def in_{name}(function):\n    return lambda tree: {_BODIES[context]}\n")


@st.composite
def contexts(draw: st.DrawFn, *, max_depth: int = 2, without: Collection[str] = ()) -> Recipe:
    """Draw a function that puts a function of a tree of arrays into one or more transformations.

    `contexts().build()(f)(tree)` has the structure, shapes and dtypes of `tree` where `f(tree)`
    has, and the leaves are real floating-point arrays. Features: `inside:scan`, `inside:vmap`, ...

    Args:
        max_depth: maximum nesting depth, at least 1; default 2.
        without: those of `CONTEXTS` that are not drawn; default none.

    Raises:
        ValueError: `max_depth` is below 1.
    """
    if max_depth < 1:
        raise ValueError(f"max_depth must be at least 1, got {max_depth}")
    scope = Scope()
    text, table = "function", tuple(name for name in CONTEXTS if name not in without)
    for _ in range(draw(st.integers(1, max_depth))):
        context = table[draw(st.integers(0, len(table) - 1))]
        if context == "while":
            table = tuple(name for name in table if name not in _REVERSE)
        scope.define(*definitions_of(context))
        scope.note(f"inside:{context}")
        text = f"in_{context.replace('-', '_')}({text})"
    return scope.recipe(f"lambda function: {text}")
