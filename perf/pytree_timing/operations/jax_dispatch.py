"""JAX: calling what is compiled, compiling it, and derivatives."""

from __future__ import annotations

from typing import Any

import jax

from pytree_timing.calls import arrays, blocking, compiled, doubled, first_plus_one, total
from pytree_timing.operation import Call, Given, Topic

_KINDS = ("tuple", "dict", "node", "module", "mixed")
_FEW = (10, 100, 1_000)
dispatch = Topic("dispatch", floor="dispatch.jax_jit")
completion = Topic("completion", floor="completion.jax_jit_completed", clock="wall")
derivative = Topic("derivative")
compiling = Topic("compile", clock="process", steady=False)


@dispatch(*_KINDS, "nnx")
def jax_jit(given: Given) -> Call:
    """jax.jit of a function of one leaf, called on the arrays of the tree."""
    return compiled(jax.jit(first_plus_one), arrays(given.tree))


@dispatch(*_KINDS, sizes=_FEW)
def jax_jit_on_leaves(given: Given) -> Call:
    """jax.jit of a function of one leaf, called on leaves taken out of the tree before."""
    leaves, structure = jax.tree_util.tree_flatten(arrays(given.tree))

    @jax.jit
    def on_leaves(leaves: Any) -> jax.Array:
        return first_plus_one(jax.tree_util.tree_unflatten(structure, leaves))

    return compiled(on_leaves, leaves)


@completion(*_KINDS, "nnx", sizes=_FEW)
def jax_jit_completed(given: Given) -> Call:
    """jax.jit of a function of every leaf, called on the arrays of the tree, and its result."""
    return blocking(compiled(jax.jit(doubled), arrays(given.tree)))


@derivative(*_KINDS, sizes=_FEW[:2])
def jax_grad(given: Given) -> Call:
    """jax.grad of a function of every leaf, without jit."""
    return compiled(jax.grad(total), arrays(given.tree))


@derivative(*_KINDS, sizes=_FEW)
def jitted_jax_grad(given: Given) -> Call:
    """jax.jit of jax.grad of a function of every leaf."""
    return compiled(jax.jit(jax.grad(total)), arrays(given.tree))


@derivative(*_KINDS, sizes=_FEW[:2])
def jax_vmap(given: Given) -> Call:
    """jax.vmap of a function of every leaf over an axis of each, without jit."""
    rows = jax.tree_util.tree_map(lambda leaf: leaf[None], arrays(given.tree))
    return compiled(jax.vmap(total), rows)


@compiling(*_KINDS, "nnx", sizes=_FEW)
def trace(given: Given) -> Call:
    """Tracing a function of every leaf that was not traced before."""
    tree = arrays(given.tree)
    return lambda: jax.jit(_new()).trace(tree)


@compiling(*_KINDS, sizes=_FEW)
def trace_and_lower(given: Given) -> Call:
    """Tracing and lowering a function of every leaf that was not traced before."""
    tree = arrays(given.tree)
    return lambda: jax.jit(_new()).lower(tree)


@compiling("tuple", "node", "module", sizes=_FEW[:2])
def trace_lower_and_compile(given: Given) -> Call:
    """Compiling a function of every leaf that was not traced before."""
    tree = arrays(given.tree)
    return lambda: jax.jit(_new()).lower(tree).compile()


def _new() -> Any:
    # JAX keeps what it has traced by function.
    return lambda tree: doubled(tree)
