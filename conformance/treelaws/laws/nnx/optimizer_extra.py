"""Flax NNX: extra arguments that `Optimizer.update` hands to the transformation."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from treelaws.equality import same

from ._names import AWKWARD
from .optimizer import grads_of, law, update_returns_the_updates

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/optimizer.html"
_UPDATE = f"{_DOCS}#flax.nnx.optimizer.Optimizer.update"
_NOTES = """\
def nnx_notes_extra_arguments(seen):
    def update(updates, state, params=None, **extra):
        seen.append(extra)
        return updates, state

    return optax.GradientTransformationExtraArgs(lambda params: optax.EmptyState(), update)
"""
_VALUES = (
    "jax.device_put(np.float32(2.0))",
    "jax.random.key(0)",
    "np.float64(0.5)",
    "3",
    "None",
    "'text'",
    "jnp.sum",
    "[1.0, (jax.device_put(np.int32(2)),)]",
    "{'b': True, 'a': None}",
    "optax.EmptyState()",
)
_ARGUMENTS = ("value", "grad", "value_fn", "grads", *AWKWARD)
_WRAPPERS = ("{}", "optax.chain(optax.identity(), {})", "optax.masked({}, True)")
_MODELS = tuple(
    Kind("model", text)
    for text in (
        "nnx.LayerNorm(2, rngs=nnx.Rngs(0))",
        "nnx.Dict(a=nnx.Param($0))",
        "nnx.Dict(b=nnx.Param($0), a=nnx.BatchStat($1), c=nnx.Dict(a=nnx.Param($2)))",
        "nnx.List([nnx.Param($0), nnx.Dict(rngs=nnx.Rngs(0), b=nnx.Param($1, label='b'))])",
    )
)
# Optax searches lines in one dtype.
_SINGLE = tuple(kind for kind in REAL_ARRAYS if kind.features[0].startswith("leaf:float32"))
# Each takes the value of a loss, some also its gradient and the loss itself.
_NEEDY = tuple(
    Kind("transformation", text, (), (f"tx:{name}",))
    for name, text in {
        "plateau": "optax.contrib.reduce_on_plateau(patience=1)",
        "chain": "optax.chain(optax.sgd(0.5), optax.contrib.reduce_on_plateau(patience=0))",
        "polyak": "optax.polyak_sgd()",
        "search": "optax.chain(optax.sgd(0.5), optax.scale_by_backtracking_linesearch(3))",
        "search-kept": "optax.scale_by_backtracking_linesearch(2, store_grad=True)",
        "lbfgs": "optax.lbfgs(memory_size=2)",
    }.items()
)


@st.composite
def _noted(draw: st.DrawFn) -> Recipe:
    """Draw `model`, `tx`, which notes extra arguments in `seen`, and `extra`, these arguments."""
    scope = Scope()
    scope.define(_NOTES)
    scope.bind("model", "nnx.Dict(a=nnx.Param(jax.device_put(np.float32([1.0, 2.0]))))")
    pairs = st.tuples(st.sampled_from(_ARGUMENTS), st.sampled_from(_VALUES))
    # The names `updates`, `state` and `params` are those of `update` of a transformation.
    drawn = draw(st.lists(pairs, max_size=2, unique_by=lambda pair: pair[0]))
    held = {name: text for name, text in drawn if name not in ("state", "params")}
    scope.note(*(f"extra:{name}" for name in held))
    scope.bind("extra", f"{{{', '.join(f'{name!r}: {text}' for name, text in held.items())}}}")
    scope.bind("seen", "[]")
    wrapper = draw(st.sampled_from(_WRAPPERS))
    scope.bind("tx", wrapper.format("nnx_notes_extra_arguments(seen)"))
    return scope.recipe()


@st.composite
def trained(draw: st.DrawFn, transformations: Sequence[Kind], leaves: Sequence[Kind]) -> Recipe:
    """Draw a `model` with Params and other Variables, and `tx`, one of the transformations.

    Args:
        draw: how to draw.
        transformations: what `tx` is drawn from.
        leaves: kinds of arrays.
    """
    scope = Scope()
    texts = [scope.include(draw(pool(tuple(leaves)))) for _ in range(3)]
    scope.bind("model", draw(st.sampled_from(available(_MODELS))).text(texts))
    kind = draw(st.sampled_from(available(transformations)))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    scope.bind("tx", kind.template)
    return scope.recipe()


@law(
    "`Optimizer.update` passes additional keyword arguments, of any name that `update` of the "
    "transformation leaves free, to it",
    source=_UPDATE,
    needs={"Optimizer", "optimizer_returns_updates"},
    case=_noted(),
)
def extra_arguments_reach_the_transformation(lib, case):
    optimizer = lib.Optimizer(case.model, case.tx, wrt=lib.Param)
    optimizer.update(case.model, lib.state(case.model), **case.extra)
    same(case.seen, [case.extra])


@law(
    "`ModelAndOptimizer.update` passes additional keyword arguments, of any name that `update` of "
    "the transformation leaves free, to it",
    source=f"{_DOCS}#flax.nnx.optimizer.ModelAndOptimizer",
    level="should",
    needs={"ModelAndOptimizer", "optimizer_returns_updates"},
    case=_noted(),
    parents=[extra_arguments_reach_the_transformation],
)
def extra_arguments_reach_it_with_the_model(lib, case):
    optimizer = lib.ModelAndOptimizer(case.model, case.tx, wrt=lib.Param)
    optimizer.update(lib.state(case.model), **case.extra)
    same(case.seen, [case.extra])


@law(
    "`Optimizer.update` of a transformation that needs the value of the loss, its gradient or the "
    "loss itself gives the updates that Optax gives",
    source=_UPDATE,
    needs={"Optimizer", "optimizer_returns_updates"},
    case=trained(_NEEDY, _SINGLE),
    parents=[update_returns_the_updates, extra_arguments_reach_the_transformation],
)
def update_with_the_loss_agrees_with_optax(lib, case):
    optimizer = lib.Optimizer(case.model, case.tx, wrt=lib.Param)
    params = lib.as_pure(lib.state(case.model, lib.Param))
    state = case.tx.init(params)
    for _ in range(2):
        extra = {"value": _loss(params), "grad": grads_of(params), "value_fn": _loss}
        wanted, state = case.tx.update(grads_of(params), state, params, **extra)
        got = optimizer.update(case.model, grads_of(lib.state(case.model, lib.Param)), **extra)
        same(jtu.tree_leaves(got), jtu.tree_leaves(wanted))
        params = lib.as_pure(lib.state(case.model, lib.Param))


def _loss(params):
    """Return a function of the parameters whose gradient is that of `grads_of`."""
    terms = [jnp.sum(leaf * leaf * 0.25 + leaf) for leaf in jtu.tree_leaves(params)]
    return sum(terms, start=jnp.float32(0))
