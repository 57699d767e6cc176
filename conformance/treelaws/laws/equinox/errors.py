"""Equinox: `error_if`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.equinox.identities import differentiated, of_any_leaves
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

from ._errors import raises_with
from ._functions import (
    energy,
    inexact_leaves,
    is_array,
    of_inexact,
    squared,
    with_jax_arrays,
    with_jax_values,
)

law = Topic("equinox.errors", "Equinox: error_if", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/errors/#equinox."
_TREE = structures(inexact=True)
_FINITE = structures(finite=True, inexact=True)


def _one_of(*texts: str) -> st.SearchStrategy[Recipe]:
    return st.sampled_from([Recipe(expression=text) for text in texts])


_FALSE = _one_of("False", "np.bool_(False)", "jnp.zeros(2, bool)", "np.zeros((2, 1), bool)")
_TRUE = _one_of("True", "np.bool_(True)", "jnp.array([False, True])", "np.ones((2, 1), bool)")


@st.composite
def _calls(draw: st.DrawFn) -> Recipe:
    """Draw conditions of calls; an error comes after a call without one, and before another one."""
    drawn = draw(st.lists(st.booleans(), max_size=3))
    conditions = [*drawn, False, True, False]
    first = "error" if conditions[0] else "no-error"
    return Recipe(expression=repr(conditions), features=frozenset({f"calls:{first}-first"}))


@law(
    "`error_if` returns its argument unchanged if the condition is false",
    source=f"{_DOCS}error_if",
    needs={"error_if"},
    case=cases(tree=_TREE, condition=_FALSE),
)
def no_error_changes_nothing(lib, case):
    wanted = with_jax_arrays(case.tree)
    same(with_jax_arrays(lib.error_if(case.tree, case.condition, "wrong")), wanted)
    compiled = lib.filter_jit(lambda tree, condition: lib.error_if(tree, condition, "wrong"))
    same(with_jax_arrays(compiled(case.tree, case.condition)), wanted)


@law(
    "`error_if` raises an error with its message if any entry of the condition is true, also under"
    " `filter_jit`",
    source=f"{_DOCS}error_if",
    needs={"error_if"},
    case=cases(tree=_TREE, condition=_TRUE),
)
def the_error_has_the_message(lib, case):
    checked = lambda tree, condition: lib.error_if(tree, condition, "has a horn")
    for call in (checked, lib.filter_jit(checked)):
        equal(raises_with("has a horn", lambda call=call: call(case.tree, case.condition)), True)


@law(
    "a compiled function with `error_if` raises in the calls whose condition is true, and in no "
    "other",
    source=f"{_DOCS}error_if",
    needs={"error_if", "filter_jit"},
    case=cases(tree=_TREE, conditions=_calls()),
    parents=(no_error_changes_nothing, the_error_has_the_message),
)
def each_call_is_checked(lib, case):
    checked = lib.filter_jit(lambda tree, condition: lib.error_if(tree, condition, "has a horn"))
    for condition in case.conditions:
        call = lambda condition=condition: checked(case.tree, jnp.array(condition))
        equal(raises_with("has a horn", call), condition)


@law(
    "under `filter_vmap`, `error_if` raises if the condition is true for any entry of the batch",
    source=f"{_DOCS}error_if",
    needs={"error_if", "filter_vmap"},
    case=cases(condition=_one_of("jnp.array([False, True])", "jnp.array([True, False, False])")),
)
def one_error_of_a_batch_is_raised(lib, case):
    checked = lib.filter_vmap(lambda one: lib.error_if(jnp.float32(1), one, "has a horn"))
    equal(raises_with("has a horn", lambda: checked(case.condition)), True)
    same(checked(case.condition & False), jnp.ones(case.condition.shape, jnp.float32))


@law(
    "`branched_error_if` raises the message of its index",
    source=f"{_DOCS}branched_error_if",
    needs={"branched_error_if"},
    case=cases(tree=_TREE, condition=_TRUE, index=_one_of("0", "1", "jnp.int32(2)")),
)
def the_index_chooses_the_message(lib, case):
    messages = ["has a horn", "has a tail", "has a mane"]
    call = lambda: lib.branched_error_if(case.tree, case.condition, case.index, messages)
    wanted = [one == int(case.index) for one in range(len(messages))]
    equal([raises_with(one, call) for one in messages], wanted)


@law(
    "gradients pass through `error_if`, which returns its argument unchanged",
    source=f"{_DOCS}error_if",
    needs={"error_if"},
    level="should",
    case=cases(tree=_FINITE),
)
def gradients_pass_through(lib, case):
    """The condition is traced, so that the check stays until the function runs."""
    checked = lambda tree: energy(lib.error_if(tree, jnp.isnan(energy(tree)), "wrong"))
    leaves = inexact_leaves(case.tree)
    got = jax.grad(of_inexact(checked, case.tree))(leaves)
    same(got, jax.grad(of_inexact(energy, case.tree))(leaves))


@law(
    "`error_if` raises ValueError for a tree without arrays if the condition is traced",
    source=f"{_DOCS}error_if",
    needs={"error_if"},
    level="should",
    case=cases(tree=structures(), condition=_one_of("jnp.array(True)", "jnp.zeros(2, bool)")),
)
def a_tree_without_arrays_is_refused(lib, case):
    bare = jtu.tree_map(lambda leaf: None if is_array(leaf) else leaf, case.tree)
    checked = lib.filter_jit(lambda condition: lib.error_if(bare, condition, "wrong"))
    refuses(ValueError, lambda: checked(case.condition))


@law(
    "without an error, or with `EQX_ON_ERROR=off`, `error_if` and `branched_error_if` return a tree"
    " with leaves of any kind unchanged",
    source=f"{_DOCS}error_if",
    level="should",
    needs={"error_if", "branched_error_if"},
    case=of_any_leaves("errors"),
    parents=(no_error_changes_nothing,),
)
def checks_keep_leaves_of_any_kind(lib, case):
    same(with_jax_values(case.run(case.identity, case.tree)), with_jax_values(case.tree))


@law(
    "without an error, or with `EQX_ON_ERROR=off`, `error_if` and `branched_error_if` change "
    "neither a result nor a derivative in any transformation of JAX",
    source=f"{_DOCS}error_if",
    level="should",
    needs={"error_if", "branched_error_if"},
    case=differentiated("errors"),
    parents=(gradients_pass_through,),
)
def checks_change_no_derivative(lib, case):
    same(case.run(lambda tree: squared(case.identity(tree))), case.run(squared))


@law(
    "with `on_error` or `EQX_ON_ERROR` set to `nan`, an error returns a tree of the same structure "
    "whose floating-point arrays are all NaN",
    source=f"{_DOCS}error_if",
    level="should",
    needs={"error_if", "branched_error_if"},
    case=of_any_leaves("nan"),
    parents=(checks_keep_leaves_of_any_kind,),
)
def nan_comes_instead(lib, case):
    got = case.run(case.identity, case.tree)
    same(jtu.tree_structure(got), jtu.tree_structure(case.tree))
    leaves, wanted = (inexact_leaves(with_jax_values(tree)) for tree in (got, case.tree))
    equal([leaf.dtype for leaf in leaves], [leaf.dtype for leaf in wanted])
    equal([leaf.shape for leaf in leaves], [leaf.shape for leaf in wanted])
    equal([bool(jnp.isnan(leaf).all()) for leaf in leaves], [True] * len(wanted))
