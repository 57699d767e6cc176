"""Functions of one tree of real, integer or complex numbers, and their derivatives, as text."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.trees.positions import names_of

from .arguments import by_arguments
from .ways import (
    HESSIAN,
    REAL,
    SPARSE,
    SPARSE_OF_NUMBERS,
    asks_for_a_number,
    bind_derivative,
    number_tree,
    points,
)

_INTEGERS = points(
    ("int32", "jax.device_put(np.int32([3, 1]))"),
    ("int32-scalar", "jax.device_put(np.int32(2))"),
    ("uint8", "jax.device_put(np.uint8([[1, 2]]))"),
    ("bool", "jax.device_put(np.array([True, False]))"),
    ("numpy-int32", "np.int32([1, 2])"),
    ("int", "3"),
    ("true", "True"),
)
_COMPLEX = points(
    ("complex64", "jax.device_put(np.complex64([1 + 2j, 3]))"),
    ("complex64-scalar", "jax.device_put(np.complex64(2j))"),
    ("numpy-complex64", "np.complex64([[1 - 1j]])"),
    ("complex", "2j"),
)


@st.composite
def of_integers(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Bind `tree`, of numbers of which some are integers or booleans, and `function`, a sum.

    `result` is what the function gives for the sum of squares: the sum, or a vector of multiples,
    whose factors are `factors`. Feature: `derived:integers` if there is an integer.

    Args:
        ways: the transformations, as text that names `lib`.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(ways)))
    bind_derivative(scope, drawn)
    scope.bind("tree", number_tree(draw, scope, (*REAL, *_INTEGERS), 4))
    leaves = jtu.tree_leaves(names_of(scope)["tree"])
    if not leaves:
        scope.rebind("tree", "[tree, np.float32(2.0)]")
    if any(not hasattr(leaf, "dtype") or leaf.dtype.kind in "iub" for leaf in leaves):
        scope.note("derived:integers")
    scope.bind("args", "(tree,)")
    scope.bind("options", "dict(allow_int=True)")
    numbers = ("1.0",) if asks_for_a_number(drawn) else ("1.0", "[1.0, 2.0]", "[[3.0]]")
    scope.bind("factors", f"np.float32({draw(st.sampled_from(numbers))})")
    scope.bind("function", "lambda tree: derivable_total(tree) * factors")
    return scope.recipe()


@st.composite
def products(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Bind `tree`, `weights`, a tree, and `function`, which gives each weight times half a sum.

    The sum is that of the squares in `tree`; `options` hold `holomorphic` if they are complex.
    Features: `tree:leafless`, `weights:leafless`, `result:tree`, `derived:holomorphic`.

    Args:
        ways: the transformations, as text that names `lib`.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(ways)))
    bind_derivative(scope, drawn)
    holomorphic = draw(st.booleans())
    leaves, number = (_COMPLEX, "np.complex64(1j)") if holomorphic else (REAL, "np.float32(2.0)")
    scope.note(*(["derived:holomorphic"] if holomorphic else []))
    scope.bind("order", "2" if drawn is HESSIAN else "1")
    scope.bind("options", f"dict(holomorphic={holomorphic})")
    scope.bind("tree", number_tree(draw, scope, leaves, 3))
    scope.bind("args", "(tree,)")
    weights = number if asks_for_a_number(drawn) else number_tree(draw, scope, leaves, 2)
    scope.bind("weights", weights)
    scope.note(*([] if jtu.all_leaves([names_of(scope)["weights"]]) else ["result:tree"]))
    for name in ("tree", "weights"):
        if not jtu.tree_leaves(names_of(scope)[name]):
            scope.note(f"{name}:leafless")
    half = f"jnp.asarray(derivable_total(tree) / 2, {number}.dtype)"
    scope.bind("function", f"lambda tree: jtu.tree_map(lambda leaf: leaf * {half}, weights)")
    return scope.recipe()


@st.composite
def sparse_derivatives(draw: st.DrawFn) -> Recipe:
    """Bind `function`, `args` and `options` of a derivative in `jax.experimental.sparse`.

    `derive` gives the transformation of a library, and `plain` is the one of JAX that it stands
    for. `named` are keyword arguments. Features: `derived:aux` with `has_aux`, `derived:keywords`
    if there are such arguments.
    """
    # What the Jacobians of JAX do with integers, without leaves and with NumPy's numbers is their
    # own matter.
    whole = products(SPARSE).filter(
        lambda recipe: not {"tree:leafless", "weights:leafless"} & recipe.features
    )
    some = by_arguments(SPARSE).filter(
        lambda recipe: not {"way:jacrev", "argnums:numpy"} <= recipe.features
    )
    drawn = st.one_of(some, of_integers(SPARSE_OF_NUMBERS), whole)
    scope = Scope()
    scope.include(draw(drawn))
    scope.bind("named", "{}")
    if draw(st.integers(0, 2)) == 0:
        scope.note("derived:keywords")
        scope.bind("unscaled", "function")
        scaled = "jtu.tree_map(lambda leaf: leaf * scale, unscaled(*given))"
        scope.rebind("function", f"lambda *given, scale: {scaled}")
        scope.rebind("named", "{'scale': jnp.float32(2.0)}")
    if draw(st.booleans()):
        scope.note("derived:aux")
        scope.bind("alone", "function")
        scope.rebind("function", "lambda *given, **named: (alone(*given, **named), [given, 2])")
        scope.rebind("options", "{**options, 'has_aux': True}")
    return scope.recipe()
