"""Optax: optimisers whose learning rate may be left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core import names
from hypothesis_pytrees.optax.rules import formulas
from treelaws.equality import true

from ._formulas import Arrays, Steps, follows
from ._inputs import CODE, DOCS
from .formulas import law

_RATES = {"": "omitted", "None": "omitted", "0.5": "given", "2.0": "given"}
_OPTIONS = {"rho": ("", "0.5", "0.25"), "eps": ("", "1e-3", "0.5"), "weight_decay": ("", "0.5")}
# Optimisers with an optional learning rate. `None` is among the values of the first ones.
_OPTIONAL = (
    *("adadelta({})", "adafactor({})", "lbfgs({}, linesearch=None)", "lbfgs({})"),
    *("contrib.cocob()", "contrib.dadapt_adamw()", "contrib.dog()", "contrib.dowg()"),
    *("contrib.momo()", "contrib.momo_adam()", "contrib.prodigy()"),
    *("contrib.schedule_free_adamw()", "contrib.schedule_free_sgd()"),
)


@st.composite
def _adadelta(draw: st.DrawFn) -> Recipe:
    """Draw `adadelta` with and without a learning rate, and several steps."""
    rate = draw(st.sampled_from(tuple(_RATES)))
    table = {"adadelta": {"learning_rate": (rate,), **_OPTIONS}}
    recipe = draw(formulas.formulas(table))
    return dataclasses.replace(recipe, features=recipe.features | {f"rate:{_RATES[rate]}"})


@st.composite
def _without_rates(draw: st.DrawFn) -> Recipe:
    """Draw `tx`, an optimiser without a learning rate, and `params` without zeros."""
    present = [text for text in _OPTIONAL if names.has(f"optax.{text.partition('(')[0]}")]
    text = draw(st.sampled_from(present))
    shapes = [draw(st.sampled_from(("()", "(3,)", "(2, 3)"))) for _ in range(2)]
    arrays = []
    for shape in shapes:
        row = draw(st.lists(st.sampled_from((1.0, -2.0, 0.5, 3.0, -0.25)), min_size=1, max_size=3))
        arrays.append(f"jnp.asarray(np.resize(np.float32({row}), {shape}))")
    tree = draw(st.sampled_from(("{}", "{{'b': {}, 'a': [None, {}]}}", "({}, {{}}, [{}])")))
    given = draw(st.sampled_from(("", "None")))
    statements = (
        f"tx = optax.{text.format(given).replace('(, ', '(')}",
        f"params = {tree.format(*arrays)}",
    )
    return Recipe((), statements, features=frozenset({f"case:{text.partition('(')[0]}"}))


def _formula(
    steps: Steps,
    params: Arrays,
    *,
    learning_rate: float | None = None,
    rho: float = 0.9,
    eps: float = 1e-6,
    weight_decay: float = 0.0,
) -> Iterator[list[np.ndarray]]:
    squares, deltas = ([np.zeros_like(param) for param in params] for _ in range(2))
    for grads in steps:
        decayed = [grad + weight_decay * one for grad, one in zip(grads, params, strict=True)]
        squares = [rho * e + (1 - rho) * g**2 for e, g in zip(squares, decayed, strict=True)]
        rows = zip(decayed, squares, deltas, strict=True)
        moved = [-np.sqrt(d + eps) / np.sqrt(e + eps) * g for g, e, d in rows]
        deltas = [rho * d + (1 - rho) * m**2 for d, m in zip(deltas, moved, strict=True)]
        yield [(1.0 if learning_rate is None else learning_rate) * one for one in moved]


@law(
    "`adadelta` gives the updates of its documented formula, step after step, times the learning "
    "rate if there is one",
    source=f"{DOCS}optimizers.html#optax.adadelta",
    needs={"adadelta"},
    case=_adadelta(),
)
def adadelta_follows_its_formula(lib, case):
    follows(case, {"adadelta": _formula})


@law(
    "the first step of an optimiser that is made without a learning rate, where that is optional, "
    "goes down the slope of half the sum of the squares of parameters that are not zero",
    # A comment there: 'In gradient "descent" we follow the negative gradient.'
    source=f"{CODE}_src/alias.py#L324",
    level="should",
    needs={"adadelta", "adafactor", "lbfgs"},
    case=_without_rates(),
)
def steps_without_a_rate_go_downhill(lib, case):
    tx, params = lib.with_extra_args_support(case.tx), case.params
    value, grads = jax.value_and_grad(_squares)(params)
    extra = {"value": value, "grad": grads, "value_fn": _squares}
    updates, _ = tx.update(grads, tx.init(params), params, **extra)
    pairs = zip(jtu.tree_leaves(updates), jtu.tree_leaves(grads), strict=True)
    slope = sum(float(jnp.sum(update * grad)) for update, grad in pairs)
    true(slope < 0, slope, "a number below 0")


def _squares(params):
    return sum(jnp.sum(leaf**2) for leaf in jtu.tree_leaves(params)) / 2
