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
def jit_copies_aliases(jax):
    """`jit` passes a copy of each mutable array that it gets a second time."""

    def jit(function, **options):
        def call(*args):
            seen = []

            def apart(leaf):
                again = any(leaf is other for other in seen)
                seen.append(leaf)
                return jax.new_ref(leaf[...]) if again else leaf

            return jax.jit(function, **options)(*jax.tree.map(apart, args))

        return call

    return {"jit": jit}
