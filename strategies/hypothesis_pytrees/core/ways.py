"""Ways in which something is done, as text: kinds whose expression names what it is done with."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from .availability import available
from .kinds import Kind
from .recipe import Scope
from .releases import Since

CALLER = """\
class CallsFunction:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **named):
        return self.function(*args, **named)

    def call(self, *args, **named):
        return self.function(*args, **named)
"""
_WRAPS = """\
def wraps_function(function):
    @functools.wraps(function)
    def wrapped(*args, **named):
        return function(*args, **named)

    return wrapped
"""


def _form(name: str, text: str, *definitions: str) -> Kind:
    return Kind("form", text, definitions, (f"form:{name}",))


# What can be called in the place of a function; the first two are the function.
FORMS: Sequence[Kind] = (
    _form("plain", "$0"),
    _form("plain", "$0"),
    _form("partial", "functools.partial($0)"),
    _form("tree-partial", "jtu.Partial($0)"),
    _form("object", "CallsFunction($0)", CALLER),
    _form("method", "CallsFunction($0).call", CALLER),
    _form("wrapped", "wraps_function($0)", _WRAPS),
)

PLAIN = FORMS[:1]
COMPILED = _form("compiled", "jax.jit($0)")


def way(name: str, text: str, *definitions: str, needs: tuple[Since, ...] = ()) -> Kind:
    """Return a way.

    Args:
        name: the feature of a recipe that takes it is `way:<name>`.
        text: the expression.
        definitions: texts of the functions that the expression needs.
        needs: features of a release that it uses, beside the names in its text.
    """
    return Kind("way", text, definitions, (f"way:{name}",), needs=needs)


def draw_form(draw: st.DrawFn, scope: Scope, function: str, forms: Sequence[Kind] = FORMS) -> str:
    """Draw what stands for a function, and return its text.

    Args:
        draw: how to draw.
        scope: where its definitions and features are noted.
        function: text of the function, in brackets if it is a lambda.
        forms: what may stand for it, with `$0` for itself; default `FORMS`.
    """
    form = draw(st.sampled_from(forms))
    scope.define(*form.definitions)
    scope.note(*form.features)
    return form.template.replace("$0", function)


def bind_way(
    draw: st.DrawFn,
    scope: Scope,
    ways: Sequence[Kind],
    parameters: str,
    *,
    forms: Sequence[Kind] = FORMS,
) -> None:
    """Draw a way, and bind `run`, a function which does what it says.

    Args:
        draw: how to draw.
        scope: where the function is bound.
        ways: the ways; one that the installed releases have is drawn.
        parameters: what the expressions of the ways name, for example `"function, tree"`, that of
            a function first.
        forms: what stands for the function, with `$0` for itself; one is drawn; default `FORMS`.
    """
    drawn = draw(st.sampled_from(available(ways)))
    function, text = parameters.partition(",")[0], drawn.template
    form = draw_form(draw, scope, function, forms)
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    if form != function:
        text = f"(lambda {function}: {text})({form})"
    scope.bind("run", f"lambda {parameters}: {text}")
