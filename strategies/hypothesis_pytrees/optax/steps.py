"""Optimisers with known properties: the number of copies of the parameters, their factory."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.trees import draw_tree

from .params import GRADIENTS, PARAMETERS, draw_parameters, sources

# How many copies of the parameters the state of an optimiser holds, by its text.
COPIES: Mapping[str, int] = {
    "optax.trace(0.9)": 1,
    "optax.sgd(0.1)": 0,
    "optax.adam(0.1)": 2,
    "optax.amsgrad(0.1)": 3,
    "optax.chain(optax.adam(0.1), optax.trace(0.9))": 3,
    "optax.named_chain(('b', optax.trace(0.9)), ('a', optax.adam(0.1)))": 3,
    "optax.MultiSteps(optax.adam(0.1), 2)": 3,
    "optax.masked(optax.adam(0.1), True)": 2,
    "optax.multi_transform({'on': optax.adam(0.1), 'off': optax.sgd(0.1)}, lambda tree: 'on')": 2,
    "optax.apply_if_finite(optax.adam(0.1), 2)": 2,
    "optax.conditionally_transform(optax.adam(0.1), lambda step, **extra: step < 1)": 2,
    "optax.inject_hyperparams(optax.adam)(0.1)": 2,
    "optax.lookahead(optax.adam(0.1), 2, 0.5)": 2,
}
# A factory and the arguments with which it is called.
FACTORIES = (
    ("sgd", "learning_rate=0.1"),
    ("sgd", "learning_rate=optax.linear_schedule(0.1, 0.0, 4), momentum=0.9"),
    ("adam", "learning_rate=0.1, b1=0.5"),
    ("adamw", "learning_rate=0.1, weight_decay=0.5"),
    ("trace", "decay=0.9"),
    ("scale", "step_size=-0.5"),
    ("add_decayed_weights", "weight_decay=0.5"),
)

_FLOATS = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features)
_NARROW = tuple(
    kind for kind in PARAMETERS if {"leaf:float32", "leaf:bfloat16"} & set(kind.features)
)
# Few shapes, since these are compiled.
_TREES = (
    Kind("dict", "{'b': $0, 'a': $1}"),
    Kind("tuple", "($0, [$1, None])"),
    Kind("list", "[$0]"),
)
LOOPED = (
    "optax.sgd(0.1, momentum=0.9)",
    "optax.adamw(0.1, weight_decay=0.5)",
    "optax.chain(optax.clip_by_global_norm(0.5), optax.adam(optax.linear_schedule(0.1, 0.0, 4)))",
    "optax.MultiSteps(optax.sgd(0.1), 2)",
    "optax.inject_hyperparams(optax.adam)(0.1)",
)


@st.composite
def _copies(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope, some=True)
    text = list(COPIES)[draw(st.integers(0, len(COPIES) - 1))]
    scope.note(f"case:{text.removeprefix('optax.').partition('(')[0]}")
    scope.bind("tx", text)
    scope.bind("copies", str(COPIES[text]))
    return scope.recipe()


def copies() -> st.SearchStrategy[Recipe]:
    """Draw `params`, an optimiser `tx` and the number of `copies` of them in its state."""
    return probe_first(sources, _copies())


@st.composite
def _injected(draw: st.DrawFn, narrow: bool) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope, leaves=_NARROW if narrow else _FLOATS, some=True)
    scope.bind("grads", GRADIENTS)
    factory, arguments = FACTORIES[draw(st.integers(0, len(FACTORIES) - 1))]
    scope.note(f"case:{factory}")
    scope.bind("plain", f"optax.{factory}({arguments})")
    scope.bind("tx", f"optax.inject_hyperparams(optax.{factory})({arguments})")
    return scope.recipe()


def injected(*, narrow: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw `params`, `grads`, a `plain` transformation and `tx`, the one with hyperparameters.

    Args:
        narrow: the parameters are of one shape, and may be bfloat16; default `False`: of float32.
    """
    return probe_first(sources, _injected(narrow))


@st.composite
def looped(draw: st.DrawFn) -> Recipe:
    """Draw `params` of few shapes, `grads` and an optimiser `tx`."""
    scope = Scope()
    text = draw_tree(
        draw, scope, leaves=pool(_FLOATS[:1]), roots=_TREES, kinds=(), max_leaves=2, alias=False
    )
    scope.bind("params", text)
    scope.bind("grads", GRADIENTS)
    scope.bind("tx", LOOPED[draw(st.integers(0, len(LOOPED) - 1))])
    return scope.recipe()
