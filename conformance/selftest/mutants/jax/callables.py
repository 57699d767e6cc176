"""Mutants of transforms of callable objects."""

from __future__ import annotations

import types

from selftest.mutant import mutant

_ID = "jax.callables."


@mutant("jax", kills=[_ID + "jit_takes_or_refuses_each_callable"])
def jit_refuses_tree_partials_with_another_error(jax):
    """`jit` raises an internal error for a partial function."""

    def jit(function, **options):
        if hasattr(function, "keywords"):
            raise SystemError("a partial function")
        return jax.jit(function, **options)

    return {"jit": jit}


@mutant("jax", kills=[_ID + "each_transform_takes_or_refuses_each_callable"])
def vmap_needs_weak_references(jax):
    """`vmap` raises an internal error for a callable that has no weak reference."""

    def vmap(function, **options):
        if not type(function).__weakrefoffset__:
            raise SystemError("no weak reference")
        return jax.vmap(function, **options)

    return {"vmap": vmap}


@mutant("jax", kills=[_ID + "callables_of_any_kind_are_called_as_functions_are"])
def objects_that_are_called_give_zeros(jax):
    """Derivatives, `map` and branches call functions alone; other callables give zeros."""

    def fault(transform):
        def of(function, *args, **options):
            zeros = lambda *given: function(*given) * 0
            plain = isinstance(function, types.FunctionType)
            return transform(function if plain else zeros, *args, **options)

        return of

    names = ("jvp", "vjp", "linearize", "jacfwd", "jacrev", "grad", "value_and_grad", "vmap")
    faults = {name: fault(getattr(jax, name)) for name in names}
    return {**faults, "lax.map": fault(jax.lax.map)}
