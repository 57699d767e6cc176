"""Optax: an optimiser on a filtered model, and a whole step of training."""

from __future__ import annotations

from typing import Any

import jax
import optax

from pytree_timing.calls import arrays, blocking, compiled, total
from pytree_timing.operation import Call, Given, Topic

_KINDS = ("tuple", "dict", "node", "module", "mixed")
# XLA takes five seconds to compile Adam for a thousand scalars.
_FEW = (10, 100)
optimiser = Topic("optimiser")
training = Topic("training", floor="training.jax_jit_step", clock="wall")


@optimiser(*_KINDS, sizes=_FEW)
def init(given: Given) -> Call:
    """Adam's init on the arrays of the tree, without jit."""
    return compiled(optax.adam(1e-3).init, arrays(given.tree))


@optimiser(*_KINDS, sizes=_FEW)
def update(given: Given) -> Call:
    """Adam's update on the arrays of the tree, without jit."""
    params = arrays(given.tree)
    adam = optax.adam(1e-3)
    return compiled(adam.update, params, adam.init(params), params)


@optimiser(*_KINDS, sizes=_FEW)
def jitted_update(given: Given) -> Call:
    """Adam's update on the arrays of the tree, with jax.jit."""
    params = arrays(given.tree)
    adam = optax.adam(1e-3)
    return compiled(jax.jit(adam.update), params, adam.init(params), params)


@training(*_KINDS, sizes=_FEW)
def jax_jit_step(given: Given) -> Call:
    """jax.jit of loss, gradient, Adam and new parameters, on the arrays of the tree."""
    params = arrays(given.tree)
    state = optax.adam(1e-3).init(params)
    return blocking(compiled(jax.jit(_step), params, state))


@training("node", "module", "mixed", sizes=_FEW, needs=("equinox",))
def filter_jit_step(given: Given) -> Call:
    """eqx.filter_jit of loss, gradient, Adam and new parameters, on the model."""
    import equinox as eqx

    adam = optax.adam(1e-3)

    @eqx.filter_jit
    def step(model: Any, state: Any) -> Any:
        gradients = eqx.filter_grad(total)(model)
        updates, state = adam.update(gradients, state, eqx.filter(model, eqx.is_array))
        return eqx.apply_updates(model, updates), state

    state = adam.init(eqx.filter(given.tree, eqx.is_array))
    return blocking(compiled(step, given.tree, state))


def _step(params: Any, state: Any) -> Any:
    gradients = jax.grad(total)(params)
    updates, state = optax.adam(1e-3).update(gradients, state, params)
    return optax.apply_updates(params, updates), state
