"""Equinox: `tree_equal` of traced arrays, and of any number of trees."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from treelaws.equality import equal, true

from ._functions import arrays_of, with_arrays, with_jax_arrays
from ._tree_equal_inputs import alike_arrays
from .tree_equal import EQUAL_TO_THEMSELVES, jit_gives_the_same_verdict, law

_DOCS = "https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_equal"
_TRACED = ("both", "one", "other", "nested")


@st.composite
def _traced_pairs(draw: st.DrawFn) -> Recipe:
    """Bind two trees, `traced`, which of them are traced, and whether types must match."""
    scope = Scope()
    scope.include(draw(alike_arrays()))
    traced, match = draw(st.sampled_from(_TRACED)), draw(st.booleans())
    scope.note(f"traced:{traced}", f"typematch:{match}")
    scope.bind("traced", repr(traced))
    scope.bind("match", repr(match))
    return scope.recipe()


@st.composite
def _repeats(draw: st.DrawFn) -> Recipe:
    """Bind a tuple of the same tree from no to four times."""
    scope = Scope()
    count = draw(st.integers(0, 4))
    scope.note(f"trees:{min(count, 2)}")
    scope.bind("tree", draw(trees(EQUAL_TO_THEMSELVES, max_leaves=3)))
    scope.bind("given", f"({'tree, ' * count})" if count else "()")
    return scope.recipe()


@law(
    "whichever of two trees is traced, and by which transformation, `tree_equal` gives the verdict "
    "that it gives for their arrays, also with `typematch=True`",
    # Quote: "If `typematch=True` then JAX and NumPy are not considered equal to each other."
    source=_DOCS,
    needs={"tree_equal"},
    level="observed",
    case=_traced_pairs(),
    parents=[jit_gives_the_same_verdict],
)
def traces_give_the_same_verdict(lib, case):
    one = case.one if case.traced == "other" else with_jax_arrays(case.one)
    other = case.other if case.traced == "one" else with_jax_arrays(case.other)
    wanted = bool(lib.tree_equal(one, other, typematch=case.match))
    verdict = lambda one, other: lib.tree_equal(one, other, typematch=case.match)
    equal(bool(_TRACES[case.traced](verdict, one, other)), wanted)


@law(
    "any number of equal trees are equal, also none and one",
    # Quote: "Any number of PyTrees each with any structure."
    source=_DOCS,
    needs={"tree_equal"},
    level="should",
    case=_repeats(),
)
def any_number_of_trees_is_compared(lib, case):
    got = [bool(lib.tree_equal(*case.given, typematch=match)) for match in (False, True)]
    true(all(got), got, "equal, whether types must match or not")


def _of_both(verdict, one, other):
    compare = lambda *arrays: verdict(with_arrays(one, arrays[0]), with_arrays(other, arrays[1]))
    return jax.jit(compare)(arrays_of(one), arrays_of(other))


def _of_one(verdict, one, other):
    return jax.jit(lambda arrays: verdict(with_arrays(one, arrays), other))(arrays_of(one))


def _of_other(verdict, one, other):
    return jax.jit(lambda arrays: verdict(one, with_arrays(other, arrays)))(arrays_of(other))


def _nested(verdict, one, other):
    """Map over the first tree within a compiled function of the second."""

    def compare(rows, arrays):
        inner = lambda row: jnp.asarray(verdict(with_arrays(one, row), with_arrays(other, arrays)))
        return jax.vmap(inner)(rows)[0]

    rows = [array[None] for array in arrays_of(one)]
    return jax.jit(compare)(rows, arrays_of(other))


_TRACES = {
    "both": _of_both,
    "one": _of_one,
    "other": lambda verdict, one, other: _of_one(
        lambda two, first: verdict(first, two), other, one
    ),
    "nested": _nested,
}
