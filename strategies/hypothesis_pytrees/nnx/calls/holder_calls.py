"""Calls of functions and objects that have attributes of their own, through transforms."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.core.signatures import Signature
from hypothesis_pytrees.trees.calls.signed_calls import SignedWay, signed_calls

_OTHER = """\
def signed_other(*values, **named):
    return jtu.tree_map(lambda leaf: leaf + 100, values[0])
"""
_HOLDER = """\
def signed_holder(held, /, **attributes):
    for name, value in attributes.items():
        setattr(held, name, value)
    return held
"""
_OBJECT = """\
class SignedObject:
    def __init__(self, end):
        self.end = end

    def __call__(self, *given):
        return self.end(*given)
"""
_MODULE = """\
class SignedModule(nnx.Module):
    def __init__(self, end):
        self.end = end

    def __call__(self, *given):
        return self.end(*given)
"""
_FORMS = (
    ("object", "SignedObject($0)", (_OBJECT,)),
    ("module", "SignedModule($0)", (_MODULE,)),
    ("function", "lambda *given: $0(*given)", ()),
    ("partial", "functools.partial(lambda *given: $0(*given))", ()),
)
# Names that wrappers of functions use for themselves, and other names.
_NAMES = (
    *("f", "fun", "func", "function", "fwd", "bwd", "graph", "has_aux", "in_axes", "out_axes"),
    *("transform_metadata", "ctxtag", "nondiff_states", "nondiff_argnums", "jitted_fn", "args"),
    *("static_argnums", "in_shardings", "axis_name", "scan_fn", "rate", "doc"),
)
_VALUES = ("signed_other", "None", "True", "2", "'text'", "()")


@st.composite
def holder_calls(draw: st.DrawFn, ways: Sequence[SignedWay]) -> Recipe:
    """Draw a function with attributes, and bind `run`, which calls it in a way, and `wanted`.

    The function is an object, a module, a function or a partial. Features: `holder:<kind>`, and
    `attribute:<name>` of each attribute, `empty:<name>` if it is an empty tuple.

    Args:
        ways: the ways; one that the installed releases have is drawn.
    """
    name, text, definitions = draw(st.sampled_from(_FORMS))
    # A partial lets nobody set what it calls. The first name, which most wrappers have, in half of
    # the draws.
    free = [one for one in _NAMES if name != "partial" or one not in ("func", "args")]
    names = draw(st.lists(st.sampled_from(free), min_size=1, max_size=3, unique=True))
    if draw(st.booleans()) and _NAMES[0] not in names:
        names[0] = _NAMES[0]
    values = {one: draw(st.sampled_from(_VALUES)) for one in names}
    pairs = [f"{one}={value}" for one, value in values.items()]
    empty = [f"empty:{one}" for one, value in values.items() if value == "()"]
    holder = Signature(
        f"{name}-with-attributes",
        f"signed_holder({text}, {', '.join(pairs)})",
        definitions=(_OTHER, _HOLDER, *definitions),
        traits=(f"holder:{name}", *(f"attribute:{one}" for one in names), *empty),
    )
    return draw(signed_calls(ways, (holder,)))
