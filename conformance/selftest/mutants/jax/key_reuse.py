"""Mutants of JAX's checker of random keys that are used twice."""

from __future__ import annotations

import contextlib

from selftest.mutant import mutant


@mutant("jax", kills=["jax.key_reuse.keys_that_are_used_once_are_taken"])
def clone_gives_the_key(jax):
    """`jax.random.clone` gives the key itself, which counts as used then."""
    return {"random.clone": lambda key: key}


@mutant("jax", kills=["jax.key_reuse.keys_that_are_used_twice_are_refused"])
def debug_key_reuse_checks_nothing(jax):
    """`debug_key_reuse` does not turn the checker on."""
    return {"debug_key_reuse": contextlib.nullcontext}
