"""Mutants of the tools to find errors."""

from __future__ import annotations

import jax
import jax.core

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.debug.store_dce_changes_nothing"])
def store_dce_doubles(eqx):
    """`store_dce` returns the sum of its argument with itself."""

    def store_dce(tree, name=None):
        return [leaf + leaf for leaf in eqx.debug.store_dce(tree, name)]

    return {"debug.store_dce": store_dce}


@mutant("equinox", kills=["equinox.debug.inspect_dce_shows_each_call"])
def store_dce_forgets_the_name(eqx):
    """`store_dce` stores under no name."""
    return {"debug.store_dce": lambda tree, name=None: eqx.debug.store_dce(tree)}


@mutant("equinox", kills=["equinox.debug.debugging_keeps_leaves_of_any_kind"])
def store_dce_returns_arrays_alone(eqx):
    """`store_dce` returns `None` for leaves that are not arrays."""
    stored = lambda tree, name=None: eqx.filter(eqx.debug.store_dce(tree, name), eqx.is_array)
    return {"debug.store_dce": stored}


@mutant("equinox", kills=["equinox.debug.debugging_changes_no_derivative"])
def announced_arrays_have_no_derivative(eqx):
    """`announce_transform` returns its argument without the derivatives."""

    def announce(tree, *args, **named):
        arrays, rest = eqx.partition(eqx.debug.announce_transform(tree, *args, **named), _is_traced)
        return eqx.combine(jax.lax.stop_gradient(arrays), rest)

    return {"debug.announce_transform": announce}


def _is_traced(leaf):
    return isinstance(leaf, jax.core.Tracer)


@mutant("equinox", kills=["equinox.debug.breakpoints_wait_for_the_predicate"])
def breakpoints_wait_for_all(eqx):
    """`breakpoint_if` waits until all of the predicate is true."""
    real = eqx.debug.breakpoint_if
    return {"debug.breakpoint_if": lambda pred, **options: real(pred.all(), **options)}


@mutant("equinox", kills=["equinox.debug.breakpoints_return_their_token"])
def breakpoints_return_nothing(eqx):
    """`breakpoint_if` returns `None`."""
    return {"debug.breakpoint_if": lambda *args, **options: None}
