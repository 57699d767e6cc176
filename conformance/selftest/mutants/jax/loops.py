"""Mutants of the loops of JAX."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.loops.loops_give_the_same_without_jit"])
def scan_without_jit_goes_forward(jax):
    """`scan` goes forward without compilation, also if `reverse` is given."""

    def scan(step, start, rows, reverse=False, **options):
        reverse = reverse and not jax.config.jax_disable_jit
        return jax.lax.scan(step, start, rows, reverse=reverse, **options)

    return {"lax.scan": scan}


@mutant("jax", kills=["jax.loops.a_batch_size_changes_no_result"])
def map_in_batches_turns_rows_around(jax):
    """`map` with a batch size gives the results in the other order."""

    def map_rows(function, rows, *, batch_size=None):
        found = jax.lax.map(function, rows, batch_size=batch_size)
        return found if batch_size is None else jax.tree_util.tree_map(jax.numpy.flip, found)

    return {"lax.map": map_rows}


@mutant("jax", kills=["jax.loops.the_index_has_the_dtype_of_the_bounds"])
def fori_loop_counts_known_bounds_from_zero(jax):
    """`fori_loop` gives indices from 0 if the bounds are known."""

    def fori_loop(lower, upper, step, start):
        if not isinstance(lower, jax.core.Tracer):
            lower, upper = 0, upper - lower
        return jax.lax.fori_loop(lower, upper, step, start)

    return {"lax.fori_loop": fori_loop}
