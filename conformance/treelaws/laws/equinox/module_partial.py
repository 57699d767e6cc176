"""Equinox: `Partial`, a `functools.partial` that is a pytree."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.core import prior_operations
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

law = Topic("equinox.module.partial", "Equinox: Partial", family="equinox")
_PARTIAL = "https://docs.kidger.site/equinox/api/manipulation/#equinox.Partial"
_PYTHON = "https://docs.python.org/3/library/functools.html#functools.partial"

_FUNCTIONS = """\
def collect(*values, **named):
    return (values, list(named.items()))


class Collector(eqx.Module):
    x: typing.Any

    def __call__(self, /, *values, **named):
        return (self.x, values, list(named.items()))
"""
_CALLABLES = ("collect", "Collector(x)", "functools.partial(collect, 1)")
# Names that a class or a call may use for its own arguments.
_NAMES = ("a", "b", "key", "func", "args", "keywords", "self", "cls")


@st.composite
def _partials(draw: st.DrawFn, history: bool = True) -> Recipe:
    scope = Scope()
    scope.define(_FUNCTIONS)
    scope.bind("x", draw(trees(max_leaves=2)))
    scope.bind("y", draw(trees(max_leaves=2)))
    function = draw(st.sampled_from(_CALLABLES))
    scope.bind("function", function)
    early = draw(st.lists(st.sampled_from(_NAMES), max_size=2, unique=True))
    late = draw(st.lists(st.sampled_from(_NAMES), max_size=2, unique=True))
    scope.note(*(f"early:{name}" for name in early), *(f"late:{name}" for name in late))
    if early and late:
        scope.note("keywords:both")
    scope.bind("args", draw(st.sampled_from(("()", "(x,)", "(y, x)"))))
    scope.bind("keywords", _dict(early, "y"))
    scope.bind("more", draw(st.sampled_from(("()", "(1,)", "(x, y)"))))
    scope.bind("named", _dict(late, "x"))
    scope.bind("make", "lambda partial: partial(function, *args, **keywords)")
    if history:
        partial = scope.bind("partial", "make(eqx.Partial)")
        prior_operations.apply(draw, scope, partial)
    return scope.recipe()


def _dict(names: Sequence[str], value: str) -> str:
    """Return the text of a dict with one value for all names."""
    return "{" + ", ".join(f"{name!r}: {value}" for name in names) + "}"


@law(
    "calling a `Partial` returns what a `functools.partial` of the same arguments returns",
    source=_PARTIAL,
    needs={"Partial"},
    case=_partials(history=False),
)
def partial_calls_as_functools_does(lib, case):
    got = case.make(lib.Partial)(*case.more, **case.named)
    same(got, case.make(functools.partial)(*case.more, **case.named), identical=True)


@law(
    "a `Partial` that was mapped, copied or pickled still calls `func` with `args` and `keywords`",
    source=_PARTIAL,
    needs={"Partial"},
    case=_partials(),
    parents=(partial_calls_as_functools_does,),
)
def used_partials_call_alike(lib, case):
    partial = case.partial
    wanted = functools.partial(partial.func, *partial.args, **partial.keywords)
    same(partial(*case.more, **case.named), wanted(*case.more, **case.named), identical=True)


@law(
    "`func`, `args` and `keywords` of a `Partial` are the objects that it was made with",
    source=_PYTHON,
    needs={"Partial"},
    case=_partials(history=False),
)
def partial_has_the_attributes(lib, case):
    partial = lib.Partial(case.function, *case.args, **case.keywords)
    same(partial.func, case.function, identical=True)
    same(partial.args, case.args, identical=True)
    same(partial.keywords, case.keywords, identical=True)


@law(
    "the leaves of a `Partial` are the leaves of its function, arguments and keywords",
    source=_PARTIAL,
    needs={"Partial"},
    case=_partials(history=False),
)
def partial_is_a_pytree_of_its_arguments(lib, case):
    partial = lib.Partial(case.function, *case.args, **case.keywords)
    wanted = (case.function, case.args, case.keywords)
    same(jtu.tree_leaves(partial), jtu.tree_leaves(wanted), identical=True)


@st.composite
def _non_callables(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.bind("given", draw(st.sampled_from(("()", "(1,)", "('text', 1)", "(None,)"))))
    return scope.recipe()


@law(
    "`Partial` without a callable raises TypeError, when it is made or when it is called",
    source=_PYTHON,
    needs={"Partial"},
    level="should",
    case=_non_callables(),
)
def partial_of_no_callable_is_refused(lib, case):
    refuses(TypeError, lambda: lib.Partial(*case.given)())
