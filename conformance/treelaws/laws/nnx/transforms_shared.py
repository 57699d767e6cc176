"""Flax NNX: with `graph=False` modules are trees, in which no Variable has two places."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.nnx.calls.shared_ways import (
    GIVE_NO_ARGUMENTS,
    GIVE_TREES,
    TAKE_TREES,
    shared_in_ways,
)
from treelaws.equality import refuses

from .transforms import law

# In a proposal that was accepted: "Tree structure assumed and enforced on all APIs (no sharing)"
_FLIP = "https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html"
_NEEDS = {"tree_mode", "jit_partial"}


@law(
    "with `graph=False`, a transform, and a function that splits, copies or walks over a whole "
    "tree, raises ValueError for a Variable that its arguments hold twice, and takes equal ones",
    source=f"{_FLIP}#proposal",
    level="should",
    needs=_NEEDS,
    case=shared_in_ways(TAKE_TREES),
)
def trees_share_no_variable(lib, case):
    case.run(_sum, case.one, case.apart)
    refuses(ValueError, lambda: case.run(_sum, case.one, case.other))


@law(
    "with `graph=False`, each transform except loops raises ValueError for a result that holds a "
    "Variable twice",
    source=f"{_FLIP}#simple-transforms",
    level="should",
    needs=_NEEDS,
    case=shared_in_ways(GIVE_TREES),
)
def results_share_no_variable(lib, case):
    made = lambda one, other: [lib.Param(_sum(one, other)) for _ in range(2)]
    case.run(lambda *held: case.give(*made(*held)), case.one, case.apart)
    twice = lambda *held: case.give(*[made(*held)[0]] * 2)
    refuses(ValueError, lambda: case.run(twice, case.one, case.apart))


@law(
    "with `graph=False` or `graph_updates=False`, a transform raises ValueError for a result that "
    "holds a Variable of its arguments",
    source=f"{_FLIP}#simple-transforms",
    level="should",
    needs=_NEEDS,
    case=shared_in_ways(GIVE_NO_ARGUMENTS),
)
def results_hold_no_argument(lib, case):
    new = lambda one, other: case.give(_sum(one, other), lib.Param(_sum(one, other)))
    case.run(new, case.one, case.apart)
    argument = lambda one, other: case.give(_sum(one, other), _variable(lib, other))
    refuses(ValueError, lambda: case.run(argument, case.one, case.apart))


def _sum(one, other):
    return jnp.sum(sum(jtu.tree_leaves((one, other))), axis=-1)


def _variable(lib, tree):
    """Return the Variable of a tree."""
    (found,) = jtu.tree_leaves(tree, is_leaf=lambda value: isinstance(value, lib.Variable))
    return found
