"""Masks: which leaves of a tree of parameters are chosen, as a tree, a prefix or a function."""

from __future__ import annotations

import functools

import jax.tree_util as jtu
from hypothesis import strategies as st

from .kinds import Kind
from .leaves import pool
from .modules import MODULES
from .nodes import NODES
from .optax_params import (
    GRADIENTS,
    PARAMETERS,
    draw_parameters,
    holding_parameters,
    sources,
)
from .recipe import Recipe, Scope
from .trees import draw_tree
from .usable import usable

# Optimisers that move parameters, by decay too, whatever the gradient is.
OPTIMISERS = (
    "optax.sgd(0.1)",
    "optax.sgd(0.1, momentum=0.9)",
    "optax.adamw(0.1, weight_decay=0.5)",
    "optax.lion(0.1, weight_decay=0.5)",
    "optax.chain(optax.add_decayed_weights(0.5), optax.scale(-0.1))",
    "optax.lamb(0.1, weight_decay=0.5)",
    "optax.adamaxw(0.1, weight_decay=0.5)",
)
_CALLABLE = tuple(
    kind
    for kind in holding_parameters((*NODES, *MODULES))
    if {"node:call", "module:call"} & set(kind.features) and kind.arity
)
_FORMS = ("tree", "function", "bool")


@functools.cache
def _roots() -> tuple[Kind, ...]:
    return usable(_CALLABLE)


def masks(*, functions: bool = True, optimisers: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw `params`, `grads`, a bool for each leaf as the tree `full`, and as a `mask`.

    The root of one tree in four can be called.

    Args:
        functions: the mask may be a function that gives the tree; default `True`.
        optimisers: also bind `tx` to an optimiser; default `False`.
    """
    sources()
    _roots()
    return _masks(functions, optimisers)


@st.composite
def _masks(draw: st.DrawFn, functions: bool, optimisers: bool) -> Recipe:
    scope = Scope()
    if draw(st.integers(0, 3)) == 3:
        roots, inner = _roots(), sources().inner
        text = draw_tree(draw, scope, leaves=pool(tuple(PARAMETERS)), roots=roots, kinds=inner)
        scope.bind("params", text)
    else:
        draw_parameters(draw, scope)
    scope.bind("grads", GRADIENTS)
    params = scope.value("params")
    scope.note(*["params:callable-root"] * callable(params))
    count = len(jtu.tree_leaves(params))
    form = _FORMS[draw(st.integers(0, len(_FORMS) - 1))]
    form = form if functions or form != "function" else "tree"
    scope.note(f"mask:{form}")
    chosen = [draw(st.booleans()) for _ in range(1 if form == "bool" else count)]
    flags = chosen * count if form == "bool" else chosen
    scope.bind("full", f"jtu.tree_unflatten(jtu.tree_structure(params), {flags})")
    written = {"tree": "full", "function": "lambda tree: full", "bool": str(chosen[:1] or [True])}
    scope.statement(f"mask = {written[form].strip('[]')}")
    if optimisers:
        scope.bind("tx", OPTIMISERS[draw(st.integers(0, len(OPTIMISERS) - 1))])
    return scope.recipe()
