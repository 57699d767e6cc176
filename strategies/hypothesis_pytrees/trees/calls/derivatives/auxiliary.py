"""Derivatives of functions that return aux data beside their result, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import COMPARABLE, pool
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .ways import REAL, TOTAL, number_tree

# By name: how to get what a transformation gives for `first`, and for `function`, which returns
# aux data beside; of the latter, a pair whose second part is the aux data.
_AUX_WAYS = (
    ("grad", "lib.grad(first)(tree)", "lib.grad(function, has_aux=True)(tree)"),
    (
        "value-and-grad",
        "lib.value_and_grad(first)(tree)",
        (
            "(lambda pair, slope: ((pair[0], slope), pair[1]))"
            "(*lib.value_and_grad(function, has_aux=True)(tree))"
        ),
    ),
    *(
        (name, f"lib.{name}(first)(tree)", f"lib.{name}(function, has_aux=True)(tree)")
        for name in ("jacfwd", "jacrev", "jacobian", "hessian")
    ),
    (
        "jvp",
        "lib.jvp(first, (tree,), (tree,))",
        (
            "(lambda value, slope, aux: ((value, slope), aux))"
            "(*lib.jvp(function, (tree,), (tree,), has_aux=True))"
        ),
    ),
    (
        "vjp",
        "(lambda value, pull: (value, pull(value)))(*lib.vjp(first, tree))",
        (
            "(lambda value, pull, aux: ((value, pull(value)), aux))"
            "(*lib.vjp(function, tree, has_aux=True))"
        ),
    ),
    (
        "linearize",
        "(lambda value, push: (value, push(tree)))(*lib.linearize(first, tree))",
        (
            "(lambda value, push, aux: ((value, push(tree)), aux))"
            "(*lib.linearize(function, tree, has_aux=True))"
        ),
    ),
    (
        "forward-and-backward",
        (
            "(lambda forward, backward: (lambda value, rest: (value, backward(rest, value)))"
            "(*forward(tree)))(*jax.fwd_and_bwd(first, 0, jitted=False))"
        ),
        (
            "(lambda forward, backward: (lambda value, rest, aux: "
            "((value, backward(rest, value)), aux))(*forward(tree)))"
            "(*lib.fwd_and_bwd(function, 0, has_aux=True, jitted=False))"
        ),
    ),
)
_AUX_KINDS: Sequence[Kind] = tuple(
    way(name, f"({plain}, {with_aux})".replace("lib.fwd", "jax.fwd"))
    for name, plain, with_aux in _AUX_WAYS
)


@st.composite
def with_aux_data(draw: st.DrawFn) -> Recipe:
    """Bind `run`, which gives what a library computes without aux data, and the same with it.

    The latter is a pair of the derivative and the aux data, which are `(aux, of the argument)`.
    Features: `aux:object` if a leaf is neither an array nor a number.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(_AUX_KINDS)))
    scope.define(TOTAL)
    scope.note(*drawn.features)
    # A Python number has no dtype for its tangent, which is the same number here.
    scope.bind("tree", f"[{number_tree(draw, scope, REAL, 2)}, np.float32([1.0, 3.0])]")
    leaves = pool(tuple(kind for kind in COMPARABLE if "leaf:big-int" not in kind.features))
    before = set(scope.features)
    aux = draw_tree(draw, scope, leaves=leaves, kinds=CONTAINERS, max_leaves=3)
    if {"leaf-is:object", "leaf-is:key"} & (scope.features - before):
        scope.note("aux:object")
    scope.bind("aux", aux)
    scope.bind("first", "derivable_total")
    scope.bind("function", "lambda tree: (first(tree), (aux, first(tree) + 1))")
    plain, with_aux = next(one[1:] for one in _AUX_WAYS if f"way:{one[0]}" in drawn.features)
    scope.bind("plain", f"lambda lib: {plain}")
    scope.bind("run", f"lambda lib: {with_aux}")
    return scope.recipe()
