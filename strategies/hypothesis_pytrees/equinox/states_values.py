"""Values of an `eqx.nn.State`: trees of arrays, and values that do not match them."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import (
    JAX_ARRAYS,
    NUMPY_ARRAYS,
    NUMPY_SCALARS,
    PRNG_KEYS,
    PYTHON_SCALARS,
    pool,
)
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

# A state holds PyTrees of arrays: values that jnp.asarray accepts, so no int of over 64 bits.
_LEAVES = tuple(
    kind
    for kind in (*JAX_ARRAYS, *PRNG_KEYS, *NUMPY_ARRAYS, *NUMPY_SCALARS, *PYTHON_SCALARS)
    if "leaf-is:big" not in kind.features
)
_KINDS = (*CONTAINERS, *NODES)

AS_ARRAYS = """\
def as_arrays(value):
    return jtu.tree_map(jnp.asarray, value)
"""
CHANGED = """\
def another_array(leaf):
    # Of the same shape, dtype and weak type, and of another value where it has any.
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.key(1) if (leaf == jax.random.key(0)).all() else jax.random.key(0)
    if leaf.weak_type:
        return jnp.asarray(leaf.dtype.type(leaf != 1).item())
    return jax.device_put((np.asarray(leaf) != 1).astype(leaf.dtype))

def changed(value):
    return jtu.tree_map(another_array, value)
"""


_ANY = pool(_LEAVES)


@st.composite
def state_values(draw: st.DrawFn, *, max_leaves: int = 2) -> Recipe:
    """Draw an initial state: a PyTree of values that `jnp.asarray` accepts.

    Args:
        max_leaves: leaf budget, at least 1; default 2.
    """
    scope = Scope()
    options = {"kinds": _KINDS, "max_leaves": max_leaves, "alias": False}
    return scope.recipe(draw_tree(draw, scope, leaves=_ANY, **options))


def _mismatch(aspect: str, first: str, second: str) -> tuple[Recipe, Recipe]:
    texts = (text.replace("#", "jax.device_put") for text in (first, second))
    one, other = (Recipe((), (), text, frozenset((f"mismatch:{aspect}",))) for text in texts)
    return one, other


# Weak types are left out: the documents speak of structure, shape and dtype.
_MISMATCHES: tuple[tuple[Recipe, Recipe], ...] = (
    _mismatch("shape", "#(np.float32([1, 2]))", "#(np.float32([1, 2, 3]))"),
    _mismatch("shape", "#(np.float32(1))", "#(np.float32([1, 2]))"),
    _mismatch("shape", "#(np.zeros((0, 3), np.float32))", "#(np.float32([1, 2]))"),
    _mismatch("shape", "[#(np.int32([3, 4]))]", "[#(np.int32([3]))]"),
    _mismatch("dtype", "#(np.float32([1, 2]))", "#(np.int32([1, 2]))"),
    _mismatch("dtype", "#(np.float32([1, 2]))", "#(np.asarray([1, 2], jnp.bfloat16))"),
    _mismatch("dtype", "#(np.array([True]))", "#(np.int32([1]))"),
    _mismatch("dtype", "#(np.float32([1, 2]))", "#(np.complex64([1, 2]))"),
    _mismatch("dtype", "jax.random.key(0)", "#(np.uint32(0))"),
    _mismatch("structure", "#(np.float32([1, 2]))", "(#(np.float32([1, 2])),)"),
    _mismatch("structure", "(#(np.float32([1, 2])),)", "[#(np.float32([1, 2]))]"),
    _mismatch("structure", "(#(np.float32(1)), #(np.float32(1)))", "(#(np.float32(1)),)"),
    _mismatch("structure", "{'a': #(np.float32(1))}", "{'b': #(np.float32(1))}"),
    _mismatch("structure", "#(np.float32(1))", "None"),
    _mismatch("structure", "()", "None"),
    _mismatch("structure", "{}", "[]"),
)


@st.composite
def mismatches(draw: st.DrawFn) -> tuple[Recipe, Recipe]:
    """Draw two values of different structures, shapes or dtypes.

    Features: `mismatch:structure`, `mismatch:shape`, `mismatch:dtype`.
    """
    one, other = _MISMATCHES[draw(st.integers(0, len(_MISMATCHES) - 1))]
    return (other, one) if draw(st.booleans()) else (one, other)


def values_for(kind: Kind, values: st.SearchStrategy[Recipe]) -> st.SearchStrategy[Recipe]:
    """Return the strategy of recipes of a kind with drawn values as its children."""

    @st.composite
    def filled(draw: st.DrawFn) -> Recipe:
        scope = Scope()
        scope.define(*kind.definitions)
        scope.note(kind.name, *kind.features)
        return scope.recipe(kind.text([scope.include(draw(values)) for _ in range(kind.arity)]))

    return filled()
