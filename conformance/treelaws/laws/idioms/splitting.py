"""Idioms: splitting a tree whose leaves all have the same type."""

from __future__ import annotations

import functools
import operator

import jax
import jax.tree_util as jtu
from hypothesis import reject, strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves, trees
from hypothesis_pytrees.trees.positions import bind_tree
from hypothesis_pytrees.trees.selectors import draw_where
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws.equinox.filter import (
    a_path_picks_one_position,
    a_prefix_spec_is_its_broadcast,
    an_identity_picks_every_alias,
)

from ._idiom import Idiom, Problem, Text

law = Topic("recipes.splitting", "Idioms: splitting leaves of the same type", family="equinox")
_FROZEN = "https://docs.kidger.site/equinox/examples/frozen_layer/"
_FILTER = "https://docs.kidger.site/equinox/api/manipulation/#equinox.filter"
# "the identity of an object doesn't matter ... Only its value matters"
_FAQ = "https://docs.kidger.site/equinox/faq/#how-to-share-a-layer-across-two-parts-of-a-model"
_ISSUES = "https://github.com/patrick-kidger/equinox/issues"
_TREES = trees(leaves(hostile=True), history=True)


@st.composite
def _paths(draw: st.DrawFn, subtrees: bool = False) -> Recipe:
    """Bind `tree`, `where` and the `positions` of the selected leaves, one or more a target."""
    scope = Scope()
    tree = bind_tree(draw, scope, _TREES)
    where = draw_where(draw, scope, tree, subtrees=subtrees, positions=False, extend=True)
    positions: list[int] = []
    for place in where.targets:
        count = len(jtu.tree_leaves(place.node))
        if not count:
            reject()
        positions += range(place.leaf_order, place.leaf_order + count)
    scope.bind("positions", repr(positions))
    return scope.recipe()


@law(
    "a spec of `False` with `True` put at a path by `tree_at` splits off exactly the leaves at "
    "that path",
    source=_FROZEN,
    needs={"partition", "combine", "tree_at"},
    case=_paths(subtrees=True),
)
def spec_by_tree_at_splits_any_tree(lib, case):
    """For every tree and path, to a leaf or to a subtree, even if leaves are equal or identical."""
    chosen, rest = lib.partition(case.tree, _spec(lib, case))
    same(chosen, _picked(case.tree, case.positions), identical=True)
    others = set(range(len(jtu.tree_leaves(case.tree)))) - set(case.positions)
    same(rest, _picked(case.tree, others), identical=True)


@law(
    "one spec splits every tree of its structure, whatever the leaves are",
    source=_FILTER,
    needs={"filter", "tree_at"},
    case=_paths(),
    parents=[spec_by_tree_at_splits_any_tree],
)
def spec_splits_every_tree_of_its_structure(lib, case):
    """The spec can be made once and used before and after each update."""
    spec = _spec(lib, case)
    other = jtu.tree_map(lambda _: object(), case.tree)
    same(lib.filter(other, spec), _picked(other, case.positions), identical=True)


@law(
    "`filter` with `leaf is chosen` picks one position if no object stands at two positions",
    source=f"{_ISSUES}/651",
    level="should",
    needs={"filter"},
    case=_paths(),
)
def identity_predicate_splits_trees_without_aliases(lib, case):
    """The leaves are new objects: no interned number or string, no array at two positions."""
    tree = jtu.tree_map(lambda _: object(), case.tree)
    chosen = jtu.tree_leaves(tree)[case.positions[0]]
    got = lib.filter(tree, lambda leaf: leaf is chosen)
    same(got, _picked(tree, case.positions[:1]), identical=True)


@law(
    "`filter` with `leaf is chosen` finds nothing after the leaves were replaced",
    source=_FAQ,
    level="should",
    needs={"filter"},
    case=_paths(),
)
def identity_predicate_finds_nothing_after_an_update(lib, case):
    """A failure of the idiom: after each update the leaves are new objects."""
    chosen = jtu.tree_leaves(case.tree)[case.positions[0]]
    updated = jtu.tree_map(lambda _: object(), case.tree)
    same(lib.filter(updated, lambda leaf: leaf is chosen), _picked(updated, ()))


@law(
    "inside a trace, `filter` by the identity of an outer array finds nothing",
    source="https://docs.jax.dev/en/latest/tracing.html",
    level="should",
    needs={"filter", "partition", "combine"},
    case=_paths(),
)
def identity_predicate_finds_no_array_in_a_trace(lib, case):
    """A failure of the idiom: inside a trace the arrays are tracers."""
    arrays, rest = lib.partition(case.tree, lambda leaf: isinstance(leaf, jax.Array))

    def traced(inside):
        tree = lib.combine(inside, rest)
        for outer in jtu.tree_leaves(arrays):
            found = lib.filter(tree, functools.partial(operator.is_, outer))
            same(found, _picked(tree, ()))

    jax.eval_shape(traced, arrays)


def _spec(lib, case):
    nothing = jtu.tree_map(lambda _: False, case.tree)
    return lib.tree_at(case.where, nothing, replace_fn=lambda _: True)


