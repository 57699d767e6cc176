"""Equinox: the former methods that define custom derivatives, `defjvp` and `defvjp`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structures
from treelaws.equality import same

from ._functions import doubled, energy, inexact_leaves, of_inexact, only_inexact
from .trace import law

# The warnings: "`None` was previously passed to indicate a symbolic zero tangent for all objects
# that weren't inexact arrays, but all inexact arrays always had an array-valued tangent."
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_ad.py"
_INEXACT = structures(finite=True, inexact=True)
_FINITE = structures(finite=True)


@law(
    "a rule that `defjvp` of `filter_custom_jvp` defines gets an array as the tangent of each "
    "floating-point array, and `None` for the rest",
    source=f"{_CODE}#L785-L799",
    needs={"filter_custom_jvp"},
    case=cases(tree=_INEXACT, still=_FINITE),
)
def former_jvp_rules_get_arrays(lib, case):
    seen, leaves = [], inexact_leaves(case.tree)
    function = lib.filter_custom_jvp(energy)
    function.defjvp(lambda trees, steps: (seen.append(steps), (energy(*trees), jnp.float32(3)))[1])
    push = of_inexact(lambda tree: function((tree, case.still)), case.tree)
    got = jax.jvp(push, (leaves,), (leaves,))
    same(got, (energy((case.tree, case.still)), jnp.float32(3)))
    same(seen, [((only_inexact(case.tree, leaves), _zeros(lib, case.still)),)])


@law(
    "a rule that `defvjp` of `filter_custom_vjp` defines gets an array as the gradient of each "
    "floating-point array of the result, and `None` for the rest",
    source=f"{_CODE}#L966-L998",
    needs={"filter_custom_vjp"},
    case=cases(tree=_INEXACT, still=_FINITE),
)
def former_vjp_rules_get_arrays(lib, case):
    seen, leaves = [], inexact_leaves(case.tree)
    function = lib.filter_custom_vjp(lambda trees: doubled(trees))
    backward = lambda kept, steps, trees: (seen.append(steps[1]), steps)[1]
    function.defvjp(lambda trees: (doubled(trees), None), backward)
    moved = of_inexact(lambda tree: energy(function((tree, case.still))[0]), case.tree)
    got = jax.grad(moved)(leaves)
    same(got, jax.grad(of_inexact(lambda tree: energy(doubled(tree)) / 2, case.tree))(leaves))
    same(seen, [_zeros(lib, doubled(case.still))])


def _zeros(lib, tree):
    """Return a tree with zeros in the place of floating-point arrays, and `None` for the rest."""
    zero = lambda leaf: jnp.zeros_like(leaf) if lib.is_inexact_array(leaf) else None
    return jtu.tree_map(zero, tree)
