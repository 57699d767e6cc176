"""JAX: functions that `checkify` checks at run time, over trees and at every kind of index."""

from __future__ import annotations

import importlib
import re

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import draw_form, way
from hypothesis_pytrees.trees.calls.derivatives.ways import REAL, number_tree
from hypothesis_pytrees.trees.positions import names_of
from treelaws.core.law import Topic
from treelaws.equality import equal, same

law = Topic("jax.checkify", "JAX: functions checked at run time", family="jax")
_GUIDE = "https://docs.jax.dev/en/latest/debugging/checkify_guide.html"
# Of an array of three rows and two columns: what is done at an index of it.
_AT = (
    way("item", "array[{}]"),
    way("get", "array.at[{}].get()"),
    way("set", "array.at[{}].set(2.0)"),
    way("add", "array.at[{}].add(2.0)"),
    way("subtract", "array.at[{}].subtract(2.0)"),
    way("multiply", "array.at[{}].multiply(2.0)"),
    way("divide", "array.at[{}].divide(2.0)"),
    way("power", "array.at[{}].power(2.0)"),
    way("min", "array.at[{}].min(2.0)"),
    way("max", "array.at[{}].max(2.0)"),
    way("apply", "array.at[{}].apply(jnp.sin)"),
    way("dynamic-index", "jax.lax.dynamic_index_in_dim(array, one)"),
    way("dynamic-slice", "jax.lax.dynamic_slice(array, (one, 0), (1, 2))"),
    way("dynamic-update", "jax.lax.dynamic_update_index_in_dim(array, jnp.ones(2), one, 0)"),
    way("dynamic-update-slice", "jax.lax.dynamic_update_slice(array, jnp.ones((1, 2)), (one, 0))"),
)
_INDICES = (
    "one",
    "(one, two)",
    "(one, slice(None))",
    "(slice(None), two)",
    "(..., two)",
    "jnp.stack([0 * one, one])",
    "(jnp.stack([one, 0 * one]), two)",
    "(None, one)",
)
_ONES, _TWOS = (0, 2, -1, -3, 3, 9, -4), (0, 1, -2, 2, -3)
_CHECKED = (
    way("plain", "checked(function)"),
    way("jit", "jax.jit(checked(function))"),
    way("of-jit", "checked(jax.jit(function))"),
    way("of-cond", "checked(lambda *args: jax.lax.cond(True, function, function, *args))"),
)
_ERRORS = ("index_checks", "automatic_checks", "all_checks")


@st.composite
def _indexed(draw: st.DrawFn) -> Recipe:
    """Bind `function`, of `args`, an array and two indices, and whether one is `outside`.

    Feature: `index:outside`.
    """
    scope = Scope()
    at, checked = draw(st.sampled_from(_AT)), draw(st.sampled_from(_CHECKED))
    scope.note(*at.features, f"checked:{checked.features[0][4:]}")
    form = draw_form(draw, scope, "function")
    index = draw(st.sampled_from(_INDICES))
    text = at.template.replace("{}", index)
    one, two = draw(st.sampled_from(_ONES)), draw(st.sampled_from(_TWOS))
    used = set(re.findall(r"\w+", text))
    outside = ("one" in used and not -3 <= one < 3) or ("two" in used and not -2 <= two < 2)
    scope.note(*(["index:outside"] if outside else []))
    scope.bind("function", f"lambda array, one, two: {text}")
    scope.bind("args", f"(jnp.float32([[1, 2], [3, 4], [5, 6]]), jnp.int32({one}), {two})")
    scope.bind("outside", str(outside))
    scope.bind("errors", repr(draw(st.sampled_from(_ERRORS))))
    scope.bind("run", f"lambda checked, function: (lambda function: {checked.template})({form})")
    return scope.recipe()


@law(
    "with `index_checks` an index out of bounds is reported whatever is done at it, and an index "
    "within them is not",
    source=_GUIDE,
    level="should",
    case=_indexed(),
)
def indices_out_of_bounds_are_reported(lib, case):
    kinds = getattr(_checkify(lib), case.errors)
    checked = lambda function: _checkify(lib).checkify(function, errors=kinds)
    error, _ = case.run(checked, case.function)(*case.args)
    equal(error.get() is not None, case.outside)


_BOUNDED = """\
def bounded_tree(check, tree):
    for leaf in jtu.tree_leaves(tree):
        check(jnp.all(leaf < 3), '{leaf} is above {}', jnp.sum(leaf), leaf=leaf)
    return {'twice': jtu.tree_map(lambda leaf: leaf * 2, tree), 'none': None}
"""


@st.composite
def _bounded(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, of numbers, `function`, which checks that each is below 3, and `run`.

    Feature: `tree:numbers` if a leaf is a number of Python or NumPy.
    """
    scope = Scope()
    scope.define(_BOUNDED)
    checked = draw(st.sampled_from(available(_CHECKED[:3])))
    scope.note(*checked.features)
    scope.bind("tree", number_tree(draw, scope, REAL, 3))
    leaves = jtu.tree_leaves(names_of(scope)["tree"])
    if any(isinstance(leaf, (float, np.generic)) for leaf in leaves):
        scope.note("tree:numbers")
    scope.bind("function", "bounded_tree")
    form = draw_form(draw, scope, "function")
    scope.bind("run", f"lambda checked, function: (lambda function: {checked.template})({form})")
    return scope.recipe()


@law(
    "a function that `checkify` makes takes the trees that the function takes, and gives beside "
    "the result an error if a check fails, and none otherwise",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.experimental.checkify.checkify.html",
    level="should",
    case=_bounded(),
)
def checked_functions_take_the_trees_of_the_function(lib, case):
    checks = _checkify(lib)
    function = lambda tree: case.function(checks.check, tree)
    error, found = case.run(checks.checkify, function)(case.tree)
    wanted = case.function(lambda *_, **__: None, case.tree)
    same(_arrays(found), _arrays(wanted))
    highest = [leaf.max() for leaf in jtu.tree_leaves(_arrays(case.tree)) if leaf.size]
    equal(error.get() is not None, bool(max(highest, default=0) >= 3))


def _checkify(lib):
    # JAX loads this submodule only if it is imported by name.
    importlib.import_module("jax.experimental.checkify")
    return lib.experimental.checkify


def _arrays(tree):
    """Return arrays without weak types."""
    return jax.device_get(jtu.tree_map(lambda leaf: jnp.asarray(leaf, jnp.float32), tree))
