"""Inputs of node laws: instances to copy, compile, map over or compare."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.prior_operations import has_prior_operation
from hypothesis_pytrees.core.recipe import Scope
from hypothesis_pytrees.leaves.leaves import COMPARABLE, JAX_ARRAYS, arrays, pool, real_arrays
from hypothesis_pytrees.trees.predicates import predicates
from treelaws.core.rejection import REPLACED_LEAVES
from treelaws.core.subject import Subject

_TEXT_OUT = """\
def without_text(tree):
    # jit takes numbers and arrays alone; a tree of them stays as it is.
    def bad(leaf):
        numbers = (bool, int, float, complex, np.generic, np.ndarray, jax.Array)
        return isinstance(leaf, str) or not isinstance(leaf, numbers)

    if not any(map(bad, jtu.tree_leaves(tree))):
        return tree
    return jtu.tree_map(lambda leaf: np.float32(1) if bad(leaf) else leaf, tree)
"""
_FUNCTIONS_OUT = """\
def without_functions(tree):
    # A copy of a compiled function is another function; a tree without functions stays as it is.
    def bad(leaf):
        return callable(leaf) and not isinstance(leaf, type)

    if not any(map(bad, jtu.tree_leaves(tree))):
        return tree
    return jtu.tree_map(lambda leaf: 'function' if bad(leaf) else leaf, tree)
"""
_SIZED_ONLY = """\
def with_axis_of_two(tree):
    # vmap and scan take leaves with an axis to map; a tree of such leaves stays as it is.
    def good(leaf):
        return np.shape(leaf)[:1] == (2,)

    if all(map(good, jtu.tree_leaves(tree))):
        return tree
    # An axis before those of each leaf, so that shapes which a node wants to agree still do.
    two = lambda leaf: jax.device_put(np.ones((2, *np.shape(leaf)), np.float32))
    return jtu.tree_map(two, tree)
"""
_REAL = """\
def with_real_leaves(tree):
    # jax.grad takes floating leaves only; a tree of such leaves stays as it is.
    def good(leaf):
        return isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jnp.floating)

    if all(map(good, jtu.tree_leaves(tree))):
        return tree
    one = lambda leaf: jax.device_put(np.ones(np.shape(leaf), np.float32))
    return jtu.tree_map(lambda leaf: leaf if good(leaf) else one(leaf), tree)
"""
_SOME_REAL = """\
def with_some_real_leaves(tree):
    # JAX has no jacobian of a tree without leaves; beside such a tree stands an array.
    tree = with_real_leaves(tree)
    return tree if jtu.tree_leaves(tree) else [tree, jax.device_put(np.float32(1))]
"""
_SIZED = pool(tuple(kind for kind in JAX_ARRAYS if kind.name == "leaf" and "[" in kind.template))


def _copiable(kind: Any) -> bool:
    tags = {feature.rpartition(":")[2] for feature in kind.features}
    return not tags & {"object", "abstract", "unpicklable"} or bool(
        tags & {"str", "empty-str", "enum", "type", "slice", "frozenset", "str-array"}
    )


_COPIABLE = pool(tuple(kind for kind in COMPARABLE if _copiable(kind)))


def instances(subject: Subject, **options: Any) -> st.SearchStrategy[Recipe]:
    """Draw an instance of the subject's node type, with a history.

    Args:
        subject: a node subject.
        options: options of `hypothesis_pytrees.trees`; `history` is on by default.
    """
    assert subject.instances is not None, f"{subject.name} is not a node subject"
    return subject.instances(**{"history": True, **options})


def with_predicate(subject: Subject) -> st.SearchStrategy[Recipe]:
    """Bind `tree`, an instance, and `is_leaf`, a predicate that may name nodes of it.

    The predicate is drawn for the nodes of the tree, so a tree whose history raises is left out.
    """
    return predicates(instances(subject).filter(_builds))


def _builds(recipe: Recipe) -> bool:
    if not has_prior_operation(recipe.features):
        return True
    # A copy or a pickle may raise any error; the laws of copies report it.
    try:
        recipe.build()
    except Exception:
        return False
    return True


def copiable(subject: Subject, *without: str, **options: Any) -> st.SearchStrategy[Recipe]:
    """Bind `node`: an instance whose leaves have copies that compare equal to them.

    Objects without equality are left out, and functions, since many cannot be pickled.

    Args:
        subject: a node subject.
        without: features of nodes that are left out, without their prefix.
        options: options of `hypothesis_pytrees.trees`.
    """
    drawn = instances(subject, leaves=_COPIABLE, **options)
    return _free_of(_through(drawn, "without_functions", _FUNCTIONS_OUT), without)


@st.composite
def of_leaves(draw: st.DrawFn, subject: Subject) -> Recipe:
    """Bind `node` and `other`: two fresh instances whose children are all leaves.

    Feature `pair:two-types` if their classes differ.
    """
    flat = instances(subject, kinds=(), alias=False, max_leaves=3, history=False)
    one = draw(flat)
    others = [draw(flat) for _ in range(3)]
    # With many types, two draws rarely have the same type: two thirds of the pairs search for one.
    if draw(st.sampled_from((True, True, False))):
        others = [other for other in others if _called(other) == _called(one)] or [one]
    scope = Scope()
    scope.bind("node", one)
    scope.bind("other", others[0])
    if _called(one) != _called(others[0]):
        scope.note("pair:two-types")
    return scope.recipe()


def _called(recipe: Recipe) -> str:
    return recipe.expression.partition("(")[0]


def _free_of(
    strategy: st.SearchStrategy[Recipe], without: tuple[str, ...]
) -> st.SearchStrategy[Recipe]:
    names = {f"{prefix}:{tag}" for tag in without for prefix in ("node", "module")}
    return strategy.filter(lambda recipe: not names & recipe.features)


def of_arrays(subject: Subject, *, history: bool = False) -> st.SearchStrategy[Recipe]:
    """Bind `node`: a small instance that `jit` accepts; other leaves are replaced by arrays."""
    small = instances(subject, leaves=arrays(), max_leaves=3, alias=False, history=history)
    return _through(small, "without_text", _TEXT_OUT)


def of_sized_arrays(subject: Subject) -> st.SearchStrategy[Recipe]:
    """Bind `node`: a small instance whose leaves have a leading axis of size 2."""
    small = instances(subject, leaves=_SIZED, max_leaves=3, alias=False)
    return _through(small, "with_axis_of_two", _SIZED_ONLY)


def of_real_arrays(subject: Subject) -> st.SearchStrategy[Recipe]:
    """Bind `node`: a small instance of real floating arrays, which `grad` accepts."""
    return _through(_small(subject), "with_real_leaves", _REAL)


def of_some_real_arrays(subject: Subject) -> st.SearchStrategy[Recipe]:
    """Bind `node`: as `of_real_arrays`, but in a list with an array if it has no leaves."""
    return _through(_small(subject), "with_some_real_leaves", _REAL, _SOME_REAL)


def _small(subject: Subject) -> st.SearchStrategy[Recipe]:
    return instances(subject, leaves=real_arrays(), max_leaves=3, alias=False)


@st.composite
def _through(
    draw: st.DrawFn, strategy: st.SearchStrategy[Recipe], function: str, *definitions: str
) -> Recipe:
    scope = Scope()
    scope.define(*definitions)
    scope.bind("node", f"{function}({scope.include(draw(strategy))})")
    scope.note(REPLACED_LEAVES)
    return scope.recipe()
