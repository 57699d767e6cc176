"""Optax: parameters on several devices are optimised as on one, on meshes of automatic axes."""

from __future__ import annotations

import jax
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws._sharded import on_devices, sharded_trees

from ._inputs import DOCS

law = Topic("optax.sharding", "Optax: parameters on several devices", family="optax")
_PURE = f"{DOCS}transformations.html#optax.GradientTransformation"
_TREE = f"{DOCS}utilities.html#tree"
_NEEDS = {"eight_devices", "apply_updates", "global_norm"}
_RANKS = "lambda tree: jtu.tree_map(lambda leaf: int(leaf.ndim > 1), tree)"
# Their arithmetic is exact for halves, so that it does not depend on how a sum is split.
_EXACT = (
    "optax.sgd(0.5)",
    "optax.sgd(0.5, momentum=0.5, nesterov=True)",
    "optax.sgd(optax.piecewise_constant_schedule(0.5, {1: 0.5}))",
    "optax.lion(0.5, b1=0.5, b2=0.5, weight_decay=0.5)",
    "optax.sign_sgd(0.5)",
    "optax.chain(optax.clip(2.0), optax.trace(0.5), optax.scale(-0.5))",
    "optax.chain(optax.add_decayed_weights(0.5), optax.scale(-0.5))",
    "optax.chain(optax.zero_nans(), optax.keep_params_nonnegative())",
    "optax.MultiSteps(optax.sgd(0.5), 2)",
    "optax.apply_if_finite(optax.sgd(0.5), 2)",
    "optax.masked(optax.sgd(0.5), lambda tree: jtu.tree_map(lambda leaf: leaf.ndim > 1, tree))",
    f"optax.multi_transform({{1: optax.sgd(0.5), 0: optax.identity()}}, {_RANKS})",
    "optax.inject_hyperparams(optax.sgd)(0.5)",
    "optax.ema(0.5, debias=False)",
    "optax.flatten(optax.sgd(0.5, momentum=0.5))",
    "optax.conditionally_transform(optax.sgd(0.5), lambda step, **extra: step < 1)",
    "optax.lookahead(optax.sgd(0.5), 2, 0.5)",
)
# Sums of squares of bfloat16 numbers are rounded.
_FLOATS = sharded_trees("floats").filter(
    lambda recipe: "leaf" in recipe.features and "leaf:sharded-bfloat16" not in recipe.features
)


@st.composite
def _optimised(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, `where` and `tx`, and whether parameters are `paired` for lookahead."""
    scope = Scope()
    scope.include(draw(_FLOATS))
    text = draw(st.sampled_from(_EXACT))
    scope.note(f"optimiser:{text.removeprefix('optax.').partition('(')[0]}")
    scope.bind("tx", text)
    scope.bind("paired", repr("lookahead" in text))
    return scope.recipe()


@law(
    "`init`, `update` and `apply_updates` give for parameters on several devices what they give on "
    "one, also within `jit`",
    source=_PURE,
    level="should",
    needs=_NEEDS,
    case=_optimised(),
)
def steps_on_devices_are_those_of_one(lib, case):
    placed, wanted = jax.device_put(case.tree, case.where), _steps(lib, case, case.tree)
    same(_steps(lib, case, placed), wanted)
    same(jax.jit(lambda tree: _steps(lib, case, tree))(placed), wanted)


@law(
    "the updated parameters stay on the devices of the parameters",
    source=_PURE,
    level="observed",
    needs=_NEEDS,
    case=_optimised(),
    parents=[steps_on_devices_are_those_of_one],
)
def updated_parameters_stay_on_the_devices(lib, case):
    """No document says so; computations of JAX follow their data."""
    placed = jax.device_put(case.tree, case.where)
    params, _ = _steps(lib, case, placed)
    on_devices(params.fast if case.paired else params, case.where)


@law(
    "sums, products and norms of trees on several devices are those on one",
    source=_TREE,
    level="should",
    needs={*_NEEDS, "tree_utils.tree_sum", "tree_utils.tree_vdot", "tree_utils.tree_add"},
    case=_FLOATS,
)
def reductions_on_devices_are_those_of_one(lib, case):
    placed, util = jax.device_put(case.tree, case.where), lib.tree_utils
    for function in (
        util.tree_sum,
        lambda tree: util.tree_vdot(tree, tree),
        lib.global_norm,
        lambda tree: util.tree_add(tree, util.tree_zeros_like(tree)),
    ):
        same(function(placed), function(case.tree))
        same(jax.jit(function)(placed), function(case.tree))


def _steps(lib, case, tree):
    """Make two steps along the parameters themselves; return them and the state."""
    params = lib.LookaheadParams.init_synced(tree) if case.paired else tree
    state = case.tx.init(params)
    for _ in range(2):
        grads = params.fast if case.paired else params
        updates, state = case.tx.update(grads, state, params)
        params = lib.apply_updates(params, updates)
    return params, state
