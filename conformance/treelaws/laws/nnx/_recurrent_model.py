"""Recurrent cells of Flax NNX by their formulas, and sequences of their steps."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from treelaws.compat.nnx import parameter


def step(kind: str, cell: Any, carry: Any, x: Any, hidden_bias: float = 0.0) -> tuple[Any, Any]:
    """Return the next carry and the output, by the documented formulas, with the cell's weights.

    Args:
        kind: `"LSTM"`, `"Simple"` or `"GRU"`.
        cell: the cell.
        carry: the carry before.
        x: the input of the step.
        hidden_bias: `b_hn` in the formula of a GRU; default 0.
    """
    x = np.asarray(x, np.float64)
    carry = jtu.tree_map(lambda one: np.asarray(one, np.float64), carry)
    act = lambda values: np.asarray(cell.activation_fn(jnp.float32(values)), np.float64)
    if kind == "Simple":
        inside = _product(cell.dense_i, x) + _product(cell.dense_h, carry)
        carry = act(inside + carry if cell.residual else inside)
        return carry, carry
    gate = lambda values: np.asarray(cell.gate_fn(jnp.float32(values)), np.float64)
    if kind == "GRU":
        r, z, n = np.split(_product(cell.dense_i, x), 3, axis=-1)
        hidden = carry @ np.asarray(cell.dense_h.kernel[...], np.float64)
        of_r, of_z, of_n = np.split(hidden, 3, axis=-1)
        z = gate(z + of_z)
        carry = (1 - z) * act(n + gate(r + of_r) * (of_n + hidden_bias)) + z * carry
        return carry, carry
    memory, hidden = carry
    if hasattr(cell, "dense_i"):
        parts = np.split(_product(cell.dense_i, x) + _product(cell.dense_h, hidden), 4, axis=-1)
    else:
        pairs = ((cell.ii, cell.hi), (cell.if_, cell.hf), (cell.ig, cell.hg), (cell.io, cell.ho))
        parts = [_product(one, x) + _product(other, hidden) for one, other in pairs]
    i, f, g, o = parts
    memory = gate(f) * memory + gate(i) * act(g)
    hidden = gate(o) * act(memory)
    return (memory, hidden), hidden


def sequence(
    cell: Any,
    carry: Any,
    x: Any,
    *,
    lengths: Any = None,
    time_major: bool = False,
    reverse: bool = False,
    keep_order: bool = False,
    return_carry: bool = False,
) -> tuple[Any, Any, Any]:
    """Return the last carry of each sequence, the outputs, and which of them belong to one.

    Args:
        cell: gives each step.
        carry: the first carry.
        x: the sequences, of shape `[batch..., time, features]`.
        lengths: that of each sequence; default the whole time.
        time_major: whether the time is the first axis.
        reverse: whether each sequence begins at its end.
        keep_order: whether the outputs of a reversed sequence stand in the order of the inputs.
        return_carry: is ignored.
    """
    x = jnp.asarray(x if time_major else jnp.moveaxis(x, -2, 0))
    batch, time = x.shape[1:-1], x.shape[0]
    ends = np.full(batch, time) if lengths is None else np.asarray(lengths)
    places = np.arange(time).reshape(time, *[1] * len(batch))
    flipped = np.where(places < ends, ends - 1 - places, places)
    turn = lambda values: np.take_along_axis(np.asarray(values), flipped[..., None], axis=0)
    steps, outputs = [], []
    for one in jnp.asarray(turn(x)) if reverse else x:
        carry, output = cell(carry, one)
        steps.append(carry)
        outputs.append(np.asarray(output, np.float64))
    last = jtu.tree_map(lambda *ones: _at(np.stack(ones), ends - 1), *steps)
    result = np.stack(outputs)
    result = turn(result) if reverse and keep_order else result
    inside = np.broadcast_to(places < ends, (time, *batch))
    if not time_major:
        result, inside = np.moveaxis(result, 0, -2), np.moveaxis(inside, 0, -1)
    return last, result, inside


def _product(layer: Any, x: Any) -> Any:
    kernel = np.asarray(layer.kernel[...], np.float64)
    bias = parameter(layer.bias)
    return x @ kernel + (0.0 if bias is None else np.asarray(bias, np.float64))


def _at(values: Any, places: Any) -> Any:
    """Return from an array over time the values at one place for each sequence."""
    return np.take_along_axis(values, places[None, ..., None], axis=0)[0]
