"""Trees of arrays of one shape: to scan along their axes, to stack, to pad and to shard."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import EMPTY_ON_DEVICES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .frozen import FROZEN_DICTS
from .structs import FLAX_STRUCTS

# Nodes without leaves of their own.
_NODES = tuple(
    kind
    for kind in (*FLAX_STRUCTS, *FROZEN_DICTS)
    if not {"struct:default", "frozen:popped"} & set(kind.features)
)
_AXES = ("0", "1", "-1", "(0,)", "(1,)", "(0, 1)", "(1, 0)", "(-1, 0)", "(2, 0, 1)", "(0, 2)")
_DTYPES = ("float32", "int32", "bfloat16")


def _draw(draw: st.DrawFn, scope: Scope, leaf: st.SearchStrategy[str]) -> str:
    return draw_tree(
        draw,
        scope,
        leaves=leaf.map(lambda one: Recipe((), (), one)),
        kinds=(*CONTAINERS, *usable(_NODES)),
        max_leaves=3,
        alias=False,
    )


@st.composite
def scanned_trees(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, with an array of three axes at least, and how to scan it.

    That is an `axis`, `keepdims` and `unroll`.
    """
    scope = Scope()
    # At most 12 steps, each of which doubles the carry: all numbers are exact.
    sizes = [draw(st.integers(1, most)) for most in (3, 2, 2)]
    shape = ", ".join(map(str, sizes))
    count = sizes[0] * sizes[1] * sizes[2]
    leaf = f"jax.device_put(np.arange({count}, dtype=np.float32).reshape({shape}))"
    text = _draw(draw, scope, st.just(leaf))
    scope.bind("tree", f"[{leaf}, {text}]")
    axis = scope.bind("axis", draw(st.sampled_from(_AXES)))
    scope.note(f"axis:{axis}")
    scope.bind("keepdims", repr(draw(st.booleans())))
    # A tuple may be shorter than that of the axes.
    counts = st.integers(1, 3)
    several = st.lists(counts, min_size=1, max_size=axis.count(",") or 1).map(tuple)
    scope.bind("unroll", repr(draw(st.one_of(counts, several))))
    return scope.recipe()


@st.composite
def forests(draw: st.DrawFn, *, least: int) -> Recipe:
    """Draw `forest`, a list of trees of one structure, shape and dtype.

    Args:
        least: the least number of trees.
    """
    scope = Scope()
    shapes = ("()", "(2,)", "(2, 1)") + (() if EMPTY_ON_DEVICES.lacking() else ("(0, 3)",))
    shape = draw(st.sampled_from(shapes))
    dtype = draw(st.sampled_from(_DTYPES))
    form = draw(st.sampled_from(("jax.device_put({})", "{}")))
    leaf = form.format(f"np.full({shape}, 2, jnp.{dtype})")
    tree = scope.bind("tree", _draw(draw, scope, st.just(leaf)))
    numbers = range(draw(st.integers(least, 3)))
    texts = [f"jtu.tree_map(lambda leaf: leaf + leaf.dtype.type({n}), {tree})" for n in numbers]
    scope.bind("forest", f"[{', '.join(texts)}]")
    return scope.recipe()


@st.composite
def batches_of_trees(draw: st.DrawFn) -> Recipe:
    """Draw `x` and `y`, trees of NumPy arrays with a batch axis, and `least`, a size or `None`."""
    scope = Scope()
    size = draw(st.integers(0, 3))
    scope.note(f"batch:{size}")
    shape = st.sampled_from((f"({size},)", f"({size}, 2)"))
    dtype = st.sampled_from(_DTYPES)
    leaf = st.builds("np.ones({}, jnp.{})".format, shape, dtype)
    # One array tells the size.
    scope.bind("x", f"[np.ones({size}, np.float32), {_draw(draw, scope, leaf)}]")
    scope.bind("y", _draw(draw, scope, leaf))
    scope.bind("least", repr(draw(st.sampled_from((None, 1, 4)))))
    return scope.recipe()
