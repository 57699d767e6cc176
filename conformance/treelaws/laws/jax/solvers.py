"""JAX: solvers of differential and linear equations whose unknown is a tree."""

from __future__ import annotations

import importlib

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.trees.calls.solvers import (
    custom_linear_solves,
    differential_equations,
    linear_equations,
)
from treelaws.core.law import Topic
from treelaws.equality import same, true

law = Topic("jax.solvers", "JAX: solvers of equations over trees", family="jax")
_ODE = "https://github.com/jax-ml/jax/blob/main/jax/experimental/ode.py"
_LINEAR = "https://docs.jax.dev/en/latest/_autosummary/jax.scipy.sparse.linalg.cg.html"


@law(
    "`odeint` solves a differential equation of a tree, whose slope takes further arguments: trees "
    "of arrays and scalars of any type",
    source=_ODE,
    case=differential_equations(),
)
def odeint_solves_for_a_tree(lib, case):
    found = _ode(lib)(case.slope, case.start, case.times, case.rate, case.given)
    _close(found, _solution(case)(case.start, case.rate))


@law(
    "the gradient of `odeint` by the start and by the floating point arguments is that of the "
    "solution, also beside arguments that are integers",
    source=_ODE,
    case=differential_equations(),
    level="should",
    parents=[odeint_solves_for_a_tree],
)
def odeint_has_the_gradient_of_the_solution(lib, case):
    solve = lambda *args: _total(_ode(lib)(case.slope, args[0], case.times, args[1], case.given))
    found = jax.grad(solve, argnums=(0, 1))(case.start, case.rate)
    exact = lambda *args: _total(_solution(case)(*args))
    _close(found, jax.grad(exact, argnums=(0, 1))(case.start, case.rate))


@law(
    "`cg`, `bicgstab` and `gmres` solve a linear equation of a tree whose matrix is an array, a "
    "function or any object that multiplies, from any start, with and without a preconditioner of "
    "these forms; the solution has the structure, the shapes and the dtypes of the right-hand side",
    source=_LINEAR,
    case=linear_equations(),
    level="should",
)
def linear_solvers_solve_for_a_tree(lib, case):
    found, _ = case.run(lib)
    _close(found, case.wanted)


@law(
    "`custom_linear_solve` gives the solution and the aux data that `solve` gives, and has the "
    "derivatives of the solution by all leaves of the right-hand side or by some",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.lax.custom_linear_solve.html",
    case=custom_linear_solves(),
    level="should",
)
def custom_linear_solve_gives_what_solve_gives(lib, case):
    found = case.run(case.of_known(case.solved(lib)))
    _close(found, case.run(case.of_known(case.exact)))


def _ode(lib):
    # JAX loads this submodule only if it is imported by name.
    importlib.import_module("jax.experimental.ode")
    return lib.experimental.ode.odeint


def _solution(case):
    """Return the exact solution of the differential equation, a function of start and rate."""

    def solution(start, rate):
        shrunk = jnp.exp(-case.times * case.rate_of((rate, case.given)))
        return jtu.tree_map(lambda leaf: jnp.multiply.outer(shrunk, leaf), start)

    return solution


def _total(tree):
    return sum((jnp.sum(leaf) for leaf in jtu.tree_leaves(tree)), jnp.float32(0))


def _close(found, wanted):
    """Demand equal structures, shapes and dtypes, and numbers that are close."""
    kinds = lambda tree: jtu.tree_map(lambda leaf: (jnp.shape(leaf), jnp.result_type(leaf)), tree)
    same(kinds(found), kinds(wanted))
    for one, other in zip(jtu.tree_leaves(found), jtu.tree_leaves(wanted), strict=True):
        pair = [np.asarray(leaf, np.complex64) for leaf in (one, other)]
        true(bool(np.allclose(*pair, rtol=0.02, atol=0.001)), one, f"{other}, or close to it")
