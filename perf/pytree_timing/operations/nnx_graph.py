"""Flax NNX: taking modules apart and calling what is compiled."""

from __future__ import annotations

import functools
from typing import Any

import jax
from flax import nnx

from pytree_timing.calls import blocking, compiled, first_plus_one
from pytree_timing.operation import Call, Given, Topic

from .jax_dispatch import compiling, completion, dispatch

_FEW = (10, 100, 1_000)
graph = Topic("nnx", floor="tree.flatten")


@graph("nnx", sizes=_FEW)
def split(given: Given) -> Call:
    """nnx.split."""
    return functools.partial(nnx.split, given.tree)


@graph("nnx", sizes=_FEW)
def merge(given: Given) -> Call:
    """nnx.merge."""
    return functools.partial(nnx.merge, *nnx.split(given.tree))


@graph("nnx", sizes=_FEW)
def state(given: Given) -> Call:
    """nnx.state."""
    return functools.partial(nnx.state, given.tree)


@graph("nnx", sizes=_FEW)
def update(given: Given) -> Call:
    """nnx.update with the state that the module has."""
    return functools.partial(nnx.update, given.fresh(), nnx.state(given.tree))


@dispatch("nnx", sizes=_FEW)
def nnx_jit(given: Given) -> Call:
    """nnx.jit of a function of one Variable."""
    return compiled(nnx.jit(_first_of), given.tree)


@dispatch("nnx", sizes=_FEW)
def split_and_jax_jit(given: Given) -> Call:
    """nnx.split in each call, and jax.jit on the state."""
    jitted = jax.jit(lambda definition, held: first_plus_one(held), static_argnums=0)

    def call() -> jax.Array:
        return jitted(*nnx.split(given.tree))

    call()
    return call


@dispatch("nnx", sizes=_FEW)
def jax_jit_on_the_split(given: Given) -> Call:
    """jax.jit of nnx.merge, called on what nnx.split gave before."""
    return compiled(jax.jit(_first_of_the_merged), *nnx.split(given.tree))


@dispatch("nnx", sizes=_FEW, needs=("flax.nnx.cached_partial",))
def nnx_cached_partial(given: Given) -> Call:
    """nnx.cached_partial of nnx.jit of a function of one Variable."""
    return compiled(nnx.cached_partial(nnx.jit(_first_of), given.tree))


@dispatch("nnx", sizes=_FEW, needs=("flax.nnx.jit_partial",))
def nnx_jit_partial(given: Given) -> Call:
    """nnx.jit_partial, without a graph, of a function of one Variable."""
    return compiled(nnx.jit_partial(_first_of, given.fresh(), graph=False))


@completion("nnx", sizes=_FEW)
def nnx_jit_completed(given: Given) -> Call:
    """nnx.jit of a function that doubles each Variable, and its result."""
    module = given.fresh()

    @nnx.jit
    def double(module: Any) -> Any:
        values = nnx.state(module)
        nnx.update(module, jax.tree_util.tree_map(lambda leaf: leaf * 2, values))

    compiled(double, module)
    return blocking(lambda: (double(module), jax.tree_util.tree_leaves(nnx.state(module))[0])[1])


@compiling("nnx", sizes=_FEW, floor="compile.trace")
def trace_of_writes(given: Given) -> Call:
    """Tracing a function that writes each Variable of a module."""
    definition, held = nnx.split(given.tree)

    def write(held: Any) -> Any:
        module = nnx.merge(definition, held)
        for _, node in nnx.iter_graph(module):
            if isinstance(node, nnx.Variable):
                _write(node)
        return nnx.state(module)

    # JAX keeps what it has traced by function.
    return lambda: jax.eval_shape(lambda held: write(held), held)


def _write(variable: Any) -> None:
    if hasattr(variable, "set_value"):
        variable[...] = variable[...] + 1
    else:
        variable.value = variable.value + 1


def _first_of(module: Any) -> jax.Array:
    return first_plus_one(nnx.state(module))


def _first_of_the_merged(definition: Any, held: Any) -> jax.Array:
    return _first_of(nnx.merge(definition, held))
