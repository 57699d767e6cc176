"""Flax NNX: `capture`, which collects what modules sow and perturb while a function runs."""

from __future__ import annotations

import math

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.nnx.captures import captures
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._model import same_graph

law = Topic("nnx.capture", "Flax NNX: capture", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/module.html"
# "works by temporarily installing a set of mutable capture buffers on every module"
_GUIDE = (
    "https://flax.readthedocs.io/en/latest/guides/extracting_intermediates.html"
    "#how-nnx-capture-works"
)
_CASES = captures()


@law(
    "`capture` returns the result of the function, and what each module sowed, in the order of the "
    "calls",
    source=_GUIDE,
    needs={"capture"},
    case=_CASES,
)
def captured_values_are_those_sown(lib, case):
    result, state = lib.capture(case.function, lib.Intermediate)(*case.arguments, **case.named)
    wanted, seen = _run(case)
    same(result, wanted)
    same(_by_depth(lib, state, "seen"), seen)


@law(
    "`capture` of a Perturbation returns zeros like each perturbed value",
    source=_GUIDE,
    needs={"capture"},
    case=_CASES,
)
def perturbations_begin_as_zeros(lib, case):
    result, state = lib.capture(case.function, lib.Perturbation)(*case.arguments, **case.named)
    same(result, _run(case)[0])
    zeros = jnp.zeros_like(case.x)
    same(_by_depth(lib, state, "moved"), [zeros] * len(case.weights))


@law(
    "the gradient with respect to a perturbation is that with respect to the perturbed value",
    source=f"{_API}#flax.nnx.Module.perturb",
    needs={"capture"},
    case=_CASES,
)
def perturbations_have_the_gradient_of_the_value(lib, case):
    call = lambda module: module(case.x)
    _, start = lib.capture(call, lib.Perturbation)(case.module)
    moved = lambda module, state: lib.capture(call, lib.Intermediate, init=state)(module)[0].sum()
    got = lib.grad(moved, argnums=1)(case.module, start)
    factors = [math.prod(case.weights[: depth + 1]) for depth in range(len(case.weights))]
    same(_by_depth(lib, got, "moved"), [jnp.full_like(case.x, factor) for factor in factors])


@law(
    "`capture` with several types returns a state for each of them",
    source=_GUIDE,
    needs={"capture"},
    case=_CASES,
)
def several_types_give_several_states(lib, case):
    types = (lib.Perturbation, lib.Intermediate)
    result, *states = lib.capture(case.function, *types)(*case.arguments, **case.named)
    wanted, seen = _run(case)
    same(result, wanted)
    same(_by_depth(lib, states[1], "seen"), seen)
    same(jtu.tree_leaves(states[0]), [jnp.zeros_like(case.x)] * len(case.weights))


@law(
    "after `capture`, the module is as it was before",
    source=_GUIDE,
    level="should",
    needs={"capture"},
    case=_CASES,
)
def capture_leaves_the_module_as_it_was(lib, case):
    lib.capture(case.function, lib.Intermediate)(*case.arguments, **case.named)
    same_graph(case.module, case.rebuild().module)


@law(
    "after a function has raised an error within `capture`, the module is as it was before",
    source=_GUIDE,
    level="should",
    needs={"capture"},
    case=_CASES,
)
def an_error_leaves_the_module_as_it_was(lib, case):
    def failing(module, x):
        raise KeyError(module(x))

    refuses(KeyError, lambda: lib.capture(failing, lib.Intermediate)(case.module, case.x))
    same_graph(case.module, case.rebuild().module)


def _run(case):
    """Return the result, and for each module from the outer one on the tuple of what it sees."""
    x = case.x
    seen: list[tuple] = [() for _ in case.weights]
    for _ in range(case.times):
        for depth in reversed(range(len(case.weights))):
            seen[depth] = (*seen[depth], x)
            x = x * jnp.float32(case.weights[depth])
    return x, seen


def _by_depth(lib, state, name):
    """Return the values under a name, from the outer module to the innermost one."""
    held, found = nnx_api.pure(lib, state), []
    while held is not None:
        found.append(held[name])
        held = held.get("inner")
    return found
