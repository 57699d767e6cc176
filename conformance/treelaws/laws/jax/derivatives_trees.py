"""JAX: functions of trees with derivative rules of their own."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.ruled_trees import ruled_trees
from treelaws.equality import same

from .derivatives import _arrays, law

_GUIDE = "https://docs.jax.dev/en/latest/notebooks/Custom_derivative_rules_for_Python_code.html"


@law(
    "a function of trees of real and whole numbers, with arguments by name, defaults and arguments "
    "that are not differentiated, has with a rule that says its derivative the derivatives that it "
    "has without a rule",
    source=_GUIDE,
    level="should",
    case=ruled_trees(),
    weight=0.3,
)
def a_ruled_function_of_trees_is_the_function(lib, case):
    same(_arrays(case.derived(case.ruled)), _arrays(case.derived(case.plain)))
