"""Uses of a filter in Flax NNX, as text: expressions of `module` and `filter`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way
from hypothesis_pytrees.nnx.filters import filter_pairs, write_filter

from .transform_options import DEVICE

_TOTAL = """\
def nnx_total(module, *_):
    leaves = jtu.tree_leaves(nnx.state(module))
    return sum((jnp.sum(leaf) for leaf in leaves), start=jnp.float32(0))
"""
_AXES = "nnx.StateAxes([(filter, None), (..., 0)])"
_PLACED = "nnx.StateSharding([(filter, one_device()), (..., None)])"
# The Variables of the module are arrays of two floating numbers.
TRANSFORMS: Sequence[Kind] = (
    way("diff-state", "nnx.grad(nnx_total, argnums=nnx.DiffState(0, filter))(module)", _TOTAL),
    way(
        "diff-states",
        "nnx.value_and_grad(nnx_total, argnums=(1, nnx.DiffState(0, filter)))"
        "(module, jnp.float32(1))",
        _TOTAL,
    ),
    way(
        "diff-state-of-jit",
        "nnx.jit(nnx.grad(nnx_total, argnums=nnx.DiffState(0, filter)))(module)",
        _TOTAL,
    ),
    way("vmap", f"nnx.vmap(nnx_total, in_axes=({_AXES}, 0))(module, jnp.zeros(2))", _TOTAL),
    way(
        "vmap-out",
        f"nnx.vmap(lambda held, _: held, in_axes=({_AXES}, 0), out_axes={_AXES})"
        "(module, jnp.zeros(2))",
    ),
    way(
        "scan",
        f"nnx.scan(nnx_total, in_axes=({_AXES}, 0), out_axes=0)(module, jnp.zeros(2))",
        _TOTAL,
    ),
    way("jit-in", f"nnx.jit(nnx_total, in_shardings=({_PLACED},))(module)", _TOTAL, DEVICE),
    way(
        "jit-out",
        f"nnx.jit(lambda held: held, in_shardings=({_PLACED},), out_shardings={_PLACED})(module)",
        DEVICE,
    ),
    way("optimizer", "nnx.Optimizer(module, optax.sgd(0.1, momentum=0.9), wrt=filter).opt_state"),
    way("average", "nnx.EMA(module, 0.5, only=filter).params"),
)
# A method of `nnx.Module`, which other nodes lack.
_METHOD = way("set-attributes", "module.set_attributes(filter, raise_if_not_found=False, size=9)")
# For modules that hold anything.
FUNCTIONS: Sequence[Kind] = (
    way("state", "nnx.state(module, filter)"),
    way("states", "nnx.state(module, nnx.BatchStat, filter)"),
    way("split", "nnx.split(module, filter, ...)"),
    way("filter-state", "nnx.filter_state(nnx.state(module), filter)"),
    way("split-state", "nnx.split_state(nnx.state(module), filter, ...)"),
    _METHOD,
    way(
        "with-attributes",
        "nnx.with_attributes(module, only=filter, raise_if_not_found=False, size=9)",
    ),
    way("view", "nnx.view(module, only=filter, raise_if_not_found=False, size=9)"),
    way("metadata", "nnx.set_metadata(module, only=nnx.All(nnx.Variable, filter), marked='here')"),
    way("fork", "nnx.fork_rngs(module, split={nnx.Any(filter): 2})"),
    way("split-rngs", "nnx.split_rngs(module, splits=2, only=filter) and None"),
    way("with-rngs", "nnx.with_rngs(module, split=2, only=filter, graph=False)"),
)


@st.composite
def filter_uses(
    draw: st.DrawFn, ways: Sequence[Kind], modules: st.SearchStrategy[Recipe]
) -> Recipe:
    """Draw a `module`, a `filter`, its `meaning` as a function, and `run`, a use of a filter.

    The feature `filter:unhashable` says that the filter is a list or a tuple that holds one.

    Args:
        ways: the uses; one that the releases have is drawn.
        modules: the strategy of the module.
    """
    scope = Scope()
    # Nothing may stand behind these two in a list of filters.
    pairs = filter_pairs(combined=draw(st.booleans()))
    drawn = draw(pairs.filter(lambda one: one.text not in ("...", "True")))
    recipe = draw(modules)
    expression = scope.include(recipe)
    if expression != "module":
        scope.bind("module", expression)
    scope.bind("filter", write_filter(scope, drawn))
    if _has_list(ast.parse(drawn.text, mode="eval").body):
        scope.note("filter:unhashable")
    scope.bind("meaning", f"lambda path, value: bool({drawn.meaning})")
    if "nnx:pytree" in recipe.features:
        ways = [one for one in ways if one.features != _METHOD.features]
    bind_way(draw, scope, ways, "filter, module", forms=PLAIN)
    return scope.recipe()


def _has_list(node: ast.expr) -> bool:
    in_tuple = isinstance(node, ast.Tuple) and any(map(_has_list, node.elts))
    return isinstance(node, ast.List) or in_tuple
