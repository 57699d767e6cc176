"""Optax: labels of every hashable type, and functions of the parameters under maps."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.params import parameters
from hypothesis_pytrees.optax.rules.labels import choosing_functions, hashable_labels
from treelaws.equality import equal, same

from ._inputs import DOCS
from .masking import _COMBINE, law

_UTILITIES = f"{DOCS}utilities.html"


@law(
    "labels of `multi_transform` may be of any hashable type, without an order too, and its state "
    "goes through `jit`",
    # `transforms` is a `Mapping[Hashable, GradientTransformation]`.
    source=f"{_COMBINE}#optax.multi_transform",
    level="should",
    needs={"multi_transform", "scale", "trace"},
    case=hashable_labels(),
)
def labels_are_of_any_hashable_type(lib, case):
    inner = {label: lib.scale(factor) for label, factor in case.factors.items()}
    tx = lib.multi_transform(inner, case.labels)
    state = jax.eval_shape(tx.init, case.params)
    jax.eval_shape(tx.update, case.grads, state, case.params)
    scaled = lambda label, below: jtu.tree_map(lambda leaf: leaf * case.factors[label], below)
    got, _ = tx.update(case.grads, tx.init(case.params), case.params)
    same(got, jtu.tree_map(scaled, case.labels, case.grads))


@law(
    "`tree_map_params` maps each copy of the parameters in the state of a transformation that asks "
    "a function of the parameters for its mask or labels",
    source=f"{_UTILITIES}#optax.tree_utils.tree_map_params",
    level="should",
    needs={"tree_utils.tree_map_params", "masked", "multi_transform"},
    case=choosing_functions(),
)
def functions_of_the_parameters_are_no_obstacle_to_maps(lib, case):
    seen, state = [], case.tx.init(case.params)
    is_place = lambda node: isinstance(node, lib.MaskedNode)
    mapped = lib.tree_utils.tree_map_params(
        case.tx, lambda leaf: (seen.append(leaf), leaf)[1], state, is_leaf=is_place
    )
    same(mapped, state)
    equal(len(seen), case.copies * len(jtu.tree_leaves(case.params)))


@law(
    "`tree_map_params` takes a function of the parameters that returns a state, maps their copies "
    "in it, and hands the rest to `transform_non_params`",
    source=f"{_UTILITIES}#optax.tree_utils.tree_map_params",
    needs={"tree_utils.tree_map_params"},
    case=parameters(),
)
def a_function_of_the_parameters_tells_of_their_copies(lib, case):
    init = lambda tree: {"mu": tree, "rest": (jnp.int32(0), [tree, None])}
    places, other = jtu.tree_map(lambda _: object(), case.params), object()
    mapped = lib.tree_utils.tree_map_params(
        init,
        lambda _, place: place,
        init(case.params),
        places,
        transform_non_params=lambda _: other,
    )
    same(mapped, {"mu": places, "rest": (other, [places, None])}, identical=True)
