"""JAX: callbacks that take and return trees of arrays of any dtype."""

from __future__ import annotations

import importlib

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, PRNG_KEYS, pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import same

law = Topic("jax.callbacks", "JAX: callbacks", family="jax")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_ARRAYS = tuple(kind for kind in JAX_ARRAYS if "leaf:weak" not in kind.features)
_KEYS = Kind("leaf", "jax.random.split(jax.random.key(0))", (), ("leaf:keys",))
_WITH_KEYS = (*_ARRAYS[:2], *PRNG_KEYS, _KEYS)
_WAYS = (
    way("pure", "lib.pure_callback(function, shapes, tree)"),
    way("pure-in-jit", "lib.jit(lambda tree: lib.pure_callback(function, shapes, tree))(tree)"),
    way("io", "lib.experimental.io_callback(function, shapes, tree)"),
    way("io-tuple",
        "lib.experimental.io_callback(lambda tree: (tree, None, np.int32(1)), "
        "(shapes, None, jax.ShapeDtypeStruct((), jnp.int32)), tree)[0]"),
    way("io-nothing",
        "(lambda seen: (lib.experimental.io_callback(seen.append, None, tree), "
        "lib.effects_barrier(), seen[0])[-1])([])"),
    way("io-keyword",
        "lib.experimental.io_callback(lambda *, given: given, shapes, given=tree)"),
    way("io-keyword-in-jit", "lib.jit(lambda tree: lib.experimental.io_callback("
        "lambda one, *, given: given, shapes, 1, given=tree))(tree)"),
    # A tree without leaves is on no device, so a number goes with it.
    way("io-sharding", "lib.experimental.io_callback(lambda tree, number: tree, shapes, "
        "*jax.device_put((tree, 1), jax.devices()[-1]), "
        "sharding=jax.sharding.SingleDeviceSharding(jax.devices()[-1]))"),
    way("io-sharding-in-jit", "lib.jit(lambda tree: lib.experimental.io_callback(function, shapes, "
        "tree, sharding=jax.sharding.SingleDeviceSharding(jax.devices()[0])))(tree)"),
    way("io-ordered", "lib.experimental.io_callback(function, shapes, tree, ordered=True)"),
)  # fmt: skip


@st.composite
def _calls(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, of arrays, and `run`, a callback that returns it; feature `tree:keys`."""
    scope = Scope()
    drawn = draw(st.sampled_from(available(_WAYS)))
    scope.note(*drawn.features)
    # Half of the trees have no keys, and the others few other leaves.
    leaves = pool(_WITH_KEYS if draw(st.booleans()) else _ARRAYS)
    scope.bind("tree", draw_tree(draw, scope, leaves=leaves, kinds=(*CONTAINERS, *NODES)))
    scope.note(*(["tree:keys"] if {"leaf:key", "leaf:keys"} & scope.features else []))
    scope.bind("function", "lambda tree: tree")
    shape = "jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)"
    scope.bind("shapes", f"jtu.tree_map(lambda leaf: {shape}, tree)")
    scope.bind("run", f"lambda lib: {drawn.template}")
    return scope.recipe()


@law(
    "a callback returns a tree of arrays of any dtype, if `result_shape_dtypes` has its structure, "
    "shapes and dtypes",
    source=f"{_API}/jax.pure_callback.html",
    level="should",
    case=_calls(),
)
def callbacks_return_trees_of_any_dtype(lib, case):
    # JAX loads this submodule only if it is imported by name.
    importlib.import_module("jax.experimental")
    same(jtu.tree_map(_array, case.run(lib)), jtu.tree_map(_array, case.tree))


def _array(leaf):
    """Return an array of JAX: what a callback returns outside of `jit` may be one of NumPy."""
    return leaf if isinstance(leaf, jax.Array) else jax.numpy.asarray(leaf)
