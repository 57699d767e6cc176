"""JAX: loops over trees that hold arrays of 32 and of 64 bits."""

from __future__ import annotations

import jax.numpy as jnp

from treelaws.compat.jax import double_precision
from treelaws.equality import same

from .loops import (
    _API,
    _SCAN,
    _looped,
    _rows,
    _rows_of,
    _stacked,
    _strong,
    associative_scan_accumulates,
    law,
    map_in_batches_is_a_loop,
    scan_is_a_loop,
)

_CASES = _rows(doubles=True)


@law(
    "with 64-bit types on, `lax.map` keeps the dtype and value of each leaf, also in batches",
    source=f"{_API}/jax.lax.map.html",
    case=_CASES,
    parents=[map_in_batches_is_a_loop],
)
def map_keeps_wide_and_narrow_leaves(lib, case):
    with double_precision():
        case = case.rebuild()
        wanted = _stacked([case.change(row) for row in _rows_of(case)])
        for options in ({}, {"batch_size": case.batch}):
            same(_strong(lib.lax.map(case.change, case.tree, **options)), wanted)


@law(
    "with 64-bit types on, `scan` keeps the dtype and value of each leaf of the carry and of the "
    "results",
    source=_SCAN,
    case=_CASES,
    parents=[scan_is_a_loop],
)
def scan_keeps_wide_and_narrow_leaves(lib, case):
    step = lambda carry, row: ((carry[0] + 1, row), {"changed": case.change(row), "before": carry})
    with double_precision():
        case = case.rebuild()
        rows = _rows_of(case)
        start = (jnp.int32(0), rows[0])
        found = lib.lax.scan(step, start, case.tree, reverse=case.reverse, unroll=case.unroll)
        carry, results = _looped(step, start, rows, reverse=case.reverse)
        same(_strong(found), (_strong(carry), _stacked(results)))


@law(
    "with 64-bit types on, `associative_scan` keeps the dtype and value of each leaf",
    source=f"{_API}/jax.lax.associative_scan.html",
    case=_CASES,
    parents=[associative_scan_accumulates],
)
def associative_scan_keeps_wide_and_narrow_leaves(lib, case):
    with double_precision():
        case = case.rebuild()
        rows = _rows_of(case)
        first = rows[-1] if case.reverse else rows[0]
        found = lib.lax.associative_scan(lambda one, _: one, case.tree, reverse=case.reverse)
        same(_strong(found), _stacked([first] * case.size))
