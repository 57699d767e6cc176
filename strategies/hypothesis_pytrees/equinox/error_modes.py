"""Programs with checks that find nothing, as text for a process with a value of `EQX_ON_ERROR`."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.contexts import contexts
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import CHECKS_OFF

_MODES = (
    Kind("mode", "raise", (), ("mode:raise",)),
    Kind("mode", "nan", (), ("mode:nan",)),
    Kind("mode", "breakpoint", (), ("mode:breakpoint",)),
    Kind("mode", "off", (), ("mode:off",), needs=(CHECKS_OFF,)),
)
_HUGE = "jnp.any(jtu.tree_leaves(tree)[-1] > 1e9)"
_CHECKS = {
    "error_if": f"error_if(tree, {_HUGE}, 'wrong')",
    "constant": "error_if(tree, jnp.array([False, False]), 'wrong')",
    "branched": f"branched_error_if(tree, {_HUGE}, 1, ['one', 'other'])",
    "branched-index": f"branched_error_if(tree, {_HUGE}, jnp.int32(0), ['one', 'other'])",
}
_MAPPED = (
    "jtu.tree_map(lambda leaf: leaf[1], eqx.filter_vmap($0)("
    "jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), tree)))"
)
# Each is a function of a tree that calls the function `$0`.
_OUTERMOST = {
    "plain": "$0",
    "jit": "jax.jit($0)",
    "filter-jit": "eqx.filter_jit($0)",
    "filter-vmap": f"lambda tree: {_MAPPED}",
    "filter-checkpoint": "eqx.filter_checkpoint($0)",
    "filter-grad": "eqx.filter_grad(lambda tree: sum("
    "jnp.sum(leaf * leaf) for leaf in jtu.tree_leaves(($0)(tree))))",
    "filter-jvp": "lambda tree: eqx.filter_jvp($0, (tree,), (tree,))[1]",
    "filter-vjp": "lambda tree: eqx.filter_vjp($0, tree)[1](tree)[0]",
}
# Sums of a few of these numbers are exact.
_TREES = (
    "[jnp.float32([1.0, -2.0])]",
    "{'a': jnp.float16([0.5]), 'b': (jnp.ones((2, 3)), None)}",
    "(jnp.float32(4.0), [jnp.bfloat16(0.25)])",
)
_TEXT = """\
import os

os.environ["EQX_ON_ERROR"] = "$mode"

import json

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

$definitions

context = $context
checked = $checked
run = $run
tree = $tree
read = lambda leaf: [str(leaf.dtype), np.asarray(leaf, np.float32).tolist()]
found = [jtu.tree_leaves(run(lambda tree: checked(eqx, tree))) for _ in range(2)]
print(json.dumps([[read(leaf) for leaf in leaves] for leaves in found]))
"""


@st.composite
def error_modes(draw: st.DrawFn) -> Recipe:
    """Bind `run(function)`, `checked(lib, tree)` and `text`, which runs the check twice.

    `run` calls a function of a tree in one or two transformations. The text sets `EQX_ON_ERROR`
    and prints for each of two calls of `run` the dtype and the numbers of each leaf.
    """
    scope = Scope()
    mode = draw(st.sampled_from(available(_MODES)))
    scope.note(*mode.features)
    outermost = draw(st.sampled_from(sorted(_OUTERMOST)))
    # JAX has no derivative in reverse mode of a loop of unknown length.
    without = {"while"} if outermost in ("filter-grad", "filter-vjp") else set()
    context = draw(contexts(max_depth=1, without=without))
    scope.bind("context", context)
    check = draw(st.sampled_from(sorted(_CHECKS)))
    scope.note(f"outermost:{outermost}", f"check:{check}")
    tree = draw(st.sampled_from(_TREES))
    checked = f"lambda lib, tree: lib.{_CHECKS[check]}"
    called = f"({_OUTERMOST[outermost].replace('$0', 'context(function)')})(tree)"
    scope.bind("tree", tree)
    scope.bind("checked", checked)
    scope.bind("run", f"lambda function: {called}")
    parts = {
        "$mode": mode.template,
        "$definitions": "\n".join(context.definitions),
        "$context": context.expression,
        "$checked": checked,
        "$run": f"lambda function: {called}",
        "$tree": tree,
    }
    text = _TEXT
    for name, part in parts.items():
        text = text.replace(name, part)
    scope.bind("text", repr(text))
    return scope.recipe()
