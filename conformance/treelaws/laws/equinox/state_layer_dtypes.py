"""Equinox: layers with state, for inputs of another dtype and with 64-bit types."""

from __future__ import annotations

import jax

from hypothesis_pytrees.equinox.states_norms import batch_norms
from treelaws.compat.jax import double_precision
from treelaws.equality import same

from .state_layer import _BATCH, _HAS_BATCH, batch_norm_keeps_shapes_and_dtypes, law


@law(
    "with 64-bit types on, `BatchNorm` is float64 by default and returns an array and a state of "
    "the same shapes and dtypes as its inputs",
    source=f"{_BATCH}.__init__",
    needs=_HAS_BATCH,
    case=batch_norms(),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def batch_norm_keeps_dtypes_in_double_precision(lib, case):
    with double_precision():
        case = case.rebuild()
        wanted = jax.eval_shape(lambda: (case.batch, case.state))
        same(str(case.batch.dtype), "float64")
        for options in ({}, {"inference": True}):
            call = lambda batch, state, o=options: case.over_batch(case.model, batch, state, **o)
            same(jax.eval_shape(call, case.batch, case.state), wanted)


@law(
    "`BatchNorm` takes an input with fewer bits than its `dtype`, which is that of its statistics "
    "and weights, and keeps the dtypes of its state",
    source=f"{_BATCH}.__init__",
    level="should",
    needs=_HAS_BATCH,
    case=batch_norms(narrow=True),
    parents=(batch_norm_keeps_shapes_and_dtypes,),
)
def batch_norm_takes_narrow_inputs(lib, case):
    for options in ({"inference": True}, {}):
        call = lambda batch, state, o=options: case.over_batch(case.model, batch, state, **o)
        out, state = jax.eval_shape(call, case.batch, case.state)
        same(out.shape, case.batch.shape)
        same(state, jax.eval_shape(lambda: case.state))
