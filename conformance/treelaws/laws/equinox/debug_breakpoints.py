"""Equinox: breakpoints that depend on a predicate."""

from __future__ import annotations

import io

import jax
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import arrays
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import equal, same

from .debug import law

_DOCS = "https://docs.kidger.site/equinox/api/debug/#equinox.debug.breakpoint_if"
_PREDICATES = (
    "jnp.array(True)",
    "jnp.array(False)",
    "jnp.array([False, True])",
    "jnp.zeros((2, 1), bool)",
    "jnp.zeros(0, bool)",
)
_OPTIONS = ("", "num_frames=1", "filter_frames=False", "ordered=True", "ordered=True, num_frames=2")
_RUNS = ("call(pred)", "jax.jit(call)(pred)", "eqx.filter_jit(call)(pred)")


@st.composite
def _breakpoints(draw: st.DrawFn) -> Recipe:
    """Draw `pred`, a predicate; `options` of a breakpoint; and `run(call)`, which calls it."""
    scope = Scope()
    scope.bind("pred", draw(st.sampled_from(_PREDICATES)))
    scope.bind("options", f"dict({draw(st.sampled_from(_OPTIONS))})")
    scope.bind("run", f"lambda call: {draw(st.sampled_from(_RUNS))}")
    return scope.recipe()


@st.composite
def _tokens(draw: st.DrawFn) -> Recipe:
    """Draw as `_breakpoints`, and `token`, a tree of arrays."""
    scope = Scope()
    scope.include(draw(_breakpoints()))
    options = {"kinds": CONTAINERS, "max_leaves": 3, "alias": False}
    scope.bind("token", draw_tree(draw, scope, leaves=arrays(), **options))
    return scope.recipe()


@law(
    "`breakpoint_if`, also with options of `jax.debug.breakpoint`, enters a debugger exactly if "
    "the predicate is true anywhere",
    source=_DOCS,
    level="should",
    needs={"debug.breakpoint_if"},
    case=_breakpoints(),
)
def breakpoints_wait_for_the_predicate(lib, case):
    output = io.StringIO()
    options = {"backend": "cli", "stdin": io.StringIO("c\n"), "stdout": output, **case.options}
    case.run(lambda pred: lib.debug.breakpoint_if(pred, **options))
    jax.effects_barrier()
    equal(output.getvalue() != "", bool(np.any(case.pred)))


@law(
    "`breakpoint_if` returns its `token`, whether or not it enters a debugger",
    # Equinox: "Returns: Nothing." JAX: "If `token` is passed, then its value is returned
    # unchanged."
    source="https://docs.jax.dev/en/latest/_autosummary/jax.debug.breakpoint.html",
    level="observed",
    needs={"debug.breakpoint_if"},
    case=_tokens(),
    parents=[breakpoints_wait_for_the_predicate],
)
def breakpoints_return_their_token(lib, case):
    options = {"backend": "cli", "stdin": io.StringIO("c\n"), "stdout": io.StringIO()}
    options |= {"token": case.token, "num_frames": case.options.get("num_frames")}
    same(case.run(lambda pred: lib.debug.breakpoint_if(pred, **options)), case.token)
