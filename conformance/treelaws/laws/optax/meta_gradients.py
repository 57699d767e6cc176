"""Optax: derivatives of what optimisers lead to."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import names
from treelaws.compat.jax import double_precision
from treelaws.core.law import Topic
from treelaws.equality import true

from ._inputs import DOCS

law = Topic("optax.meta_gradients", "Optax: gradients through steps", family="optax")
_SGD = ("sgd({})", "sgd({}, momentum=0.5)", "sgd({}, momentum=0.5, nesterov=True)")
# The documentation of their `eps_root` says that it is needed for gradients through the steps.
_ADAPTIVE = (
    *("adabelief", "adam", "adamw", "adan", "amsgrad", "lamb", "nadam", "nadamw", "novograd"),
    *("optimistic_adam", "radam", "contrib.acprop", "contrib.ademamix"),
)
_TREES = ("{}", "({}, [])", "{{'b': {}, 'a': [None, {}]}}", "[{}, {}]")
_SHAPES = {"(3,)": (3,), "()": ()}
# A step this long leaves the rounding of float64 far behind.
_STEP = 1e-5


def _leaf(row, shape):
    return f"jnp.asarray(np.resize(np.float64({row}), {shape}))"


@st.composite
def _trainings(draw: st.DrawFn) -> Recipe:
    """Bind `make`, which takes a learning rate, `params`, `weights` of a loss, and `steps`."""
    scope = Scope()
    texts = (*_SGD, *(f"{name}({{}}, eps_root=0.01)" for name in _ADAPTIVE))
    present = [text for text in texts if names.has(f"optax.{text.partition('(')[0]}")]
    text = draw(st.sampled_from(present))
    scope.note(f"case:{text.partition('(')[0]}")
    tree = draw(st.sampled_from(_TREES))
    # At parameters or updates that are all zero, the step of `lamb` jumps.
    held_numbers = (-2.0, 0.5, 3.0) if text.startswith("lamb") else (0.0, 1.0, -2.0, 0.5)
    weighing = (1.0, 0.5) if text.startswith("lamb") else (0.0, 1.0, 0.5)
    rows = lambda numbers: draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=3))
    params, weights = [], []
    for _ in range(tree.count("{}")):
        shape = draw(st.sampled_from(tuple(_SHAPES)))
        held, weighed = rows(held_numbers), rows(weighing)
        one, weight = np.resize(held, _SHAPES[shape]), np.resize(weighed, _SHAPES[shape])
        if not np.any(weight * (one - 1)):
            scope.note("gradient:zero")
        params.append(_leaf(held, shape))
        weights.append(_leaf(weighed, shape))
    steps = draw(st.integers(1, 4))
    scope.note(f"steps:{steps}")
    scope.bind("make", f"lambda rate: optax.{text.format('rate')}")
    scope.bind("params", tree.format(*params))
    scope.bind("weights", tree.format(*weights))
    scope.bind("steps", repr(steps))
    return scope.recipe()


@law(
    "along a line of first parameters and learning rates, the derivative of a number that one to "
    "four steps lead to is that of finite differences, for `sgd`, and with a positive `eps_root` "
    "for `adabelief`, `adam`, `adamw`, `adan`, `amsgrad`, `lamb`, `nadam`, `nadamw`, `novograd`, "
    "`optimistic_adam`, `radam`, `acprop` and `ademamix`; of `lamb` if no parameter and no update "
    "is zero",
    source=f"{DOCS}optimizers.html#optax.adam",
    level="should",
    needs={"adam", "sgd"},
    case=_trainings(),
)
def gradients_pass_through_steps(lib, case):
    with double_precision():
        case = case.rebuild()
        start, way = _line(case.params)
        end = lambda point: _size(_trained(lib, case, *point))
        above, below = (end(_moved(start, way, step)) for step in (_STEP, -_STEP))
        wanted = float(above - below) / (2 * _STEP)
        got = float(_dot(jax.grad(end)(start), way))
    true(bool(np.isclose(got, wanted, rtol=1e-2, atol=1e-4)), got, f"{wanted}")


def _trained(lib, case, rate, params):
    tx = case.make(rate)
    state = tx.init(params)
    loss = lambda params: _dot(case.weights, jtu.tree_map(lambda leaf: (leaf - 1) ** 2, params))
    for _ in range(case.steps):
        updates, state = tx.update(jax.grad(loss)(params), state, params)
        params = lib.apply_updates(params, updates)
    return params


def _line(params):
    """Return a learning rate with the parameters, and a direction in which both change."""
    start = (jnp.float64(0.05), params)
    way = lambda leaf: jnp.cos(jnp.arange(leaf.size) + 1.0).reshape(leaf.shape)
    return start, jtu.tree_map(way, start)


def _moved(start, way, step):
    return jtu.tree_map(lambda leaf, one: leaf + step * one, start, way)


def _size(params):
    return _dot(params, jtu.tree_map(lambda leaf: leaf + 1, params))


def _dot(one, other):
    pairs = zip(jtu.tree_leaves(one), jtu.tree_leaves(other), strict=True)
    return sum(jnp.sum(left * right) for left, right in pairs)
