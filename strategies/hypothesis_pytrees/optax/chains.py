"""Chains: a few simple transformations in a row, with the parameters that they see."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .params import GRADIENTS, PARAMETERS, draw_parameters, sources

# Transformations that work on each number by itself, with and without a state.
LINKS = (
    "optax.scale(-0.5)",
    "optax.trace(0.9)",
    "optax.clip(0.75)",
    "optax.add_decayed_weights(0.5)",
    "optax.scale_by_adam()",
    "optax.identity()",
    "optax.set_to_zero()",
    "optax.scale_by_schedule(optax.linear_schedule(1.0, 0.0, 4))",
    "optax.keep_params_nonnegative()",
)

_FLOATS = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features)
_NAMES = ("b", "a", "zz", "B", "0", "_")


@st.composite
def _chains(
    draw: st.DrawFn, least: int, most: int, alike: bool, leaves: tuple[Kind, ...], models: bool
) -> Recipe:
    scope = Scope()
    if alike:
        # One dtype, and an array at least.
        kinds = tuple(kind for kind in CONTAINERS if kind.arity)
        floats = pool(tuple(_FLOATS))
        tree = draw_tree(draw, scope, leaves=floats, roots=kinds, kinds=kinds, max_leaves=2)
        scope.bind("params", tree)
    else:
        draw_parameters(draw, scope, leaves=leaves, models=models)
    scope.bind("grads", GRADIENTS)
    links = draw(st.lists(st.sampled_from(LINKS), min_size=least, max_size=most))
    names = draw(st.permutations(_NAMES))[: len(links)]
    order = "sorted" if names == sorted(names) else "unsorted"
    scope.note(f"case:links-{len(links)}", f"case:{order}-names")
    scope.bind("links", f"[{', '.join(links)}]")
    scope.bind("names", repr(names))
    return scope.recipe()


def chains(
    *,
    least: int = 1,
    most: int = 3,
    alike: bool = False,
    leaves: Sequence[Kind] = PARAMETERS,
    models: bool = True,
) -> st.SearchStrategy[Recipe]:
    """Draw `params`, `grads`, a list `links` of transformations and as many different `names`.

    Args:
        least: fewest links; default 1.
        most: most links, at most 6; default 3.
        alike: the parameters are plain, of one dtype and at least one array; default `False`.
        leaves: the kinds of the arrays otherwise; default `PARAMETERS`.
        models: also filtered Modules and NNX states otherwise; default `True`.

    Raises:
        ValueError: `least` and `most` are not in order, or `most` is above 6.
    """
    if not 0 <= least <= most <= len(_NAMES):
        raise ValueError(f"0 <= least <= most <= {len(_NAMES)} must hold, got {least} and {most}")
    trial = functools.partial(sources, models=models)
    return probe_first(trial, _chains(least, most, alike, tuple(leaves), models))


@st.composite
def accumulated_chains(draw: st.DrawFn) -> Recipe:
    """Draw `params`, `grads`, `links` with one transformation and a floating `dtype`."""
    scope = Scope()
    draw_parameters(draw, scope)
    scope.bind("grads", GRADIENTS)
    scope.bind("links", f"[{draw(st.sampled_from(LINKS))}]")
    dtypes = ("jnp.float32", "jnp.bfloat16", "'float16'", "np.dtype(np.float32)")
    scope.bind("dtype", draw(st.sampled_from(dtypes)))
    return scope.recipe()
