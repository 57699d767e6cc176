"""Flax NNX: Lists that hold data and static items."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.modules import attributes, statics
from treelaws.equality import equal, same

from .list import law

_LIST = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/helpers.html#flax.nnx.List"
# By feature: changes of a list `items` that ends with a static item, or gets one.
_AT_THE_END = {
    "append": "items.append(static)",
    "insert": "items.insert(len(items), static)",
    "extend": "items.extend([static, static])",
    "pop": "(items.pop(), items.append(static))",
}
_BEFORE = {
    "insert-before": "items.insert($index, static)",
    "delete-before": "(items.append(static), operator.delitem(items, $index))",
    "pop-before": "(items.append(static), items.pop($index))",
    "swap": "(items.append(static), items.append(items.pop($index)))",
}


@st.composite
def _mixed(draw: st.DrawFn) -> Recipe:
    """Draw `start`, a list of data, and `change`, after which it also has static items."""
    scope = Scope()
    size = draw(st.integers(1, 3))
    data = [scope.bind("value", draw(attributes(static=False))) for _ in range(size)]
    scope.bind("start", f"[{', '.join(data)}]")
    scope.bind("static", draw(statics()))
    name, text = draw(st.sampled_from((*_AT_THE_END.items(), *_BEFORE.items())))
    scope.note(f"change:{name}", "place:of-data" if name in _BEFORE else "place:new")
    text = text.replace("$index", str(draw(st.integers(0, size - 1))))
    scope.bind("change", f"lambda items: {text}")
    return scope.recipe()


@law(
    "a List of data that static items are put into, or moved in, has the leaves of its data, and "
    "the structure of a new List of its items",
    source=_LIST,
    level="should",
    needs={"List", "data"},
    case=_mixed(),
)
def static_items_among_data_are_no_leaves(lib, case):
    items, model = lib.List(case.start), list(case.start)
    for held in (items, model):
        case.change(held)
    data = [one for one in model if one is not case.static]
    same(jtu.tree_leaves(items), jtu.tree_leaves(lib.List(data)), identical=True)
    equal(lib.graphdef(items), lib.graphdef(lib.List(model)))
