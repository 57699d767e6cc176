"""Inputs of node laws: instances to copy, compile, map over or compare."""

from __future__ import annotations

import functools
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.core.prior_operations import has_prior_operation
from hypothesis_pytrees.core.recipe import Scope
from hypothesis_pytrees.leaves.leaves import COMPARABLE, arrays, pool, real_arrays
from hypothesis_pytrees.trees.predicates import predicates
from treelaws.core.conditions import Condition, meeting, met
from treelaws.core.rejection import REPLACED_LEAVES
from treelaws.core.subject import Subject

from ._conditions import accepts_the_shapes_of_derivatives, applying, has_real_leaves
from ._copying import (
    deepcopy_keeps_the_structure,
    has_the_same_functions_when_rebuilt,
    pickle_keeps_the_structure,
)

_TEXT_OUT = """\
def without_text(tree):
    # jit takes numbers and arrays only; a tree of them stays as it is.
    def bad(leaf):
        if isinstance(leaf, jax.Array):
            return False
        if not isinstance(leaf, (bool, int, float, complex, np.generic, np.ndarray)):
            return True
        try:
            jnp.asarray(leaf)
        except (TypeError, OverflowError):  # An array of text, an integer of 65 bits.
            return True
        return False

    if not any(map(bad, jtu.tree_leaves(tree))):
        return tree
    return jtu.tree_map(lambda leaf: np.float32(1) if bad(leaf) else leaf, tree)
"""
_REAL = """\
def with_arrays(tree):
    # Real numbers become arrays of JAX, as large and with the same values; a tree of arrays stays.
    def real(leaf):
        kinds = (float, np.ndarray, np.generic)
        return isinstance(leaf, kinds) and jnp.issubdtype(np.asarray(leaf).dtype, jnp.floating)

    if not any(map(real, jtu.tree_leaves(tree))):
        return tree
    return jtu.tree_map(lambda leaf: jnp.asarray(leaf) if real(leaf) else leaf, tree)
"""
_SOME_REAL = """\
def with_a_leaf(tree):
    # JAX has no jacobian of a tree without leaves; beside such a tree stands an array.
    tree = with_arrays(tree)
    return tree if jtu.tree_leaves(tree) else [tree, jax.device_put(np.float32(1))]
"""


def _copiable(kind: Any) -> bool:
    tags = {feature.rpartition(":")[2] for feature in kind.features}
    return not tags & {"object", "abstract", "unpicklable"} or bool(
        tags & {"str", "empty-str", "enum", "type", "slice", "frozenset", "str-array"}
    )


_COPIABLE = pool(tuple(kind for kind in COMPARABLE if _copiable(kind)))


def instances(subject: Subject, **options: Any) -> st.SearchStrategy[Recipe]:
    """Draw an instance of the subject's node type, with a history.

    A copy or a pickle in the history is left out if it fails or has another structure than the
    original; the laws of copies report that.

    Args:
        subject: a node subject.
        options: options of `hypothesis_pytrees.trees`; `history` is on by default.
    """
    assert subject.instances is not None, f"{subject.name} is not a node subject"
    drawn = subject.instances(**{"history": True, **options})
    return drawn.filter(functools.partial(_copied_faithfully, subject))


def _copied_faithfully(subject: Subject, recipe: Recipe) -> bool:
    if "history:deepcopy" in recipe.features:
        return met(subject, deepcopy_keeps_the_structure, recipe)
    if recipe.features & {"history:pickle", "history:map-pickle"}:
        return met(subject, pickle_keeps_the_structure, recipe)
    return True


def built_alike(subject: Subject, **options: Any) -> st.SearchStrategy[Recipe]:
    """Bind `node`: an instance that a second build gives the same functions as static values.

    Args:
        subject: a node subject.
        options: options of `hypothesis_pytrees.trees`.
    """
    drawn = cases(node=instances(subject, **options))
    return meeting(drawn, subject, has_the_same_functions_when_rebuilt)


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


def copiable(subject: Subject, *conditions: Condition, **options: Any) -> st.SearchStrategy[Recipe]:
    """Bind `node`: an instance whose drawn leaves have copies that compare equal to them.

    Args:
        subject: a node subject.
        conditions: which parts of the instance can be copied by themselves.
        options: options of `hypothesis_pytrees.trees`.
    """
    drawn = cases(node=instances(subject, leaves=_COPIABLE, **options))
    return meeting(drawn, subject, *conditions)


@st.composite
def of_leaves(draw: st.DrawFn, subject: Subject) -> Recipe:
    """Bind `node` and `other`: two fresh instances whose children are all leaves.

    Features: `pair:two-types` if their classes differ, else `pair:treedef-and-other` if the aux
    data of one alone is a treedef.
    """
    flat = _flat(subject)
    one, other = draw(flat), draw(flat)
    # With many types, two draws rarely have the same type: two thirds of the pairs have one.
    if draw(st.sampled_from((True, True, False))):
        other = draw(_flat(subject, _called(one)))
    scope = Scope()
    scope.bind("node", one)
    scope.bind("other", other)
    if _called(one) != _called(other):
        scope.note("pair:two-types")
    elif len({"node:aux-treedef" in found.features for found in (one, other)}) == 2:
        scope.note("pair:treedef-and-other")
    return scope.recipe()


@functools.lru_cache(maxsize=1024)
def _flat(subject: Subject, name: str = "") -> st.SearchStrategy[Recipe]:
    """Draw an instance whose children are all leaves.

    Args:
        subject: a node subject.
        name: the class; default any. If no kind makes an instance of it, another one does.
    """
    options: dict[str, Any] = {"kinds": (), "alias": False, "max_leaves": 3, "history": False}
    every = getattr(subject.instances, "keywords", {}).get("roots", ())
    roots = tuple(kind for kind in every if name and kind.template.partition("(")[0] == name)
    return instances(subject, **options, **({"roots": roots} if roots else {}))


def _called(recipe: Recipe) -> str:
    return recipe.expression.partition("(")[0]


def of_arrays(
    subject: Subject, *conditions: Condition, history: bool = True
) -> st.SearchStrategy[Recipe]:
    """Bind `node`: a small instance that `jit` accepts; other leaves are replaced by a number.

    Args:
        subject: a node subject.
        conditions: what the instance must meet.
        history: also draw what was done to the instance before; default `True`.
    """
    small = instances(subject, leaves=arrays(), max_leaves=3, alias=False, history=history)
    drawn = _through(small, "without_text", _TEXT_OUT)
    asked = applying(subject, *conditions)
    return meeting(drawn, subject, *asked) if asked else drawn


def of_real_arrays(subject: Subject) -> st.SearchStrategy[Recipe]:
    """Bind `node`: a small instance of real floating arrays, which `grad` accepts."""
    return meeting(_through(_small(subject), "with_arrays", _REAL), subject, has_real_leaves)


def of_shapeless_real_arrays(subject: Subject) -> st.SearchStrategy[Recipe]:
    """Bind `node`: an instance of real floating arrays that accepts arrays of more dimensions.

    An instance without leaves stands in a list with an array.
    """
    drawn = _through(_small(subject), "with_a_leaf", _REAL, _SOME_REAL)
    asked = applying(subject, has_real_leaves, accepts_the_shapes_of_derivatives)
    return meeting(drawn, subject, *asked)


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
