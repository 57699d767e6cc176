"""Equinox: `filter_jit`."""

from __future__ import annotations

import jax
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.core.contexts import contexts
from hypothesis_pytrees.trees.structures import structure_pairs, structures
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

from ._functions import counted, doubled

law = Topic("equinox.jit", "Equinox: filter_jit", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_jit"
_FAQ = (
    "https://docs.kidger.site/equinox/faq/"
    "#i-think-my-function-is-being-recompiled-each-time-it-is-run"
)
# Quote: "If your models only use JAX arrays, then filter_{jit,grad,...} will do exactly the same
# as jax.{jit,grad,...}".
_AS_JAX = "https://docs.kidger.site/equinox/all-of-equinox/#2-filtering"


def _one_of(*texts: str) -> st.SearchStrategy[Recipe]:
    return st.sampled_from([Recipe(expression=text) for text in texts])


_ARRAYS_ONLY = structures(statics=False, integers=False, finite=True)
_REFUSED = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_jit.py#L382-L396"
_INLINED = Recipe(expression="True", features=frozenset({"jit:inline"}))
_INLINE = st.sampled_from([_INLINED, Recipe(expression="False")])


@law(
    "`filter_jit(f)(tree)` equals `f(tree)` for any tree of arrays and other leaves",
    source=_DOCS,
    needs={"filter_jit"},
    case=st.one_of(cases(tree=structures()), structure_pairs("type")),
)
def jitted_function_equals_the_function(lib, case):
    same(lib.filter_jit(counted(doubled)[0])(case.tree), doubled(case.tree))


@law(
    "earlier calls of a jitted function, with other arrays or with an unequal static leaf, do not"
    " change its result",
    source=_FAQ,
    needs={"filter_jit"},
    case=structure_pairs("arrays", "static"),
    parents=(jitted_function_equals_the_function,),
)
def earlier_calls_change_no_result(lib, case):
    jitted = lib.filter_jit(counted(doubled)[0])
    for tree in (case.tree, case.other, case.tree):
        same(jitted(tree), doubled(tree))


@law(
    "a jitted function tells equal static leaves of different type or sign apart, such as `1` and"
    " `True`",
    source=_FAQ,
    needs={"filter_jit"},
    case=structure_pairs("type"),
    level="observed",
    parents=(earlier_calls_change_no_result,),
)
def equal_static_leaves_are_told_apart(lib, case):
    """The FAQ compares static leaves "as measured by `__eq__`", so 1 may pass for True."""
    jitted = lib.filter_jit(counted(doubled)[0])
    for tree in (case.tree, case.other):
        same(jitted(tree), doubled(tree))


@law(
    "new values in the arrays of its argument do not retrace a jitted function",
    source=_FAQ,
    needs={"filter_jit"},
    case=structure_pairs("arrays"),
)
def new_array_values_do_not_retrace(lib, case):
    body, traces = counted(doubled)
    jitted = lib.filter_jit(body)
    for tree in (case.tree, case.other, case.tree):
        same(jitted(tree), doubled(tree))
    true(len(traces) == 1, len(traces), "one trace")


@law(
    "an equal tree that is built again does not retrace a jitted function",
    source=_FAQ,
    needs={"filter_jit"},
    case=cases(tree=structures()),
)
def equal_rebuilt_tree_does_not_retrace(lib, case):
    body, traces = counted(doubled)
    jitted = lib.filter_jit(body)
    jitted(case.tree)
    jitted(case.rebuild().tree)
    true(len(traces) == 1, len(traces), "one trace")


@law(
    "a changed static leaf retraces a jitted function exactly once",
    source=_FAQ,
    needs={"filter_jit"},
    case=structure_pairs("static"),
)
def changed_static_leaf_retraces_once(lib, case):
    body, traces = counted(doubled)
    jitted = lib.filter_jit(body)
    for tree in (case.tree, case.other, case.rebuild().other, case.tree):
        jitted(tree)
    true(len(traces) == 2, len(traces), "two traces")


@law(
    "inside any JAX transformation, `filter_jit(f)` traces to the same result as `jax.jit(f)`,"
    " with or without `inline=True`",
    source=_AS_JAX,
    needs={"filter_jit"},
    case=cases(tree=_ARRAYS_ONLY, context=contexts(), inline=_INLINE),
)
def jitted_function_is_traced_wherever_jax_jit_is(lib, case):
    inner = lib.filter_jit(doubled, inline=case.inline)
    wanted = jax.eval_shape(case.context(jax.jit(doubled)), case.tree)
    same(jax.eval_shape(case.context(inner), case.tree), wanted)


@law(
    "inside any JAX transformation, `filter_jit(f)` computes the same result as `jax.jit(f)`",
    source=_AS_JAX,
    needs={"filter_jit"},
    case=cases(tree=_ARRAYS_ONLY, context=contexts(), inline=_INLINE),
    parents=(jitted_function_is_traced_wherever_jax_jit_is,),
)
def jitted_function_computes_wherever_jax_jit_does(lib, case):
    inner = lib.filter_jit(doubled, inline=case.inline)
    same(case.context(inner)(case.tree), case.context(jax.jit(doubled))(case.tree))


@law(
    "`filter_jit(f).lower(...).compile()` returns the same result as `f`, also for new arrays and"
    " for keyword arguments",
    source="https://github.com/patrick-kidger/equinox/pull/627",
    needs={"filter_jit"},
    case=structure_pairs("arrays"),
    level="should",
)
def compiled_function_equals_the_function(lib, case):
    compiled = lib.filter_jit(_both_doubled).lower(case.tree, other=case.tree).compile()
    for one, other in ((case.tree, case.other), (case.other, case.tree)):
        same(compiled(one, other=other), _both_doubled(one, other=other))


@law(
    "`filter_jit` raises ValueError for the options of `jax.jit` that select static or donated"
    " arguments",
    source=_REFUSED,
    needs={"filter_jit"},
    case=cases(
        option=_one_of("'static_argnums'", "'static_argnames'", "'donate_argnums'"),
        value=_one_of("0", "(0,)", "()", "None"),
    ),
    level="should",
)
def options_that_filtering_decides_are_refused(lib, case):
    refuses(ValueError, lambda: lib.filter_jit(doubled, **{case.option: case.value}))


@law(
    "`filter_jit` raises ValueError for the options of `jax.jit` that give shardings",
    source=_REFUSED,
    needs={"filter_jit", "shardings_are_refused"},
    case=cases(
        option=_one_of("'in_shardings'", "'out_shardings'"),
        value=_one_of("0", "(0,)", "()", "None"),
    ),
    level="should",
)
def shardings_are_refused(lib, case):
    refuses(ValueError, lambda: lib.filter_jit(doubled, **{case.option: case.value}))


def _both_doubled(tree, *, other):
    return doubled(tree), doubled(other)
