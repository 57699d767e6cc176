"""Names of keyword arguments that a wrapper can confuse with its own."""

from __future__ import annotations

import functools

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe

AWKWARD: tuple[str, ...] = (
    "option",
    "self",
    "fn",
    "fun",
    "func",
    "args",
    "kwargs",
    "instance",
    "static",
    "_args",
    "_diff_x",
    "_nondiff_x",
)


@functools.cache
def keywords() -> st.SearchStrategy[Recipe]:
    """Draw the text of a keyword argument's name; the feature is `keyword:self` and so on."""
    recipes = [Recipe((), (), repr(name), frozenset({f"keyword:{name}"})) for name in AWKWARD]
    return st.sampled_from(recipes)
