"""Functions of Equinox that return their argument unchanged, and places in which to call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.contexts import CONTEXTS, WITHIN, contexts
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import CHECKS_OFF
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way
from hypothesis_pytrees.leaves.leaves import COMPARABLE, REAL_ARRAYS
from hypothesis_pytrees.trees.structures import structures

_HUGE = """\
def any_is_huge(tree):
    found = jnp.array(False)
    for leaf in jtu.tree_leaves(tree):
        dtype = leaf.dtype if isinstance(leaf, jax.Array) else type(leaf)
        if dtype is float or dtype is not type(leaf) and jnp.issubdtype(dtype, jnp.floating):
            found = found | jnp.any(leaf > 1e9)
    return found
"""
_SILENT = """\
def announced_to_nobody(text):
    pass
"""
# `error_if` wants an array. The function is aux data that each call has for itself, since equal
# static leaves, such as 1 and True, may share what `filter_jit` has compiled.
_OR_ARRAY = "(tree, np.float32([1.0]), jtu.Partial(lambda: None))"


def _identity(name: str, text: str, *definitions: str, also: tuple[str, ...] = ()) -> Kind:
    needs = (CHECKS_OFF,) if "mode:off" in also else ()
    return Kind("identity", text, definitions, (f"identity:{name}", *also), needs=needs)


def _check(name: str, arguments: str, *, traced: bool = False) -> Kind:
    static = arguments.startswith(("True", "False"))
    mode = "off" if "'off'" in arguments else "nan" if "'nan'" in arguments else "raise"
    condition = "traced" if traced else "static" if static else "array"
    also = (f"condition:{condition}", f"mode:{mode}")
    text = f"eqx.{name}({_OR_ARRAY}, {arguments})[0]"
    return _identity(name, text, *((_HUGE,) if "huge" in arguments else ()), also=also)


# Expressions of `tree` that are to equal `tree`.
_DEBUG = (
    _identity(
        "announce",
        "eqx.debug.announce_transform(tree, announce=announced_to_nobody)",
        _SILENT,
    ),
    _identity(
        "announce",
        "eqx.debug.announce_transform(tree, 'name', True, announced_to_nobody)",
        _SILENT,
    ),
    _identity(
        "announce-each",
        "jtu.tree_map(lambda leaf: eqx.debug.announce_transform(leaf, None, False, "
        "announced_to_nobody), tree)",
        _SILENT,
    ),
    _identity("backward-nan", "eqx.debug.backward_nan(tree)", also=("identity:reverse",)),
    _identity(
        "backward-nan",
        "eqx.debug.backward_nan(tree, name='name', terminate=False)",
        also=("identity:reverse",),
    ),
    _identity(
        "store-dce", "eqx.debug.store_dce(tree, name=object())", also=("identity:under-jit",)
    ),
    _identity("breakpoint-if", "(eqx.debug.breakpoint_if(jnp.array(False)), tree)[1]"),
    _identity("breakpoint-if", "(eqx.debug.breakpoint_if(any_is_huge(tree)), tree)[1]", _HUGE),
)
_ERRORS = (
    _check("error_if", "False, 'wrong'"),
    _check("error_if", "np.zeros((2, 1), bool), 'wrong', on_error='nan'"),
    _check("error_if", "any_is_huge(tree), 'wrong'", traced=True),
    _check("error_if", "any_is_huge(tree), 'wrong', on_error='nan'", traced=True),
    _check("error_if", "True, 'wrong', on_error='off'"),
    _check("error_if", "~any_is_huge(tree), 'wrong', on_error='off'"),
    _check("branched_error_if", "False, 1, ['one', 'other']"),
    _check("branched_error_if", "any_is_huge(tree), jnp.int32(1), ['one', 'other']", traced=True),
    _check("branched_error_if", "np.array([True]), 0, ['one', 'other'], on_error='off'"),
)
# Those that are to return NaN instead.
_NANS = (
    _check("error_if", "True, 'wrong', on_error='nan'"),
    _check("error_if", "np.array([False, True]), 'wrong', on_error='nan'"),
    _check("error_if", "~any_is_huge(tree), 'wrong', on_error='nan'", traced=True),
    _check("branched_error_if", "jnp.array(True), 1, ['one', 'other'], on_error='nan'"),
    _check(
        "branched_error_if",
        "~any_is_huge(tree), jnp.int32(0), ['one', 'other'], on_error='nan'",
        traced=True,
    ),
)
_TABLES: Mapping[str, Sequence[Kind]] = {"debug": _DEBUG, "errors": _ERRORS, "nan": _NANS}
_DERIVATIVES = {"grad", "jvp", "vjp", "linearize"}
_NUMBERS = ("3.0", "-0.5", "2.0")
_NODES = ("[{}]", "({},)", "{{'b': [{}], 'a': ()}}", "jtu.Partial(max, {})", "[None, ({},)]")
# NumPy arrays of strings are no arrays to JAX; slices have no hash before Python 3.12.
_LEFT_OUT = {"leaf:str-array", "leaf:slice"}
_EXTRAS = tuple(kind for kind in COMPARABLE if not _LEFT_OUT & set(kind.features))


def _with_leaves(draw: st.DrawFn, scope: Scope, kinds: Sequence[Kind], numbers: bool) -> str:
    texts = []
    for _ in range(draw(st.integers(1, 3))):
        if numbers and draw(st.booleans()):
            scope.note("leaf:number", "leaf:weak")
            texts.append(draw(st.sampled_from(_NUMBERS)))
            continue
        kind = draw(st.sampled_from(kinds))
        scope.define(*kind.definitions)
        scope.note(*kind.features)
        texts.append(kind.template)
    return draw(st.sampled_from(_NODES)).format(", ".join(texts))


@st.composite
def differentiated(draw: st.DrawFn, table: str) -> Recipe:
    """Draw `identity`, a `tree` of floats and real arrays, and `run`, which calls a function of it.

    `run(function)` gives the values or the derivatives of `function` at `tree`, inside one or two
    transformations of JAX. Feature `leaves:several` if there is more than one leaf.

    Args:
        table: `"debug"` for the identities of `equinox.debug`, `"errors"` for `error_if`.
    """
    scope = Scope()
    kind = draw(st.sampled_from(available(_TABLES[table])))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    # JAX has no forward mode for a function with a derivative of its own in reverse mode.
    without = {"jvp", "linearize"} if "identity:reverse" in kind.features else set()
    if draw(st.booleans()):
        without |= set(CONTEXTS) - _DERIVATIVES
    context = draw(contexts(without=without))
    scope.note(f"outermost:{context.expression.split('in_')[1].partition('(')[0]}")
    if draw(st.booleans()):
        options = {"statics": False, "integers": False, "finite": True}
        tree = draw(structures(**options))
    else:
        inner = Scope()
        tree = inner.recipe(_with_leaves(draw, inner, REAL_ARRAYS, True))
    if len(jtu.tree_leaves(tree.build())) > 1:
        scope.note("leaves:several")
    scope.bind("tree", tree)
    scope.bind("identity", f"lambda tree: {kind.template}")
    scope.bind("context", context)
    compiled = "identity:under-jit" in kind.features or draw(st.booleans())
    scope.note("compiled" if compiled else "uncompiled")
    text = "context(function)"
    scope.bind("run", f"lambda function: {f'jax.jit({text})' if compiled else text}(tree)")
    return scope.recipe()


# Expressions of `function` and `tree` that are to equal `function(tree)`; the last few compile.
_PLACES: Sequence[Kind] = (
    way("eager", "function(tree)"),
    way(
        "grad",
        "eqx.filter_grad(lambda x: (x, function(tree)), has_aux=True)(jnp.float32(1.0))[1]",
    ),
    way("checkpoint", "eqx.filter_checkpoint(function)(tree)"),
    way("without-jit", "run_within(jax.disable_jit(), lambda: function(tree))", WITHIN),
    way("jit", "eqx.filter_jit(function)(tree)"),
    way("jit-closing", "eqx.filter_jit(lambda: function(tree))()"),
    way(
        "vmap-in-jit",
        "eqx.filter_jit(eqx.filter_vmap(function, in_axes=None, out_axes=None, axis_size=2))(tree)",
    ),
    way("vjp-in-jit", "eqx.filter_jit(lambda tree: eqx.filter_vjp(function, tree)[0])(tree)"),
)


@st.composite
def of_any_leaves(draw: st.DrawFn, table: str) -> Recipe:
    """Draw `identity`, a `tree` with leaves of any kind, and `run(function, tree)`, a call.

    Args:
        table: `"debug"`, `"errors"`, or `"nan"` for `error_if` that is to return NaN instead.
    """
    scope = Scope()
    kind = draw(st.sampled_from(available(_TABLES[table])))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    scope.bind("tree", _with_leaves(draw, scope, _EXTRAS, False))
    scope.bind("identity", f"lambda tree: {kind.template}")
    places = _PLACES[4:-1] if "identity:under-jit" in kind.features else _PLACES
    bind_way(draw, scope, places, "function, tree", forms=PLAIN)
    return scope.recipe()
