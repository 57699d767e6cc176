"""Flax: options of `flax.struct` dataclasses as class keywords."""

from __future__ import annotations

import dataclasses

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, same

from .struct import law, options_reach_the_dataclass

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html"
_OPTIONS = (
    *("repr=False", "eq=False", "order=True", "unsafe_hash=True", "frozen=False"),
    *("kw_only=True", "slots=True", "match_args=False", "frozen=True", "slots=False"),
)


@st.composite
def _by_keywords(draw: st.DrawFn) -> Recipe:
    """Draw `options`, class keywords, and `derive`, which makes a class of two bases with them."""
    scope = Scope()
    chosen = draw(st.lists(st.sampled_from(_OPTIONS), unique=True, max_size=3))
    # The last of `slots=True` and `slots=False` counts, and of `frozen` alike.
    options = dict(one.split("=") for one in chosen)
    if "order" in options:
        options.pop("eq", None)
    scope.note(*(f"option:{name}={value}" for name, value in options.items()))
    scope.bind("options", f"dict({', '.join(f'{n}={v}' for n, v in options.items())})")
    space = "{'__annotations__': {'x': typing.Any, 'y': typing.Any}, '__module__': __name__}"
    scope.bind("derive", f"lambda *bases, **given: type('Kept', bases, {space}, **given)")
    return scope.recipe()


@law(
    "class keywords of a PyTreeNode are the options of its dataclass, as those of "
    "`flax.struct.dataclass` are",
    source=f"{_DOCS}#flax.struct.PyTreeNode",
    level="observed",
    needs={"struct.PyTreeNode"},
    case=_by_keywords(),
    parents=[options_reach_the_dataclass],
)
def class_keywords_are_options_of_the_dataclass(lib, case):
    kind = case.derive(lib.struct.PyTreeNode, **case.options)
    model = dataclasses.dataclass(**{"frozen": True, **case.options})(case.derive())
    equal(repr(kind.__dataclass_params__), repr(model.__dataclass_params__))
    node = kind(x=(1.0, None), y=[2.0])
    same(jtu.tree_leaves(node), [1.0, 2.0])
    same(jtu.tree_map(lambda leaf: leaf + 1, node), kind(x=(2.0, None), y=[3.0]))
    same(node.replace(y=3.0), kind(x=(1.0, None), y=3.0))
