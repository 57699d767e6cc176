"""Optax: clipping of the gradients of each example, and of each unit of a parameter."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.batches import batches, units_by_rank, units_to_clip
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, true

from ._inputs import CODE, DOCS, close

law = Topic("optax.clipping", "Optax: clipping by example and by unit", family="optax")
_PAGE = f"{DOCS}transformations.html"
_EPS = 0.125
# By rank, the axes of a unit; arrays of lower rank are one unit.
_AXES = {2: (0,), 3: (0, 1, 2), 4: (0, 1, 2), 5: (0, 1, 2, 3)}
_NAMES = {"per_example_global_norm_clip", "per_example_layer_norm_clip"}


@law(
    "`per_example_global_norm_clip` scales the gradients of each example to the norm, if theirs is "
    "larger, sums them over the examples, and counts the examples that it has scaled",
    source=f"{_PAGE}#optax.per_example_global_norm_clip",
    needs=_NAMES,
    case=batches(),
)
def examples_are_clipped_by_their_norm(lib, case):
    sums, count = lib.per_example_global_norm_clip(case.grads, case.limit)
    wanted, clipped = _clipped(case.grads, case.limit)
    near = [_near(*pair) for pair in zip(sums, wanted, strict=True)]
    true(all(near), sums, f"{wanted}")
    equal(int(count), clipped)


@law(
    "`per_example_layer_norm_clip` clips each array on its own, to the norm divided by the square "
    "root of the number of arrays",
    source=f"{_PAGE}#optax.per_example_layer_norm_clip",
    needs=_NAMES,
    case=batches(),
)
def each_layer_has_its_share_of_the_norm(lib, case):
    sums, counts = lib.per_example_layer_norm_clip(case.grads, case.limit)
    _same_layers(sums, counts, case, [1 / len(case.grads)] * len(case.grads))


@law(
    "`per_example_layer_norm_clip(uniform=False)` clips each array to the norm times the square "
    "root of its share of the numbers",
    source=f"{_PAGE}#optax.per_example_layer_norm_clip",
    needs=_NAMES,
    case=batches(),
)
def larger_layers_have_a_larger_norm(lib, case):
    sums, counts = lib.per_example_layer_norm_clip(case.grads, case.limit, uniform=False)
    sizes = [grad[0].size for grad in case.grads]
    _same_layers(sums, counts, case, [size / sum(sizes) for size in sizes])


@law(
    "clipping by example raises ValueError for an array without an axis for the examples",
    source=f"{_PAGE}#optax.per_example_global_norm_clip",
    needs=_NAMES,
    level="should",
    case=batches(),
)
def arrays_without_examples_are_refused(lib, case):
    for odd in (np.zeros((5, 2), np.float32), np.float32(1.0)):
        for clip in (lib.per_example_global_norm_clip, lib.per_example_layer_norm_clip):
            refuses(ValueError, lambda clip=clip, odd=odd: clip([*case.grads, odd], 1.0))


@law(
    "`adaptive_grad_clip(axis=...)` scales each slice of an update along these axes to at most "
    "`clipping` times the norm of this slice of the parameter, or times `eps` if that is larger",
    source=f"{_PAGE}#optax.adaptive_grad_clip",
    level="should",
    needs={"adaptive_grad_clip", "clips_along_axes"},
    case=units_to_clip(),
)
def units_are_clipped_by_the_norm_of_their_parameter(lib, case):
    tx = lib.adaptive_grad_clip(case.limit, eps=_EPS, axis=case.axis)
    got, _ = tx.update(case.updates, tx.init(case.params), case.params)
    clip = lambda update, param: _clipped_units(update, param, case.axis, case.limit)
    close(got, jtu.tree_map(clip, case.updates, case.params))


@law(
    "`unitwise_norm(x)` puts in the place of each number the norm of its unit: the whole vector, "
    "or a slice along the axes that are documented for the rank of `x`",
    source=f"{CODE}transforms/_clipping.py#L256-L265",
    needs={"transforms.unitwise_norm(axis)"},
    case=units_by_rank(),
)
def units_are_those_of_the_rank(lib, case):
    squares = (np.float64(case.x) ** 2).sum(_AXES.get(case.x.ndim), keepdims=True)
    wanted = np.broadcast_to(np.sqrt(squares), case.x.shape)
    close(lib.transforms.unitwise_norm(case.x), np.float32(wanted))


def _near(got, wanted):
    """Return whether sums, in which terms may cancel, are equal apart from rounding."""
    return np.shape(got) == np.shape(wanted) and bool(np.allclose(got, wanted, 1e-4, 1e-4))


def _clipped(grads, limit):
    """Return the clipped sums over the examples and the number of clipped examples."""
    total, clipped = [np.zeros(grad.shape[1:]) for grad in grads], 0
    for example in zip(*map(np.float64, grads), strict=True):
        norm = np.sqrt(sum((part**2).sum() for part in example))
        clipped += bool(norm > limit)
        scale = limit / norm if norm > limit else 1.0
        total = [held + scale * part for held, part in zip(total, example, strict=True)]
    return total, clipped


def _same_layers(sums, counts, case, shares):
    """Demand that each array is clipped on its own, to its share of the squared norm."""
    rows = zip(sums, counts, case.grads, shares, strict=True)
    for got, count, grad, share in rows:
        (wanted,), clipped = _clipped([grad], case.limit * share**0.5)
        true(_near(got, wanted), got, f"{wanted}")
        equal(int(count), clipped)


def _clipped_units(update, param, axis, limit):
    """Return the update whose slices have at most `limit` times the norm of the parameter's."""
    norm, most = (
        np.sqrt((np.float64(leaf) ** 2).sum(axis, keepdims=True)) for leaf in (update, param)
    )
    most = limit * np.maximum(most, _EPS)
    return np.float32(update * np.where(norm < most, 1.0, most / np.maximum(norm, 1e-6)))