def _picked(tree, positions):
    """Replace the leaves at all other positions by `None`."""
    flat, structure = jtu.tree_flatten(tree)
    kept = [leaf if index in positions else None for index, leaf in enumerate(flat)]
    return jtu.tree_unflatten(structure, kept)


_MODEL = """\
class Three(eqx.Module):
    one: jax.Array
    two: jax.Array
    three: jax.Array


"""
PROBLEM = Problem(
    "Splitting a tree whose leaves all have the same type",
    "Three fields hold floating arrays. A predicate such as eqx.is_inexact_array cannot tell them"
    " apart. How do you choose one of them, to train it or to freeze it?",
    tuple(f"{_ISSUES}/{number}" for number in (651, 1176, 908, 866, 31, 824)),
    (
        Idiom(
            "A spec of bools, set by path with tree_at",
            "holds",
            "Choose this one: it selects by position and never by value. Make the spec once; it"
            " stays valid for every later state of the model.",
            (
                spec_by_tree_at_splits_any_tree,
                spec_splits_every_tree_of_its_structure,
                a_path_picks_one_position,
            ),
            Text(
                "Three equal arrays, two of them the same object",
                _MODEL
                + """\
x = jnp.ones(2)
model = Three(x, x, jnp.ones(2))
spec = jtu.tree_map(lambda _: True, model)
spec = eqx.tree_at(lambda m: m.two, spec, False)
trained, frozen = eqx.partition(model, spec)
assert trained.one is x and trained.two is None and frozen.two is x
""",
            ),
        ),
        Idiom(
            "A nested Module for parts that belong together, and one bool for it",
            "holds",
            "If parts are always chosen together, put them into a Module: one bool in the spec then"
            " selects everything below it.",
            (a_prefix_spec_is_its_broadcast,),
            Text(
                "A spec of two bools",
                """\
class Part(eqx.Module):
    weight: jax.Array
    bias: jax.Array


class Whole(eqx.Module):
    encoder: Part
    head: Part


model = Whole(Part(jnp.ones(2), jnp.zeros(2)), Part(jnp.ones(2), jnp.zeros(2)))
trained, frozen = eqx.partition(model, Whole(False, True))
assert trained.head.bias is model.head.bias and trained.encoder.bias is None
""",
            ),
        ),
        Idiom(
            "A predicate by identity, `leaf is not model.two`",
            "holds in part",
            "It holds only if no object is in the tree twice, outside every transformation, and for"
            " this one state of the model. Use a path instead.",
            (
                identity_predicate_splits_trees_without_aliases,
                an_identity_picks_every_alias,
                identity_predicate_finds_nothing_after_an_update,
                identity_predicate_finds_no_array_in_a_trace,
            ),
            None,
            (
                Text(
                    "An array that is in the tree twice is dropped twice",
                    _MODEL
                    + """\
x = jnp.ones(2)
model = Three(x, x, jnp.ones(2))
trained = eqx.filter(model, lambda leaf: leaf is not model.two)
assert trained.one is not None
""",
                    "AssertionError",
                ),
                Text(
                    "Equal small numbers are the same object at every position",
                    """\
model = {'depth': 2, 'width': 2}
kept = eqx.filter(model, lambda leaf: leaf is not model['width'])
assert kept['depth'] == 2
""",
                    "AssertionError",
                ),
                Text(
                    "Inside jit the leaves are tracers: nothing is frozen, without an error",
                    _MODEL
                    + """\
model = Three(jnp.ones(2), jnp.ones(2), jnp.ones(2))


@eqx.filter_jit
def trained(traced):
    return eqx.filter(traced, lambda leaf: leaf is not model.two)


assert trained(model).two is None
""",
                    "AssertionError",
                ),
                Text(
                    "After one update the model holds other objects",
                    _MODEL
                    + """\
model = Three(jnp.ones(2), jnp.ones(2), jnp.ones(2))
updated = jtu.tree_map(lambda leaf: leaf + 1, model)
assert eqx.filter(updated, lambda leaf: leaf is not model.two).two is None
""",
                    "AssertionError",
                ),
            ),
        ),
        Idiom(
            "A predicate by membership, `leaf not in frozen`",
            "fails",
            "`in` compares with ==, which JAX computes element by element. Use a path instead.",
            (),
            None,
            (
                Text(
                    "Arrays of several elements have no truth value",
                    """\
frozen = [jnp.ones(2)]
model = [jnp.zeros(2), frozen[0]]
eqx.filter(model, lambda leaf: eqx.is_array(leaf) and leaf not in frozen)
""",
                    "ValueError",
                ),
                Text(
                    "Every array of one element that equals a frozen one is frozen too",
                    """\
frozen = [jnp.ones(1)]
model = [jnp.ones(1), frozen[0]]
trained = eqx.filter(model, lambda leaf: eqx.is_array(leaf) and leaf not in frozen)
assert trained[0] is not None
""",
                    "AssertionError",
                ),
            ),
        ),
    ),
)
