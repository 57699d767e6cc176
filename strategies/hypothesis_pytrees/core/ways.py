"""Ways in which something is done, as text: kinds whose expression names what it is done with."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from .availability import available
from .kinds import Kind
from .recipe import Scope
from .releases import Since


def way(name: str, text: str, *definitions: str, needs: tuple[Since, ...] = ()) -> Kind:
    """Return a way.

    Args:
        name: the feature of a recipe that takes it is `way:<name>`.
        text: the expression.
        definitions: texts of the functions that the expression needs.
        needs: features of a release that it uses, beside the names in its text.
    """
    return Kind("way", text, definitions, (f"way:{name}",), needs=needs)


def bind_way(draw: st.DrawFn, scope: Scope, ways: Sequence[Kind], parameters: str) -> None:
    """Draw a way, and bind `run`, a function which does what it says.

    Args:
        draw: how to draw.
        scope: where the function is bound.
        ways: the ways; one that the installed releases have is drawn.
        parameters: what the expressions of the ways name, for example `"function, tree"`.
    """
    drawn = draw(st.sampled_from(available(ways)))
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    scope.bind("run", f"lambda {parameters}: {drawn.template}")
