"""Flax NNX: items of Variables that hold a dict, a list or an array."""

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
    parents=[a_variable_looks_like_its_value],
)
def a_variable_acts_as_its_value(lib, case):
    value = case.make()
    same(list(case.variable), list(value))
    equal(case.key in case.variable, case.key in value)
    function = lib.Variable(lambda *args, **named: (args, named))
    same(function(1), ((1,), {}))
    same(function(value, 1, key=case.item), ((value, 1), {"key": case.item}))
    true(lib.Param(np.ones((2, 1))).shape == (2, 1), case.variable, "the shape of the value")


# Of an array of shape (2, 3); each kind of index that arrays of JAX take.
_INDICES = (
    *("0", "-1", "np.int64(1)", "np.uint8(0)", "jnp.int32(1)", "True"),
    *("...", "None", "slice(None)", "slice(1, None)", "slice(None, None, -1)", "()"),
    *("np.array([0, 1])", "np.array([1])", "np.array([[0, 1], [1, 0]])", "np.array([], np.int32)"),
    *("np.array([True, False])", "np.array([[True, False, True], [False, True, False]])"),
    *("jnp.array([1, 0])", "jnp.array([True, False])", "np.array(1)", "np.zeros((0, 2), np.int32)"),
    *("(0, 1)", "(..., 0)", "(0, ...)", "(None, 1)", "(slice(None), np.array([2, 0]))"),
    *("(np.array([0, 1]), np.array([2, 2]))", "(np.array([True, True]), 1)", "(0, slice(1, 3))"),
    *("(slice(None), None, 1)", "(jnp.array([0, 1]), ...)", "jnp.arange(2)[None]"),
)
_ARRAYS = ("np.float32", "np.int32", "jnp.bfloat16", "np.bool_", "np.complex64")
_WRITTEN = ("True", "jnp.asarray(1, value.dtype)", "np.asarray(1, value.dtype)")


@st.composite
def _indexed(draw: st.DrawFn) -> Recipe:
    """Draw a `value`, a `variable` that holds it, an `index`, and an `item` to be written there."""
    scope = Scope()
    index, dtype = draw(st.sampled_from(_INDICES)), draw(st.sampled_from(_ARRAYS))
    scope.bind("value", f"jnp.arange(6).reshape(2, 3).astype({dtype})")
    scope.bind("variable", f"{draw(st.sampled_from(_TYPES))}(value)")
    scope.bind("index", index)
    scope.note(f"index:{index.partition('(')[0] or 'tuple'}")
    if scope.value("isinstance(index, np.ndarray) and index.size != 1"):
        scope.note("index:several-of-numpy")
    same_shape = "value[index] + 1 if value.dtype != bool else ~value[index]"
    scope.bind("item", draw(st.sampled_from((*_WRITTEN, same_shape))))
    return scope.recipe()


@law(
    "`variable[index]` and `variable[index] = item` read and write an array as `value[index]` and "
    "`value.at[index].set(item)` do, for each kind of index",
    # "For Variable[Array] instances use: variable[...] = new_value"
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py#L1570-L1595",
    level="should",
    needs=_NEEDS,
    case=_indexed(),
    weight=6,
)
def arrays_are_indexed_as_by_jax(lib, case):
    same(case.variable[case.index], case.value[case.index])
    wanted = case.value.at[case.index].set(case.item)
    case.variable[case.index] = case.item
    same(case.variable.get_value(), wanted)
    other = lib.Param(case.value)
    other.set_value(case.item, index=case.index)
    same((other.get_value(), other.get_value(index=case.index)), (wanted, wanted[case.index]))


def _by_index(variable):
    return lambda key, item: variable.set_value(item, index=key)
