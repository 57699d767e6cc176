"""Mutants of the errors for trees that do not fit."""

from __future__ import annotations

from selftest.mutant import mutant
from selftest.mutants._axes import taking_any_axes

_MISFITS = "jax.misfits"


def _failing(function, change):
    """Return a function whose TypeErrors and ValueErrors go through `change`."""

    def patched(*args, **options):
        try:
            return function(*args, **options)
        except (TypeError, ValueError) as raised:
            raise change(raised) from None

    return patched


@mutant(
    "jax", kills=[f"{_MISFITS}.another_structure_is_refused", f"{_MISFITS}.another_type_is_refused"]
)
def a_carry_that_does_not_fit_is_an_assertion(jax):
    """A loop asserts that its carry fits."""
    return {"lax.scan": _failing(jax.lax.scan, lambda raised: AssertionError(str(raised)))}


@mutant("jax", kills=[f"{_MISFITS}.what_is_no_prefix_is_refused"])
def axes_that_do_not_fit_are_a_missing_key(jax):
    """Axes that do not fit raise KeyError."""

    def vmap(function, *args, **options):
        return _failing(jax.vmap(function, *args, **options), lambda raised: KeyError(str(raised)))

    return {"vmap": vmap}


@mutant("jax", kills=[f"{_MISFITS}.the_error_names_the_place"])
def a_branch_that_does_not_fit_has_no_place(jax):
    """The error for the result of a branch says no more than that it does not fit."""
    return {"lax.cond": _failing(jax.lax.cond, lambda raised: TypeError("it does not fit"))}


@mutant("jax", kills=[f"{_MISFITS}.axes_that_do_not_fit_are_refused"])
def vmap_takes_arrays_of_any_axes(jax):
    """`vmap` gives its argument back if an axis does not fit."""
    return {"vmap": taking_any_axes(jax.vmap)}
