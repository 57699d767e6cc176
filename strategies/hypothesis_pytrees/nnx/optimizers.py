"""Flax NNX models with an Optax transformation and the filter of what it optimises, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool

from .modules import NNX_CONTAINERS, NNX_MODULES, nnx_modules
from .variables import variables

_LABELS = """\
def nnx_label_by_rank(params):
    return jtu.tree_map(lambda leaf: 'matrix' if jnp.ndim(leaf) == 2 else 'other', params)
"""
_MASK = """\
def nnx_mask_vectors(params):
    return jtu.tree_map(lambda leaf: jnp.ndim(leaf) == 1, params)
"""


def _transformation(name: str, text: str, *definitions: str) -> Kind:
    return Kind("transformation", text, definitions, (f"tx:{name}",))


# `tx:exact`: on binary fractions no rounding happens, however the steps are compiled.
TRANSFORMATIONS: Sequence[Kind] = (
    _transformation("exact", "optax.sgd(0.5)"),
    _transformation("exact", "optax.sgd(0.5, momentum=0.5)"),
    _transformation("adam", "optax.adam(0.1)"),
    _transformation("adamw", "optax.adamw(0.1)"),
    _transformation("chain", "optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1))"),
    _transformation("schedule", "optax.sgd(optax.linear_schedule(0.5, 0.1, 3))"),
    _transformation("hyperparameters", "optax.inject_hyperparams(optax.adam)(learning_rate=0.1)"),
    _transformation(
        "multi",
        "optax.multi_transform("
        "{'matrix': optax.adam(0.1), 'other': optax.sgd(0.5)}, nnx_label_by_rank)",
        _LABELS,
    ),
    _transformation("masked", "optax.masked(optax.adam(0.1), nnx_mask_vectors)", _MASK),
    _transformation(
        "multi",
        "optax.multi_transform("
        "{'matrix': optax.set_to_zero(), 'other': optax.adam(0.1)}, nnx_label_by_rank)",
        _LABELS,
    ),
    _transformation("identity", "optax.identity()"),
    _transformation("zero", "optax.set_to_zero()"),
)
_FILTERS: Sequence[Kind] = (
    Kind("filter", "nnx.Param", (), ("wrt:param",)),
    Kind("filter", "nnx.Param", (), ("wrt:param",)),
    Kind("filter", "nnx.Param", (), ("wrt:param",)),
    Kind("filter", "nnx.BatchStat", (), ("wrt:other",)),
    Kind("filter", "nnx.Any(nnx.Param, nnx.BatchStat)", (), ("wrt:several",)),
    Kind("filter", "(nnx.BatchStat, nnx.Param)", (), ("wrt:several",)),
    Kind("filter", "nnx.All(nnx.Param, nnx.PathContains('x'))", (), ("wrt:path",)),
)
_ODD = {"nnx:number", "nnx:plain-list", "nnx:plain-dict", "nnx:rngs"}


@st.composite
def nnx_optimisations(
    draw: st.DrawFn, *, transformations: Sequence[Kind] = TRANSFORMATIONS
) -> Recipe:
    """Draw a `model` of real arrays, a filter `wrt`, and a transformation `tx`.

    Args:
        transformations: what `tx` is drawn from, simple ones first; default `TRANSFORMATIONS`.

    Raises:
        ValueError: `transformations` is empty.
    """
    if not transformations:
        raise ValueError("transformations is empty; give at least one of TRANSFORMATIONS")
    roots, inner = (
        tuple(kind for kind in table if not _ODD & {*kind.features})
        for table in (NNX_MODULES, (*NNX_MODULES, *NNX_CONTAINERS))
    )
    leaves = variables(pool(tuple(REAL_ARRAYS)))
    scope = Scope()
    scope.bind(
        "model", draw(nnx_modules(leaves, roots=roots, kinds=inner, layers=False, max_leaves=4))
    )
    for name, table in (("wrt", _FILTERS), ("tx", available(tuple(transformations)))):
        kind = draw(st.sampled_from(tuple(table)))
        scope.define(*kind.definitions)
        scope.note(*kind.features)
        scope.bind(name, kind.template)
    return scope.recipe()
