"""Flax NNX: items of Variables that hold a dict, a list or a NumPy array."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, same, true

from .values import a_variable_looks_like_its_value, law

_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py#L1801-L1861"
_COPY = (
    "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/variables.html#flax.nnx.Variable"
)
_NEEDS = {"Variable.set_value"}
_ITEMS = ("jnp.ones(2)", "3", "'text'", "(1, 2)", "np.float32(2.5)", "None")
_MAPPED = ("dict", "list")
_KINDS = (*_MAPPED, "np")
_TYPES = ("nnx.Param", "nnx.Variable", "nnx.Intermediate")


@st.composite
def _containers(
    draw: st.DrawFn, kinds: tuple[str, ...] = _KINDS, table: tuple[str, ...] = _ITEMS
) -> Recipe:
    """Draw `make`, which makes a container, `variable` of one, a `key` of that, and an `item`."""
    scope = Scope()
    items = draw(st.lists(st.sampled_from(table), min_size=1, max_size=4))
    index = draw(st.integers(0, len(items) - 1))
    kind = draw(st.sampled_from(kinds))
    scope.note(f"container:{kind}")
    if kind == "dict":
        text = "{" + ", ".join(f"'k{place}': {item}" for place, item in enumerate(items)) + "}"
    else:
        text = f"[{', '.join(items)}]" if kind == "list" else f"{kind}.arange({len(items)}.0)"
    scope.bind("make", f"lambda: {text}")
    scope.bind("variable", f"{draw(st.sampled_from(_TYPES))}(make())")
    scope.bind("key", repr(f"k{index}" if kind == "dict" else index))
    scope.bind("item", "7.0" if kind in ("np", "jnp") else draw(st.sampled_from(table)))
    return scope.recipe()


@law(
    "`variable[key]` and `variable[key] = item` read and write the item of a dict, a list or a "
    "NumPy array that is the value",
    source=_CODE,
    level="should",
    needs=_NEEDS,
    case=_containers(),
)
def items_of_containers_are_read_and_written(lib, case):
    model = case.make()
    same(case.variable[case.key], model[case.key])
    same(case.variable.get_value(index=case.key), model[case.key])
    for write in (case.variable.__setitem__, _by_index(case.variable)):
        write(case.key, case.item)
        model[case.key] = case.item
        same(case.variable.get_value(), model)
        write(case.key, model[case.key])


@law(
    "`del variable[key]` deletes the item of a dict or a list, and the rest stays",
    source=_CODE,
    level="should",
    needs=_NEEDS,
    case=_containers(_MAPPED),
)
def items_of_containers_are_deleted(lib, case):
    model = case.make()
    del model[case.key]
    del case.variable[case.key]
    same(case.variable.get_value(), model)
    equal(len(case.variable), len(model))


@law(
    "`get_value` and `set_value` copy the containers of a value: changing what was given or "
    "returned does not change the Variable",
    source=_CODE,
    level="should",
    needs=_NEEDS,
    case=_containers(_MAPPED),
)
def containers_are_copied(lib, case):
    given = case.make()
    case.variable.set_value(given)
    given[case.key] = case.variable.get_value()[case.key] = "changed"
    same(case.variable.get_value(), case.make())


@law(
    "a copy of a Variable has containers of its own: writing an item of the copy does not change "
    "the Variable",
    source=_COPY,
    level="should",
    needs=_NEEDS,
    # The numbers of a NumPy array are not part of the tree.
    case=_containers((*_MAPPED, "jnp")),
)
def a_copy_has_its_own_containers(lib, case):
    for copied in (case.variable.copy(), case.variable.replace(), case.variable.to_state()):
        copied[case.key] = -1.5
        same(case.variable.get_value(), case.make())


@law(
    "a Variable is called, iterated and searched as its value is, and has the shape of an array",
    source="https://github.com/google/flax/blob/v0.12.8/tests/nnx/variable_test.py#L67-L76",
    level="should",
    needs=_NEEDS,
    # An array has no one answer to `==`.
    case=_containers(table=_ITEMS[1:]),
    weight=0.3,
    parents=[a_variable_looks_like_its_value],
)
def a_variable_acts_as_its_value(lib, case):
    value = case.make()
    same(list(case.variable), list(value))
    equal(case.key in case.variable, case.key in value)
    function = lib.Variable(lambda *args, **named: (args, named))
    same(function(value, 1, key=case.item), ((value, 1), {"key": case.item}))
    true(lib.Param(np.ones((2, 1))).shape == (2, 1), case.variable, "the shape of the value")


def _by_index(variable):
    return lambda key, item: variable.set_value(item, index=key)
