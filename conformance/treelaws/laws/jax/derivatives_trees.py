"""JAX: functions of trees with derivative rules of their own."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.ruled_trees import ruled_trees
from treelaws.equality import same

from .derivatives import _arrays, law

_GUIDE = "https://docs.jax.dev/en/latest/301/custom-jvp-vjp.html"


@law(
    "a function of trees with a rule of `custom_jvp`, `custom_vjp` or `custom_gradient` that "
    "computes its derivative has the derivatives that it has without the rule, also with whole "
    "numbers, arguments by name, defaults and `nondiff_argnums` or `nondiff_argnames`",
    source=_GUIDE,
    level="should",
    case=ruled_trees(),
)
def a_ruled_function_of_trees_is_the_function(lib, case):
    same(_arrays(case.derived(case.ruled)), _arrays(case.derived(case.plain)))
