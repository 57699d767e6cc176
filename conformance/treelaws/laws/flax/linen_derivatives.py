"""Flax Linen: lifted derivatives, compared with those of JAX for `apply`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.flax.lifted.derivatives import differentiated_modules
from treelaws.equality import same

from .linen import TRANSFORMS, law


@law(
    "`nn.vjp`, `nn.jvp`, `nn.grad` and `nn.value_and_grad` in a module give the values, the "
    "derivatives and the variables that those of JAX give for `apply`, if the module draws no "
    "random numbers",
    source=f"{TRANSFORMS}vjp",
    level="should",
    needs={"linen.vjp", "linen.jvp", "linen.grad", "linen.value_and_grad"},
    case=differentiated_modules(),
)
def lifted_derivatives_are_those_of_apply(lib, case):
    got, changed = case.lifted.apply(case.variables, *case.args, **case.call)
    wanted, after = _derivative(case)
    same(got, wanted)
    same(changed, {name: {"inner": held} for name, held in after.items()})


def _derivative(case: Any) -> tuple[Any, Any]:
    """Return what a lifted derivative returns, and the variables after it."""
    variables = {name: held["inner"] for name, held in case.variables.items()}
    moved = {name: variables[name] for name in case.moved}

    def run(moved, *args):
        result, changed = case.inner.apply(
            {**variables, **moved}, *args, **case.call, method=case.value
        )
        value, *aux = result if case.has_aux else (result,)
        return value, (aux, changed)

    if case.way == "jvp":
        directions = _ones((moved, *case.args))
        value, tangent, (_, changed) = jax.jvp(run, (moved, *case.args), directions, has_aux=True)
        return (value, tangent), changed
    value, pull, (aux, changed) = jax.vjp(run, moved, *case.args, has_aux=True)
    of_variables, *of_args = pull(_ones(value))
    if case.way == "vjp":
        return (value, (of_variables, *of_args), *aux), changed
    if case.way == "value_and_grad":
        return ((value, *aux) if aux else value, tuple(of_args)), changed
    return (tuple(of_args), *aux) if aux else tuple(of_args), changed


def _ones(tree: Any) -> Any:
    return jtu.tree_map(jnp.ones_like, tree)
