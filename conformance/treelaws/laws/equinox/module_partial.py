"""Equinox: `Partial`, which is `functools.partial` as a pytree."""

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
# Names that the machinery of a class or of a call may use for its own arguments.
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
    return "{" + ", ".join(f"{name!r}: {value}" for name in names) + "}"


@law(
    "calling a Partial is calling the functools.partial with the same arguments",
    source=_PARTIAL,
    needs={"Partial"},
    case=_partials(history=False),
)
def partial_calls_as_functools_does(lib, case):
    got = case.make(lib.Partial)(*case.more, **case.named)
    same(got, case.make(functools.partial)(*case.more, **case.named), identical=True)


@law(
    "a Partial that was mapped, copied or pickled calls its function with what it holds",
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
    "func, args and keywords of a Partial are what it was given",
    source=_PYTHON,
    needs={"Partial"},
    case=_partials(history=False),
)
def partial_has_the_attributes(lib, case):
    partial = case.make(lib.Partial)
    same(partial.func, case.function, identical=True)
    same(partial.args, case.args, identical=True)
    same(partial.keywords, case.keywords, identical=True)


@law(
    "a Partial is a pytree of its function, arguments and keywords",
    source=_PARTIAL,
    needs={"Partial"},
    case=_partials(history=False),
)
def partial_is_a_pytree_of_its_arguments(lib, case):
    held = (case.function, case.args, case.keywords)
    same(jtu.tree_leaves(case.make(lib.Partial)), jtu.tree_leaves(held), identical=True)


@st.composite
def _uncallable(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.bind("given", draw(st.sampled_from(("()", "(1,)", "('text', 1)", "(None,)"))))
    scope.bind("call", "lambda partial: partial(*given)()")
    return scope.recipe()


@law(
    "a Partial of nothing, or of what cannot be called, is refused when it is called at the latest",
    source=_PYTHON,
    needs={"Partial"},
    case=_uncallable(),
    weight=0.1,
)
def partial_of_no_callable_is_refused(lib, case):
    refuses(TypeError, lambda: case.call(lib.Partial))
