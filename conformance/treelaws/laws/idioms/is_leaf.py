"""Idioms: `is_leaf` over the state of Flax NNX."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.core.law import Topic
from treelaws.equality import equal, same
from treelaws.laws.nnx.is_leaf import (
    is_leaf_filters_nothing,
    only_a_selected_variable_is_handed_over,
    selected_variables_keep_their_metadata,
)

from ._idiom import Idiom, Problem, Text

law = Topic("recipes.is_leaf", "Idioms: is_leaf over NNX state", family="nnx")
_ISSUE = "https://github.com/google/flax/issues/4762"
_ENTRIES = (
    "nnx.Param(jnp.ones(2))",
    "nnx.BatchStat(jnp.zeros(2))",
    "nnx.Param(jnp.ones(2), note='mine')",
    "jnp.zeros(3)",
    "{'inner': nnx.Param(jnp.zeros(1)), 'plain': jnp.ones(1)}",
)


@st.composite
def _states(draw: st.DrawFn) -> Recipe:
    """Bind `state`, a State of Variables and arrays."""
    scope = Scope()
    entries = draw(st.lists(st.sampled_from(_ENTRIES), min_size=1, max_size=4))
    text = ", ".join(f"'{name}': {entry}" for name, entry in zip("abcd", entries, strict=False))
    scope.bind("state", f"nnx.State({{{text}}})")
    return scope.recipe()


@law(
    "a function that checks the type itself changes the Variables and leaves every other leaf "
    "unchanged",
    source=_ISSUE,
    level="should",
    needs={"State", "Variable"},
    case=_states(),
)
def dispatch_inside_the_function_keeps_the_other_leaves(lib, case):
    """`is_leaf` accepts Variables, so that the function gets them whole in every release."""
    is_variable = lambda node: isinstance(node, lib.Variable)
    wanted = jtu.tree_leaves(case.state, is_leaf=_is_any_variable)
    seen = jtu.tree_map(
        lambda leaf: type(leaf) if is_variable(leaf) else leaf, case.state, is_leaf=is_variable
    )
    got = jtu.tree_leaves(seen)
    equal(len(got), len(wanted))
    same(got, [type(leaf) if _is_any_variable(leaf) else leaf for leaf in wanted], identical=True)


def _is_any_variable(node):
    return any(cls.__name__ in ("Variable", "VariableState") for cls in type(node).__mro__)


_STATE = """\
state = nnx.State({'w': nnx.Param(jnp.ones(2)), 'rng': jnp.zeros(2)})
"""
PROBLEM = Problem(
    "jax.tree.map over NNX state with is_leaf",
    "Users pass is_leaf to map over Variables alone, as if it filtered. It only says where the"
    " descent stops; the function gets every leaf.",
    (_ISSUE, "https://github.com/google/flax/pull/4800"),
    (
        Idiom(
            "is_leaf to pass whole Variables, and isinstance inside the function",
            "holds",
            "Choose this one: the function gets every leaf, and checks its type.",
            (
                dispatch_inside_the_function_keeps_the_other_leaves,
                selected_variables_keep_their_metadata,
            ),
            Text(
                "Variables are replaced, and the array next to them stays",
                _STATE
                + """\


def zero(node):
    return node.replace(jnp.zeros(2)) if isinstance(node, nnx.Variable) else node


mapped = jax.tree.map(zero, state, is_leaf=lambda node: isinstance(node, nnx.Variable))
assert isinstance(mapped['w'], nnx.Param) and mapped['rng'] is state['rng']
""",
            ),
        ),
        Idiom(
            "is_leaf as a filter",
            "fails",
            "is_leaf stops the descent and filters nothing: the function gets every other leaf.",
            (
                is_leaf_filters_nothing,
                only_a_selected_variable_is_handed_over,
            ),
            None,
            (
                Text(
                    "The array next to the Variables has no `replace`",
                    _STATE
                    + """\
is_leaf = lambda node: isinstance(node, nnx.Variable)
jax.tree.map(lambda node: node.replace(jnp.zeros(2)), state, is_leaf=is_leaf)
""",
                    "AttributeError",
                ),
                Text(
                    "The function also gets the values of Variables of another type",
                    """\
state = nnx.State({'w': nnx.Param(jnp.ones(2)), 'mean': nnx.BatchStat(jnp.zeros(2))})
handed = []
jax.tree.map(handed.append, state, is_leaf=lambda node: isinstance(node, nnx.Param))
assert len(handed) == 1
""",
                    "AssertionError",
                ),
            ),
        ),
    ),
)
