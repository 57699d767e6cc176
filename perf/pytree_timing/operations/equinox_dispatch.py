"""Equinox: calling what is compiled, compiling it, derivatives, and state."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax

from pytree_timing.calls import arrays, blocking, compiled, doubled, first_plus_one, total
from pytree_timing.operation import Call, Given, Topic

from .jax_dispatch import compiling, completion, derivative, dispatch

_KINDS = ("tuple", "dict", "node", "module", "mixed")
_FEW = (10, 100, 1_000)
state = Topic("state", floor="tree.flatten")


@dispatch(*_KINDS)
def filter_jit(given: Given) -> Call:
    """eqx.filter_jit of a function of one leaf; it waits until its result is there."""
    return compiled(eqx.filter_jit(first_plus_one), given.tree)


@dispatch("node", "module", "mixed", sizes=_FEW)
def partition_and_jax_jit(given: Given) -> Call:
    """eqx.partition in each call, and jax.jit on the arrays."""
    jitted = jax.jit(first_plus_one)

    def call() -> jax.Array:
        found, _ = eqx.partition(given.tree, eqx.is_array)
        return jitted(found)

    call()
    return call


@dispatch("tuple", "node", "module", "mixed", sizes=_FEW)
def filter_jit_of_the_identity(given: Given) -> Call:
    """eqx.filter_jit of a function that gives its tree back."""
    return compiled(eqx.filter_jit(lambda tree: tree), given.tree)


@completion(*_KINDS, sizes=_FEW)
def filter_jit_completed(given: Given) -> Call:
    """eqx.filter_jit of a function of every leaf, and its result."""
    return blocking(compiled(eqx.filter_jit(doubled), given.tree))


@derivative(*_KINDS, sizes=_FEW[:2], floor="derivative.jax_grad")
def filter_grad(given: Given) -> Call:
    """eqx.filter_grad of a function of every leaf, without jit."""
    return compiled(eqx.filter_grad(total), given.tree)


@derivative(*_KINDS, sizes=_FEW[:2], floor="derivative.jax_grad")
def filter_value_and_grad(given: Given) -> Call:
    """eqx.filter_value_and_grad of a function of every leaf, without jit."""
    return compiled(eqx.filter_value_and_grad(total), given.tree)


@derivative(*_KINDS, sizes=_FEW, floor="derivative.jitted_jax_grad")
def jitted_filter_grad(given: Given) -> Call:
    """eqx.filter_jit of eqx.filter_grad of a function of every leaf."""
    return compiled(eqx.filter_jit(eqx.filter_grad(total)), given.tree)


@derivative(*_KINDS, sizes=_FEW[:2], floor="derivative.jax_vmap")
def filter_vmap(given: Given) -> Call:
    """eqx.filter_vmap of a function of every leaf over an axis of each, without jit."""
    rows = jax.tree_util.tree_map(lambda leaf: leaf[None], arrays(given.tree))
    return compiled(eqx.filter_vmap(total), rows)


@compiling(*_KINDS, sizes=_FEW, floor="compile.trace_and_lower")
def filter_jit_lower(given: Given) -> Call:
    """Tracing and lowering by eqx.filter_jit of a function that was not traced before."""
    return lambda: eqx.filter_jit(lambda tree: doubled(tree)).lower(given.tree)


@state("tuple", sizes=_FEW)
def get(given: Given) -> Call:
    """State.get of one among as many indices as there are leaves."""
    indices, held = _with_state(given)
    return lambda: held.get(indices[0])


# It traces a function to see the shape of the value.
@state("tuple", sizes=_FEW, steady=False)
def set(given: Given) -> Call:
    """State.set of one among as many indices as there are leaves."""
    indices, held = _with_state(given)
    kept, value = [held], given.leaves[-1]

    def call() -> None:
        # A state that was set is not to be used again.
        kept[0] = kept[0].set(indices[0], value)

    return call


def _with_state(given: Given) -> tuple[Any, Any]:
    make = lambda: [eqx.nn.StateIndex(leaf) for leaf in given.leaves]
    return eqx.nn.make_with_state(make)()
