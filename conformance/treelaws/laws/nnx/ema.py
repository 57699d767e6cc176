"""Flax NNX: `EMA`, exponential moving averages of the Variables of a module."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.nnx.metrics import moving_averages
from treelaws.core.law import Topic
from treelaws.equality import same, true

from ._model import apart, same_graph, variables_of

law = Topic("nnx.ema", "Flax NNX: EMA", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/ema.html#flax.nnx.EMA"
_CASES = moving_averages()


@law(
    "`EMA.update` makes each average `decay * ema + (1 - decay) * update`",
    source=f"{_API}.update",
    needs={"EMA"},
    case=_CASES,
)
def each_update_blends_the_values(lib, case):
    ema = _ema(lib, case)
    wanted = _values(lib, case)
    for factor in case.factors:
        _scale(lib, case, factor)
        ema.update(case.model)
        pairs = zip(wanted, _values(lib, case), strict=True)
        wanted = [_blend(case.decay, one, other) for one, other in pairs]
    same(jtu.tree_leaves(ema.params), [jnp.asarray(one) for one in wanted])


@law(
    "an EMA holds copies: it and its module do not change each other",
    source=_API,
    needs={"EMA"},
    case=_CASES,
)
def averages_are_copies(lib, case):
    ema, wanted = _ema(lib, case), _values(lib, case)
    ema.update(case.model)
    same_graph(case.model, case.rebuild().model)
    apart(ema.params, case.model)
    _scale(lib, case, 3.0)
    same(jtu.tree_leaves(ema.params), [jnp.asarray(one) for one in wanted])


@law(
    "`EMA.apply_to` returns a module with the averages in the place of what the EMA tracks, and "
    "the other values of the given module",
    source=f"{_API}.apply_to",
    needs={"EMA"},
    case=_CASES,
    parents=[each_update_blends_the_values],
)
def averages_take_their_places(lib, case):
    ema, wanted = _ema(lib, case), case.rebuild().model
    for factor in case.factors:
        _scale(lib, case, factor)
        ema.update(case.model)
    lib.update(wanted, lib.state(case.model))
    lib.update(wanted, ema.params)
    same_graph(ema.apply_to(case.model), wanted)


@law(
    "a module that `EMA.apply_to` returned holds the Variables of the EMA, so it changes with it",
    source=_API,
    needs={"EMA"},
    case=_CASES,
)
def the_applied_module_follows(lib, case):
    ema = _ema(lib, case)
    applied = ema.apply_to(case.model)
    _scale(lib, case, 0.5)
    ema.update(case.model)
    held = {id(one) for _, one in variables_of(applied)}
    tracked = {id(one) for _, one in variables_of(ema.params)}
    true(tracked <= held, held, f"Variables with the ids {tracked}")


@law(
    "`EMA.update` has the same effect under `jit` as outside",
    source=_API,
    needs={"EMA", "jit"},
    case=_CASES,
    parents=[each_update_blends_the_values],
)
def update_under_jit_is_update(lib, case):
    """All values are binary fractions, so compiled results agree in every bit."""
    ema, other = _ema(lib, case), _ema(lib, case)
    step = lib.jit(lambda ema, model: ema.update(model))
    for factor in case.factors:
        _scale(lib, case, factor)
        ema.update(case.model)
        step(other, case.model)
    same_graph(other.params, ema.params)


def _ema(lib, case):
    return lib.EMA(case.model, case.decay, only=case.only, **case.options)


def _values(lib, case):
    """Return the values that the filter selects, as arrays of NumPy."""
    return [np.asarray(leaf) for leaf in jtu.tree_leaves(lib.state(case.model, case.only))]


def _blend(decay, one, other):
    return (decay * one + (1.0 - decay) * other).astype(one.dtype)


def _scale(lib, case, factor):
    """Multiply all values of the model by a number."""
    lib.update(case.model, jtu.tree_map(lambda leaf: leaf * factor, lib.state(case.model)))
