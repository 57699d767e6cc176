"""Calls that get one mutable array twice, return it or carry it, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .reference_programs import INTS

_TWICE: Sequence[tuple[str, str]] = (
    ("jit", "jax.jit(lambda trees: None)(trees)"),
    ("jit-two", "jax.jit(lambda one, other: None)(trees[0], trees[1])"),
    ("scan", "jax.lax.scan(lambda held, rows: (held, None), 0, trees, length=2)"),
    ("cond", "jax.lax.cond(True, lambda trees: 1, lambda trees: 2, trees)"),
    ("switch", "jax.lax.switch(0, [lambda trees: 1, lambda trees: 2], trees)"),
    ("vmap", "jax.vmap(lambda one, other: None)(*trees)"),
    (
        "closed",
        "jax.jit(lambda tree: jtu.tree_map(lambda ref: ref[...], (tree, trees[1])))(trees[0])",
    ),
)
_RETURNED: Sequence[tuple[str, str]] = (
    ("returned-jit", "jax.jit(lambda trees: trees)(trees[0])"),
    ("returned-scan", "jax.lax.scan(lambda held, _: (held, trees[0]), 0, None, length=2)"),
    ("returned-cond", "jax.lax.cond(True, lambda trees: trees, lambda trees: trees, trees[0])"),
    ("carried-scan", "jax.lax.scan(lambda held, _: (held, 1), trees[0], None, length=2)"),
    ("carried-while", "jax.lax.while_loop(lambda held: False, lambda held: held, trees[0])"),
    ("carried-for", "jax.lax.fori_loop(0, 2, lambda _, held: held, trees[0])"),
)


@st.composite
def aliased_references(draw: st.DrawFn) -> Recipe:
    """Bind `values`, two trees of arrays, and `run`, which takes two trees that share a Ref.

    Feature: `way:<name>`, of the call that gets, returns or carries the Ref.
    """
    scope = Scope()
    kinds = (*CONTAINERS, *NODES)
    trees = [
        draw_tree(draw, scope, leaves=pool(INTS), kinds=kinds, alias=False, max_leaves=3)
        for _ in range(2)
    ]
    scope.bind("values", f"({', '.join(trees)})")
    name, text = draw(st.sampled_from((*_TWICE, *_RETURNED)))
    scope.note(f"way:{name}")
    scope.bind("run", f"lambda trees: {text}")
    return scope.recipe()
