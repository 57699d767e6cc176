"""Trees of batches on meshes of explicit axes, whose shardings are part of the types of arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_ROWS = 16
# Shapes by the axis of the batch.
_SHAPES = {0: ((_ROWS,), (_ROWS, 4), (_ROWS, 2, 8)), 1: ((8, _ROWS), (4, _ROWS, 2))}
_MESHES = ((8,), (2, 4), (4, 2), (2,))
_NAMES = (("x", "y"), ("data", "model"), ("b", "a"))
_EXPLICIT = "jax.sharding.AxisType.Explicit"
# Functions of a tree that give a number, and those that give a tree; `$` is the tree.
_REDUCTIONS = (
    *("tree_vdot($, $)", "tree_sum($)", "tree_norm($)", "tree_norm($, squared=True)"),
    *("tree_norm($, 1)", "tree_norm($, jnp.inf)", "tree_max($)", "tree_min($)"),
    *("tree_add($, $)", "tree_scale(0.5, $)", "tree_zeros_like($)", "tree_where(True, $, $)"),
)


def _bind_tree(draw: st.DrawFn, scope: Scope, axis: int) -> None:
    """Bind `mesh`, `tree`, a dict of arrays on one device, and `specs`, those of its leaves."""
    shape = draw(st.sampled_from(_MESHES))
    names = draw(st.sampled_from(_NAMES))[: len(shape)]
    count = math.prod(shape)
    devices = f"np.array(jax.devices()[:{count}]).reshape({shape})"
    types = f"axis_types=({_EXPLICIT},) * {len(shape)}"
    scope.bind("mesh", f"jax.sharding.Mesh({devices}, {names}, {types})")
    shapes = draw(st.lists(st.sampled_from(_SHAPES[axis]), min_size=1, max_size=2))
    sizes = dict(zip(names, shape, strict=True))
    arrays, specs = [], []
    for key, one in zip("ab", shapes, strict=False):
        numbers = f"jnp.arange({math.prod(one)}.0).reshape({one}) % 7"
        arrays.append(f"{key!r}: {numbers}")
        entries = _entries(draw, sizes, one, axis)
        scope.note("rank:1" if len(one) == 1 else "rank:above-1")
        split = [place for place, entry in enumerate(entries) if entry is not None]
        scope.note(*("batch:on-devices" if place == axis else "rest:on-devices" for place in split))
        specs.append(f"{key!r}: ({', '.join(map(repr, entries))},)")
    scope.bind("tree", f"{{{', '.join(arrays)}}}")
    scope.bind("specs", f"{{{', '.join(specs)}}}")


def _entries(
    draw: st.DrawFn, sizes: dict[str, int], shape: Sequence[int], axis: int
) -> list[str | None]:
    """Draw an axis of the mesh, or none, for each axis of an array, the batch first."""
    entries: list[str | None] = [None] * len(shape)
    left = list(sizes)
    for place in (axis, *(one for one in range(len(shape)) if one != axis)):
        fits = [name for name in left if shape[place] % sizes[name] == 0]
        entry = draw(st.sampled_from((None, *fits)))
        entries[place] = entry
        left = [name for name in left if name != entry]
    return entries


@st.composite
def explicit_batches(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, `mesh` and `specs` of its leaves, and the `axis` and `size` of microbatches."""
    scope = Scope()
    axis = draw(st.sampled_from((0, 0, 1)))
    _bind_tree(draw, scope, axis)
    scope.bind("axis", repr(axis))
    # A multiple of the number of devices, as it is asked for.
    scope.bind("size", draw(st.sampled_from(("8", "16"))))
    return scope.recipe()


@st.composite
def explicit_reductions(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, `mesh` and `specs`, and `call`, a function of trees."""
    scope = Scope()
    _bind_tree(draw, scope, draw(st.sampled_from((0, 1))))
    text = draw(st.sampled_from(_REDUCTIONS))
    scope.note(f"function:{text.partition('(')[0]}")
    scope.bind("call", f"lambda tree: optax.tree_utils.{text.replace('$', 'tree')}")
    return scope.recipe()
