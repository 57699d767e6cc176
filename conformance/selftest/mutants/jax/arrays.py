"""Mutants of arrays that are made of others."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "jax.arrays."


@mutant("jax", kills=[_ID + "copies_keep_their_values"])
def array_copies_when_necessary(jax):
    """`jnp.array`, `asarray` and `copy` use the memory of what they get, whatever `copy` says."""

    def shared(given, dtype=None, copy=True):
        return jax.device_put(given)

    return {"numpy.array": shared, "numpy.asarray": shared, "numpy.copy": shared}


@mutant("jax", kills=[_ID + "keys_are_moved_as_numbers_are"])
def flip_leaves_keys_where_they_are(jax):
    """`flip`, `roll`, `stack` and `rev` leave arrays of random keys as they are."""

    def fault(function):
        def call(given, *args, **options):
            array = given[0] if isinstance(given, list) else given
            keys = jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key)
            return array if keys else function(given, *args, **options)

        return call

    numpy = {f"numpy.{name}": fault(getattr(jax.numpy, name)) for name in ("flip", "roll", "stack")}
    return {**numpy, "lax.rev": fault(jax.lax.rev)}


@mutant("jax", kills=[_ID + "keys_are_no_numbers"])
def functions_of_keys_give_keys(jax):
    """A compiled function gives back what it cannot compute with."""

    def jit(function, **options):
        compiled = jax.jit(function, **options)

        def call(given):
            try:
                return compiled(given)
            except TypeError:
                return given

        return call

    return {"jit": jit}
