"""Equations over trees for the solvers of JAX, as text: differential and linear ones."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree

_RATE = """\
def solvable_rate(tree):
    # Small, and different for each leaf.
    leaves = [jnp.asarray(leaf, jnp.float32) for leaf in jtu.tree_leaves(tree)]
    return sum((jnp.sum(leaf) * 0.1 * place for place, leaf in enumerate(leaves, 1)), 0.5)
"""


def _arrays(*pairs: tuple[str, str]) -> tuple[Kind, ...]:
    return tuple(Kind("leaf", text, (), (f"leaf:{name}",)) for name, text in pairs)


_FLOATS = _arrays(
    ("float32", "jax.device_put(np.float32([1.0, 2.0]))"),
    ("float32-scalar", "jax.device_put(np.float32(3.0))"),
    ("float32-matrix", "jax.device_put(np.float32([[1.0, -1.0], [0.5, 2.0]]))"),
    ("empty", "jax.device_put(np.zeros((2, 0), np.float32))"),
)
_GIVEN = (
    *_FLOATS,
    *_arrays(("numpy-float32", "np.float32([0.5, 1.0])"), ("python-number", "1.5")),
)
_INTEGERS = _arrays(
    ("int32", "jax.device_put(np.int32([1, 2]))"),
    ("uint8", "jax.device_put(np.uint8(2))"),
    ("bool", "jax.device_put(np.array([True, False]))"),
    ("int", "2"),
    ("true", "True"),
)


@st.composite
def differential_equations(draw: st.DrawFn) -> Recipe:
    """Bind `start`, `times`, `rate` and `given`, arguments of `slope`, which shrinks `start`.

    The solution is `start * exp(-time * rate_of((rate, given)))`. Feature: `args:integers`
    if there is an integer or a boolean in `given`.
    """
    scope = Scope()
    scope.define(_RATE)
    scope.bind("rate_of", "solvable_rate")
    scope.bind("start", _tree(draw, scope, _FLOATS, 3))
    if not jtu.tree_leaves(names_of(scope)["start"]):
        scope.rebind("start", "[start, jnp.float32(1.0)]")
    scope.bind("rate", _tree(draw, scope, _GIVEN[:4], 2))
    kinds = (*_GIVEN, *_INTEGERS) if draw(st.booleans()) else _GIVEN
    scope.bind("given", _tree(draw, scope, kinds, 3))
    leaves = jtu.tree_leaves(names_of(scope)["given"])
    if any(not hasattr(leaf, "dtype") and not isinstance(leaf, float) for leaf in leaves) or any(
        leaf.dtype.kind in "iub" for leaf in leaves if hasattr(leaf, "dtype")
    ):
        scope.note("args:integers")
    scope.bind("times", f"jnp.linspace(0.0, {draw(st.sampled_from(('0.5', '1.0')))}, 3)")
    scope.bind(
        "slope",
        "lambda tree, time, rate, given: "
        "jtu.tree_map(lambda leaf: -leaf * rate_of((rate, given)), tree)",
    )
    return scope.recipe()


_SPARSE = "import jax.scipy.sparse.linalg"
_SOLVERS: Sequence[Kind] = tuple(
    way(name, f"lib.scipy.sparse.linalg.{call}", _SPARSE)
    for name, call in (
        ("cg", "cg({})"),
        ("bicgstab", "bicgstab({})"),
        ("gmres", "gmres({})"),
        ("gmres-incremental", "gmres({}, solve_method='incremental')"),
    )
)
_DTYPES = ("float32", "complex64", "float16", "bfloat16")
_SHAPES = ("[1.0, 2.0]", "3.0", "[[1.0, -1.0]]", "[[], []]")


@st.composite
def linear_equations(draw: st.DrawFn) -> Recipe:
    """Bind `right` and `run`, which solves for the tree of which `right` is twice.

    Features: `dtypes:mixed` if the leaves of `right` are of several dtypes, `right:empty` if none
    has an element.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(_SOLVERS))
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    several = draw(st.booleans())
    # GMRES factorises matrices, and BiCGSTAB divides by small products: not in half precision.
    allowed = _DTYPES if "way:cg" in drawn.features else _DTYPES[:2]
    dtypes = allowed if several else (draw(st.sampled_from(allowed)),)
    leaves = [
        (f"{dtype}-{at}", f"jax.device_put(np.asarray({text}, jnp.{dtype}))")
        for dtype in dtypes
        for at, text in enumerate(_SHAPES)
    ]
    scope.bind("right", _tree(draw, scope, _arrays(*leaves), 4))
    found = jtu.tree_leaves(names_of(scope)["right"])
    if not found:
        scope.rebind("right", "(right, jnp.float32(1.0))")
    scope.note(*(["dtypes:mixed"] if len({leaf.dtype for leaf in found}) > 1 else []))
    scope.note(*(["right:empty"] if found and not any(leaf.size for leaf in found) else []))
    scope.bind("double", "lambda tree: jtu.tree_map(lambda leaf: leaf + leaf, tree)")
    first = draw(st.sampled_from(("", ", x0=right", ", M=lambda tree: tree")))
    scope.bind("run", f"lambda lib: {drawn.template.replace('{}', 'double, right' + first)}")
    return scope.recipe()


def _tree(draw: st.DrawFn, scope: Scope, leaves: Sequence[Kind], most: int) -> str:
    return draw_tree(
        draw, scope, leaves=pool(tuple(leaves)), kinds=CONTAINERS, max_leaves=most, alias=False
    )
