"""Mutants of JAX's mutable arrays."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.refs.refs_are_values_threaded_by_hand"])
def swap_gives_the_new_value(jax):
    """`jax.ref.swap` gives the value that it writes."""

    def swap(ref, index, value):
        jax.ref.swap(ref, index, value)
        return ref[index]

    return {"ref.swap": swap}


@mutant("jax", kills=["jax.refs.inner_refs_are_values_threaded_by_hand"])
def addupdate_forgets_the_old_value(jax):
    """`jax.ref.addupdate` writes the value that it shall add."""

    def addupdate(ref, index, value):
        ref[index] = value

    return {"ref.addupdate": addupdate}


@mutant("jax", kills=["jax.refs.aliases_are_refused"])
def new_ref_gives_an_array(jax):
    """`new_ref` gives an array that cannot be written."""
    return {"new_ref": lambda value, **options: jax.numpy.asarray(value)}
