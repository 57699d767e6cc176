"""Mutants of what `filter_jit` donates."""

from __future__ import annotations

import jax

from selftest.mutant import mutant


def _donating(eqx, change):
    """Return `filter_jit` with another meaning of `donate`."""

    def filter_jit(fun, *, donate="none", **options):
        return eqx.filter_jit(fun, donate=change(donate), **options)

    return {"filter_jit": filter_jit}


@mutant("equinox", kills=["equinox.jit.arrays_that_are_not_donated_stay"])
def first_argument_is_donated_too(eqx):
    """'all-except-first' means 'all'."""
    return _donating(eqx, lambda donate: donate.replace("-except-first", ""))


@mutant("equinox", kills=["equinox.jit.donated_arrays_are_gone"])
def nothing_is_donated(eqx):
    """`donate` is not handed on."""
    return _donating(eqx, lambda donate: "none")


@mutant("equinox", kills=["equinox.jit.donating_all_is_silent"])
def donating_all_warns(eqx):
    """'all' means 'warn'."""
    return _donating(eqx, lambda donate: donate.replace("all", "warn"))


@mutant("equinox", kills=["equinox.jit.donation_changes_no_result"])
def donated_arguments_come_first(eqx):
    """The arguments that are donated are handed on before those that are not."""

    def filter_jit(fun, *, donate="none", **options):
        jitted = eqx.filter_jit(fun, donate="none", **options)
        turned = donate.endswith("except-first")
        return lambda *args: jitted(*(reversed(args) if turned else args))

    return {"filter_jit": filter_jit}


@mutant(
    "equinox",
    kills=[
        "equinox.jit.unknown_way_to_donate_is_refused",
        "equinox.jit.options_that_filtering_decides_are_refused",
    ],
)
def options_are_not_checked(eqx):
    """Options of `filter_jit` go to `jax.jit` unseen."""
    return {"filter_jit": lambda fun, donate="none", **options: jax.jit(fun, **options)}
