"""Draw calls of `nnx.Dropout` with arrays that lie on meshes of explicit axes."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .parts import COUNTED, counted

# Sizes of the axes of a mesh by name.
_MESHES = ({"x": 8}, {"x": 2, "y": 4}, {"data": 4, "model": 2}, {"b": 1, "a": 2}, {"x": 1})
_SHAPES = ((8,), (8, 16), (16, 4, 8))
_EXPLICIT = "jax.sharding.AxisType.Explicit"
_CALLS = ("lambda layer, x: layer(x)", "nnx.jit(lambda layer, x: layer(x))")


@st.composite
def dropped_on_devices(draw: st.DrawFn) -> Recipe:
    """Bind `make`, which makes a Dropout, `call(layer, x)`, `x`, `mesh`, and the `spec` of `x`.

    If an axis of `x` has an axis of the mesh, the feature is `input:on-devices`; if the layer drops
    alike along an axis that is on several devices, it is `shared:on-devices`.
    """
    scope = Scope()
    scope.define(COUNTED)
    sizes = draw(st.sampled_from(_MESHES))
    shape = draw(st.sampled_from(_SHAPES))
    grid = tuple(sizes.values())
    devices = f"np.array(jax.devices()[:{math.prod(grid)}]).reshape({grid})"
    types = f"axis_types=({_EXPLICIT},) * {len(grid)}"
    scope.bind("mesh", f"jax.sharding.Mesh({devices}, {tuple(sizes)}, {types})")
    left, entries = list(sizes), list[str | None]()
    for size in shape:
        entry = draw(st.sampled_from((None, *(one for one in left if size % sizes[one] == 0))))
        entries.append(entry)
        left = [one for one in left if one != entry]
    scope.note(*(["input:on-devices"] if any(entries) else []))
    scope.bind("spec", f"jax.sharding.PartitionSpec({', '.join(map(repr, entries))})")
    places = st.integers(-len(shape), len(shape) - 1)
    shared = draw(st.lists(places, max_size=2, unique_by=lambda one: one % len(shape)))
    split = [place for place, one in enumerate(entries) if one is not None and sizes[one] > 1]
    on_devices = any(one % len(shape) in split for one in shared)
    scope.note(*(["shared:on-devices"] if on_devices else []))
    rate = draw(st.sampled_from(("0.25", "0.5", "0.0", "1.0")))
    # These two need no mask.
    scope.note("rate:whole" if rate.endswith(".0") else "rate:between")
    scope.bind(
        "make",
        f"lambda: nnx.Dropout({rate}, broadcast_dims={tuple(shared)}, rngs=nnx.Rngs(dropout=1))",
    )
    scope.bind("call", draw(st.sampled_from(_CALLS)))
    scope.bind("x", counted(shape, draw(st.sampled_from(("float32", "bfloat16")))))
    return scope.recipe()
