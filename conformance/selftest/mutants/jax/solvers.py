"""Mutants of the solvers of JAX."""

from __future__ import annotations

import importlib

from selftest.mutant import mutant

_ID = "jax.solvers."


@mutant("jax", kills=[_ID + "odeint_solves_for_a_tree"])
def odeint_passes_on_one_argument(jax):
    """`odeint` gives the slope zeros for the further arguments but the first."""
    odeint = importlib.import_module("jax.experimental.ode").odeint

    def solve(slope, start, times, first, *rest):
        zeros = jax.tree_util.tree_map(jax.numpy.zeros_like, rest)
        return odeint(slope, start, times, first, *zeros)

    return {"experimental.ode.odeint": solve}


@mutant("jax", kills=[_ID + "odeint_has_the_gradient_of_the_solution"])
def odeint_has_no_gradient_by_its_arguments(jax):
    """The gradient of `odeint` by the further arguments is zero."""
    odeint = importlib.import_module("jax.experimental.ode").odeint

    def solve(slope, start, times, *rest):
        stopped = jax.tree_util.tree_map(jax.lax.stop_gradient, rest)
        return odeint(slope, start, times, *stopped)

    return {"experimental.ode.odeint": solve}


@mutant("jax", kills=[_ID + "linear_solvers_solve_for_a_tree"])
def bicgstab_gives_vectors(jax):
    """`bicgstab` gives each leaf of the solution as a vector."""
    bicgstab = importlib.import_module("jax.scipy.sparse.linalg").bicgstab

    def solve(matrix, right, **options):
        found, info = bicgstab(matrix, right, **options)
        return jax.tree_util.tree_map(jax.numpy.ravel, found), info

    return {"scipy.sparse.linalg.bicgstab": solve}


@mutant("jax", kills=[_ID + "linear_solvers_solve_for_a_tree"])
def gmres_gives_its_first_guess(jax):
    """`gmres` returns what it starts from, if that is given."""
    gmres = importlib.import_module("jax.scipy.sparse.linalg").gmres

    def solve(matrix, right, x0=None, **options):
        return (x0, None) if x0 is not None else gmres(matrix, right, **options)

    return {"scipy.sparse.linalg.gmres": solve}


@mutant("jax", kills=[_ID + "custom_linear_solve_gives_what_solve_gives"])
def custom_linear_solve_gives_no_aux_data(jax):
    """`custom_linear_solve` gives None for the aux data."""

    def solve(*args, **options):
        found, _ = jax.lax.custom_linear_solve(*args, **options)
        return found, None

    return {"lax.custom_linear_solve": solve}
