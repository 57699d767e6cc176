"""States that hold a value and its gradient, and solvers whose line search stores both."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import ZOOM_GUESSES
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.trees import draw_tree

from .params import PARAMETERS, draw_parameters, sources

_GUESSES = (
    ("",)
    if ZOOM_GUESSES.lacking()
    else (", initial_guess_strategy='one'", ", initial_guess_strategy='keep'")
)
_SEARCHES = (
    "optax.scale_by_backtracking_linesearch(8, store_grad=True)",
    "optax.scale_by_zoom_linesearch(8)",
    f"optax.scale_by_zoom_linesearch(8{_GUESSES[0]})",
    "optax.scale_by_zoom_linesearch(8, max_learning_rate=0.25)",
)
SOLVERS = (
    *(f"optax.chain(optax.sgd(1.0), {search})" for search in _SEARCHES),
    "optax.lbfgs()",
    "optax.lbfgs(memory_size=2)",
    *(f"optax.lbfgs(linesearch={search})" for search in _SEARCHES),
)
_FLOATS = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features)
# Few shapes, since these are compiled.
_TREES = (
    Kind("dict", "{'b': $0, 'a': $1}"),
    Kind("tuple", "($0, [$1, None])"),
    Kind("list", "[$0]"),
)
_SQUARES = "sum((jnp.sum((leaf - 1) ** 2) for leaf in jtu.tree_leaves(params)), jnp.float32(0))"
_LOSSES = (
    ("lambda params: ", "", "()", "{}"),
    ("lambda params, scale: ", " * scale", "(jnp.float32(0.5),)", "{}"),
    ("lambda params, *, scale: ", " * scale", "()", "{'scale': jnp.float32(2.0)}"),
)
# Where a state may hold an entry.
_PLACES = ("[$]", "{'inner': ($, jnp.int32(3))}", "(optax.EmptyState(), [$, None])")


def _bind_loss(draw: st.DrawFn, scope: Scope) -> None:
    head, factor, args, kwargs = draw(st.sampled_from(_LOSSES))
    scope.bind("fun", f"{head}{_SQUARES}{factor}")
    scope.bind("args", args)
    scope.bind("kwargs", kwargs)


@st.composite
def solved(draw: st.DrawFn) -> Recipe:
    """Draw float32 `params` of few shapes, a loss `fun`, its further `args` and `kwargs`, and `tx`.

    The line search of the transformation stores the value and the gradient.
    """
    scope = Scope()
    text = draw_tree(
        draw, scope, leaves=pool(_FLOATS[:1]), roots=_TREES, kinds=(), max_leaves=2, alias=False
    )
    scope.bind("params", text)
    _bind_loss(draw, scope)
    solver = draw(st.sampled_from(SOLVERS))
    scope.note(f"solver:{solver.partition('(')[0].removeprefix('optax.')}")
    if "scale_by_backtracking_linesearch" in solver:
        scope.note("search:backtracking")
    scope.bind("tx", solver)
    return scope.recipe()


_VALUES = ("7.0", "-0.5", "0.0", "np.inf", "-np.inf", "np.nan")


# Entries from which no value and gradient can be taken: some are missing, or there are several.
_UNCLEAR = (
    "dict(value=value)",
    "dict(grad=grad)",
    "dict()",
    "dict(value=value, grad=None)",
    "[dict(value=value, grad=grad), dict(value=value, grad=grad)]",
    "[dict(value=value, grad=grad), dict(value=value)]",
)


@st.composite
def _stored(draw: st.DrawFn, unclear: bool) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope, leaves=_FLOATS, some=True)
    _bind_loss(draw, scope)
    value = draw(st.sampled_from(_VALUES))
    scope.note("value:not-finite" if "n" in value else "value:finite")
    scope.bind("value", f"jnp.float32({value})")
    scope.bind("grad", "jtu.tree_map(lambda leaf: leaf * 0.5, params)")
    entry = draw(st.sampled_from(_UNCLEAR)) if unclear else "dict(value=value, grad=grad)"
    scope.bind("state", draw(st.sampled_from(_PLACES)).replace("$", entry))
    return scope.recipe()


def stored(*, unclear: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw float32 `params`, a loss `fun`, its `args` and `kwargs`, and a `state`.

    The state holds a `value` and a `grad`, which are not those of the loss.

    Args:
        unclear: the state lacks one of them or holds several instead; default `False`.
    """
    return probe_first(sources, _stored(unclear))


@st.composite
def limited(draw: st.DrawFn) -> Recipe:
    """Draw float32 `params`, a loss `fun`, and `tx`, whose learning rate is at most `limit`."""
    scope = Scope()
    text = draw_tree(
        draw, scope, leaves=pool(_FLOATS[:1]), roots=_TREES, kinds=(), max_leaves=2, alias=False
    )
    scope.bind("params", text)
    scope.bind("limit", draw(st.sampled_from(("0.25", "0.5", "1.0", "2.0"))))
    scope.bind("fun", f"lambda params: {_SQUARES} * {draw(st.sampled_from((0.01, 1.0, 100.0)))}")
    guess = draw(st.sampled_from(_GUESSES))
    options = f"8, max_learning_rate=limit{guess}"
    scope.bind("tx", f"optax.chain(optax.sgd(1.0), optax.scale_by_zoom_linesearch({options}))")
    return scope.recipe()
