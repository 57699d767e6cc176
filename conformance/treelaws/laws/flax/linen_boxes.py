"""Flax Linen: variables in boxes with the names of their axes."""

from __future__ import annotations

from typing import Any

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.flax.lifted.layers import boxed_layers
from hypothesis_pytrees.flax.lifted.wrappers import named_modules
from treelaws.equality import same

from ._linen_axes import named
from .linen import TRANSFORMS, law
from .training import same_types

# A fixed commit, so that its line numbers stay correct.
_BOXES = (
    "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0/flax/core/meta.py"
)


@law(
    "a layer whose parameters are in boxes gives the results of the layer whose parameters are "
    "not, at its initialisation and after its variables have changed",
    source=f"{_BOXES}#L43-L46",
    level="should",
    needs={"linen.with_partitioning", "linen.with_logical_partitioning"},
    case=boxed_layers(),
)
def boxed_layers_compute_the_same(lib, case):
    results = []
    for layer in (case.boxed, case.plain):
        first, variables = layer.init_with_output(jax.random.key(1), case.x, **case.call)
        second, changed = layer.apply(variables, case.x, **case.call, mutable=True)
        third = layer.apply(changed, case.x, **case.call, mutable=True)[0]
        results.append((first, second, third))
    same(*results)


@law(
    "a layer whose parameters are in boxes has variables with the names and the values of those of "
    "the layer whose parameters are not",
    source=f"{_BOXES}#L43-L46",
    level="should",
    needs={"linen.with_partitioning", "linen.with_logical_partitioning"},
    case=boxed_layers(),
    parents=[boxed_layers_compute_the_same],
)
def boxed_layers_have_the_same_variables(lib, case):
    seed = jax.random.key(1)
    variables, start = (one.init(seed, case.x, **case.call) for one in (case.boxed, case.plain))
    same(_values(variables), start)
    _, changed = case.boxed.apply(variables, case.x, **case.call, mutable=True)
    same(_values(changed), case.plain.apply(start, case.x, **case.call, mutable=True)[1])


@law(
    "under `nn.add_metadata_axis` boxes have the name in `metadata_params` at the axis of their "
    "collection, and nothing else differs from the module without it",
    source=f"{TRANSFORMS}add_metadata_axis",
    level="should",
    needs={"linen.add_metadata_axis"},
    case=named_modules(),
)
def boxes_get_the_name_of_an_axis(lib, case):
    start = named(case.axis_of, case.variables)
    same_types(jax.eval_shape(case.lifted.init, case.seeds, *case.args), start)
    got, changed = case.lifted.apply(start, *case.args, **case.call)
    wanted, after = case.plain.apply(case.variables, *case.args, **case.call)
    same((got, changed), (wanted, named(case.axis_of, after)))


def _values(tree: Any) -> Any:
    """Return a tree with the values of its boxes instead of the boxes."""
    is_box = lambda node: hasattr(node, "names")
    return jtu.tree_map(lambda node: node.value if is_box(node) else node, tree, is_leaf=is_box)
