"""Names of any text for the parts of a transformation, with the parameters that they see."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .params import GRADIENTS, draw_parameters, sources

# Parameters and fields of the functions that take the names, words of Python, and other text.
_ODD = ("tree", "filtering", "key", "default", "kwargs", "self", "cls", "args", "name", "measures")
_ODD += ("params", "updates", "state", "value", "inner_state", "inner_states", "measurements")
_ODD += (
    "class",
    "None",
    "__class__",
    "_fields",
    "keys",
    "items",
    "",
    "a b",
    "a.b",
    "a/b",
    "é",
    "0",
)
_TEXT = st.sampled_from(_ODD) | st.text(max_size=3).filter(lambda text: "\x00" not in text)
_NUMBERS = st.integers(-2, 2)


@st.composite
def _names(draw: st.DrawFn, numbers: bool, most: int) -> Recipe:
    scope = Scope()
    # Whether labels whose root can be called are called is asked by the laws of masks.
    draw_parameters(draw, scope, callable_root=not numbers)
    scope.bind("grads", GRADIENTS)
    kinds = (_TEXT, _NUMBERS) if numbers else (_TEXT,)
    kind = draw(st.sampled_from(kinds))
    names = draw(st.lists(kind, min_size=1, max_size=most, unique=True))
    scope.note("names:numbers" if kind is _NUMBERS else "names:text")
    scope.note(*(f"name:{name}" for name in names if name in _ODD and str(name).isidentifier()))
    scope.bind("names", ascii(names))
    return scope.recipe()


def names(*, numbers: bool = False, most: int = 3) -> st.SearchStrategy[Recipe]:
    """Draw `params`, `grads` and `names`, a list of different names.

    Args:
        numbers: the names may also be numbers; default `False`.
        most: most names; default 3.
    """
    return probe_first(sources, _names(numbers, most))
