"""Mutants of JAX's checker of random keys that are used twice."""

from __future__ import annotations

import contextlib

from selftest.mutant import mutant


@mutant("jax", kills=["jax.key_reuse.keys_that_are_used_once_are_taken"])
def normal_uses_its_key_twice(jax):
    """`jax.random.normal` draws bits that it throws away before it draws the number."""

    def normal(key, *args, **options):
        jax.random.bits(key)
        return jax.random.normal(key, *args, **options)

    return {"random.normal": normal}


@mutant("jax", kills=["jax.key_reuse.keys_that_are_used_twice_are_refused"])
def debug_key_reuse_checks_nothing(jax):
    """`debug_key_reuse` does not turn the checker on."""
    return {"debug_key_reuse": contextlib.nullcontext}
