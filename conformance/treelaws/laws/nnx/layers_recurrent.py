"""Flax NNX: recurrent cells, and layers that apply them over sequences."""

from __future__ import annotations

import numpy as np

from hypothesis_pytrees.nnx.layers.recurrent import bidirectional, stepped, unrolled

from ._near import near
from ._recurrent_model import sequence, step
from .layers import law

_PAGE = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/nn/recurrent.html"
_TESTS = "https://github.com/google/flax/blob/v0.12.8/tests/nnx/nn/recurrent_test.py"


@law(
    "a recurrent cell computes its formula for any batch, with each initializer and dtype",
    source=f"{_PAGE}#flax.nnx.LSTMCell",
    needs={"LSTMCell", "OptimizedLSTMCell", "SimpleCell", "GRUCell"},
    case=stepped(),
)
def cells_compute_their_formula(lib, case):
    wanted = step(case.kind, case.cell, case.carry, case.x, case.hidden_bias)
    near(case.cell(case.carry, case.x), wanted)


@law(
    "`RNN` applies a cell to each place of each sequence, in the order and up to the length that "
    "its options say",
    source=_TESTS,
    level="should",
    needs={"RNN"},
    case=unrolled(),
)
def sequences_are_steps_of_their_cell(lib, case):
    carry, outputs, inside = sequence(case.cell, case.carry, case.x, **case.meant)
    found = case.layer(case.x, **case.options)
    last, got = found if case.meant["return_carry"] else (carry, found)
    near(last, carry)
    near(np.asarray(got, np.float32)[inside], outputs[inside])


@law(
    "`Bidirectional` merges the outputs of one direction with those of the other, in the order of "
    "the inputs",
    source=f"{_PAGE}#flax.nnx.Bidirectional",
    level="should",
    needs={"Bidirectional"},
    case=bidirectional(),
)
def directions_are_merged(lib, case):
    arguments = (case.cell, case.carry, case.x)
    first, forth, inside = sequence(*arguments, **case.meant)
    last, back, _ = sequence(*arguments, **case.meant, reverse=True, keep_order=True)
    found = case.layer(case.x, **case.options)
    carry, got = found if case.return_carry else ((first, last), found)
    near(carry, (first, last))
    near(np.asarray(got, np.float32)[inside], case.merge(forth, back)[inside])
