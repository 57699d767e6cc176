"""Mutants of injected hyperparameters, of maps over parameters, and of what a loop repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "optax.hyperparams."


def _with_update(optax: Any, tx: Any, update: Callable[..., Any]) -> Any:
    return optax.GradientTransformationExtraArgs(tx.init, update)


def _injected(optax: Any, change: Callable[[Any], Any]) -> dict[str, Any]:
    def inject_hyperparams(factory):
        return lambda *args, **named: change(optax.inject_hyperparams(factory)(*args, **named))

    return {"inject_hyperparams": inject_hyperparams}


@mutant("optax", kills=[_ID + "injected_transformations_give_the_same_updates"])
def hyperparameters_are_taken_twice(optax):
    """`inject_hyperparams` applies its transformation twice."""

    def change(tx):
        def update(grads, state, params=None, **extra):
            updates, _ = tx.update(grads, state, params, **extra)
            return tx.update(updates, state, params, **extra)

        return _with_update(optax, tx, update)

    return _injected(optax, change)


@mutant("optax", kills=[_ID + "hyperparameters_can_be_changed"])
def hyperparameters_are_fixed(optax):
    """`inject_hyperparams` goes by the hyperparameters of the first state."""

    def change(tx):
        def update(grads, state, params=None, **extra):
            first = tx.init(grads).hyperparams
            return tx.update(grads, state._replace(hyperparams=first), params, **extra)

        return _with_update(optax, tx, update)

    return _injected(optax, change)


@mutant("optax", kills=[_ID + "updates_need_no_parameters"])
def hyperparameters_need_parameters(optax):
    """`inject_hyperparams` forgets its hyperparameters where it gets no parameters."""

    def change(tx):
        def update(grads, state, params=None, **extra):
            updates, state = tx.update(grads, state, params, **extra)
            return updates, state._replace(hyperparams={}) if params is None else state

        return _with_update(optax, tx, update)

    return _injected(optax, change)


@mutant("optax", kills=[_ID + "every_copy_of_the_parameters_is_mapped"])
def the_second_moment_is_no_copy(optax):
    """`tree_map_params` maps the first copy of the parameters alone."""

    def tree_map_params(initable, f, state, *rest, **named):
        seen: list[int] = []
        count = len(jax.tree.leaves(rest[0]))

        def once(leaf, *others):
            seen.append(1)
            return f(leaf, *others) if len(seen) <= count else None

        return optax.tree_utils.tree_map_params(initable, once, state, *rest, **named)

    return {"tree_utils.tree_map_params": tree_map_params}


@mutant("optax", kills=[_ID + "a_scan_is_a_loop"])
def calls_are_counted_in_python(optax):
    """Updates shrink with the number of times that Python ran them."""

    def counting(make):
        def made(*args, **named):
            tx, calls = make(*args, **named), []

            def update(grads, state, params=None, **extra):
                calls.append(1)
                updates, state = tx.update(grads, state, params, **extra)
                return jtu.tree_map(lambda leaf: leaf / len(calls), updates), state

            return _with_update(optax, tx, update)

        return made

    names = ("sgd", "adamw", "chain", "MultiSteps")
    inject = lambda factory: counting(optax.inject_hyperparams(factory))
    return {name: counting(getattr(optax, name)) for name in names} | {"inject_hyperparams": inject}
