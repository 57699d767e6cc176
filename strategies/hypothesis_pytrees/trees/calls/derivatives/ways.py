"""Derivatives of functions of trees, as text: functions, leaves, and what differentiates them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Scope
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

TOTAL = """\
def derivable_total(tree):
    # Squares of small numbers, whose sums and products are exact.
    return sum((jnp.sum(jnp.asarray(leaf) ** 2) for leaf in jtu.tree_leaves(tree)), jnp.float32(0))
"""
NUMBER = """\
def derivable_number(*trees):
    totals = [derivable_total(tree) for tree in trees]
    return sum((place * total for place, total in enumerate(totals, 1)), totals[0] * totals[-1])
"""


def points(*texts: tuple[str, str]) -> tuple[Kind, ...]:
    return tuple(Kind("leaf", text, (), (f"leaf:{name}",)) for name, text in texts)


REAL = points(
    ("float32", "jax.device_put(np.float32([1.0, 2.0]))"),
    ("float32-scalar", "jax.device_put(np.float32(3.0))"),
    ("numpy-float32", "np.float32([[1.0, -1.0]])"),
    ("numpy-scalar", "np.float32(2.0)"),
    ("python-number", "2.0"),
    ("empty", "jax.device_put(np.zeros((2, 0), np.float32))"),
)

# Functions of JAX that transform a function; those of the first row ask for a number.
OF_NUMBERS: Sequence[Kind] = (
    way("grad", "lib.grad"),
    way("value-and-grad", "lib.value_and_grad"),
)
JACOBIANS: Sequence[Kind] = (
    way("jacfwd", "lib.jacfwd"),
    way("jacrev", "lib.jacrev"),
    way("jacobian", "lib.jacobian"),
)
# Functions of `jax.experimental.sparse`, which for dense arrays are those of JAX.
_SPARSE = "import jax.experimental.sparse"
SPARSE: Sequence[Kind] = tuple(
    way(name.replace("_", "-"), f"lib.experimental.sparse.{name}", _SPARSE)
    for name in ("grad", "value_and_grad", "jacfwd", "jacrev")
)
SPARSE_OF_NUMBERS = SPARSE[:2]
BACKWARD = JACOBIANS[1:]
HESSIAN = way("hessian", "lib.hessian")


def asks_for_a_number(drawn: Kind) -> bool:
    return drawn in (*OF_NUMBERS, *SPARSE_OF_NUMBERS)


def bind_derivative(scope: Scope, drawn: Kind) -> None:
    scope.define(*drawn.definitions, TOTAL, NUMBER)
    scope.note(*drawn.features)
    scope.bind("derive", f"lambda lib: {drawn.template}")
    scope.bind(
        "plain", drawn.template.replace("lib.experimental.sparse.", "lib.").replace("lib.", "jax.")
    )
    # What a transformation gives holds the derivative.
    scope.bind(
        "slope", "lambda found: found" + ("[1]" if "way:value-and-grad" in drawn.features else "")
    )


def number_tree(draw: st.DrawFn, scope: Scope, leaves: Sequence[Kind], most: int) -> str:
    return draw_tree(
        draw, scope, leaves=pool(tuple(leaves)), kinds=CONTAINERS, max_leaves=most, alias=False
    )
