"""A mutant of programs that are compiled."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.stored.programs_that_are_read_compute_the_same"])
def jit_starts_from_one(jax):
    """A function that `jit` returns gets ones in the place of its argument."""
    return {"jit": lambda function: lambda x: jax.jit(function)(jax.numpy.ones_like(x))}
