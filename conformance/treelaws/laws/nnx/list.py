"""Flax NNX: `List` behaves as a list, and `Sequential` applies one."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.modules import attributes, statics
from hypothesis_pytrees.nnx.programs import LIST_STEPS, ROUND_TRIPS, list_programs
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

from ._model import same_graph
from ._runs import round_trip, run_program

law = Topic("nnx.list", "Flax NNX: List", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/helpers.html"
_LIST = f"{_DOCS}#flax.nnx.List"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
_GETITEM = "https://docs.python.org/3/reference/datamodel.html#object.__getitem__"
_SEQUENTIAL = f"{_DOCS}#flax.nnx.Sequential"
# Without steps that search by identity, since a round trip makes new objects.
_BY_PLACE = tuple(step for step in LIST_STEPS if step.name != "find" and "remove" not in step.text)
_TESTS = "https://github.com/google/flax/blob/v0.12.6/tests/nnx/helpers_test.py"


@st.composite
def _long(draw: st.DrawFn) -> Recipe:
    """Draw `size`, the number of items, mostly above 9, and `trip`, a round trip."""
    scope = Scope()
    scope.bind("size", str(draw(st.sampled_from((0, 1, 2, 10, 11, 12, 21, 101)))))
    scope.bind("trip", draw(st.sampled_from([step.text for step in ROUND_TRIPS])))
    return scope.recipe()


@st.composite
def _marked(draw: st.DrawFn) -> Recipe:
    """Draw `values` and `flags`, which say for each value whether it is marked as data."""
    scope = Scope()
    flags = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    names = [scope.bind("value", draw(_any_value(flag))) for flag in flags]
    scope.bind("values", f"[{', '.join(names)}]")
    scope.bind("flags", repr(flags))
    return scope.recipe()


def _any_value(data: bool) -> st.SearchStrategy[Recipe]:
    return st.one_of(statics(), attributes(static=False)) if data else statics()


@st.composite
def _layers(draw: st.DrawFn) -> Recipe:
    """Draw `layers`, functions of a number, and `x`."""
    table = ("lambda x: x + 1", "lambda x: x * 2", "lambda x: x - 3", "abs", "jnp.negative")
    scope = Scope()
    names = draw(st.lists(st.sampled_from(table), min_size=1, max_size=4))
    scope.bind("layers", f"[{', '.join(names)}]")
    scope.bind("x", str(draw(st.integers(-3, 3))))
    return scope.recipe()


@law(
    "each operation on a List has the same result as on a list of the same items, or also raises",
    source=_LIST,
    needs={"List"},
    case=list_programs(),
)
def a_program_does_what_it_does_to_a_list(lib, case):
    """A slice is assigned as many items as it has: List rejects other numbers by design."""
    run_program(lib, case.steps, lib.List(iter(case.start)), list(case.start))


@law(
    "an operation that raises on a list raises the same type of exception on a List",
    source=_GETITEM,
    level="should",
    needs={"List"},
    case=list_programs(),
    parents=[a_program_does_what_it_does_to_a_list],
)
def errors_are_those_of_a_list(lib, case):
    run_program(lib, case.steps, lib.List(case.start), list(case.start), same_error=True)


@law(
    "`merge(*split(x))`, `clone(x)` and an identity `tree_map` keep the items of a List",
    source=f"{_GUIDE}#nnx-pytree",
    needs={"List"},
    case=list_programs(steps=(*ROUND_TRIPS, *_BY_PLACE, *ROUND_TRIPS, *ROUND_TRIPS)),
    parents=[a_program_does_what_it_does_to_a_list],
)
def a_round_trip_keeps_the_items(lib, case):
    run_program(lib, case.steps, lib.List(case.start), list(case.start))


@law(
    "after any operations, the leaves of a List of data are the leaves of its items",
    source=f"{_GUIDE}#nnx-pytree",
    needs={"List"},
    case=list_programs(items=("data",)),
    parents=[a_program_does_what_it_does_to_a_list],
)
def leaves_are_those_of_the_items(lib, case):
    items = run_program(lib, case.steps, lib.List(case.start), list(case.start))
    same(jtu.tree_leaves(items), jtu.tree_leaves(list(items)), identical=True)


@law(
    "after any operations, a List has the same structure as a new List of its items",
    source="https://github.com/google/flax/pull/5133",
    level="should",
    needs={"List"},
    case=list_programs(items=("data", "static")),
    parents=[a_program_does_what_it_does_to_a_list],
)
def structure_depends_on_the_items_alone(lib, case):
    """Items are all data or all static, since an attribute keeps its status."""
    items = run_program(lib, case.steps, lib.List(case.start), list(case.start))
    fresh = lib.List(list(items))
    same(items, fresh, identical=True)
    equal(lib.graphdef(items), lib.graphdef(fresh))


@law(
    "`merge(*split(x))`, `clone(x)` and an identity `tree_map` keep the order of a long List",
    source=_LIST,
    needs={"List"},
    case=_long(),
)
def long_lists_keep_their_order(lib, case):
    """Sorted as strings, index 10 comes before index 9."""
    items = lib.List(lib.Param(index) for index in range(case.size))
    back = round_trip(lib, case.trip)(items)
    same_graph(list(back), list(items))
    same(jtu.tree_leaves(back), list(range(case.size)))


@law(
    "items given as `data(item)` are leaves, in order; items given as `static(item)` are not",
    source=f"{_TESTS}#L213-L230",
    level="should",
    needs={"List", "data", "static"},
    case=_marked(),
)
def marked_items_are_data_or_static(lib, case):
    marks = [lib.data if flag else lib.static for flag in case.flags]
    pairs = list(zip(marks, case.values, strict=True))
    items = lib.List(mark(value) for mark, value in pairs)
    same_graph(list(items), case.values)
    data = [value for mark, value in pairs if mark is lib.data]
    same(jtu.tree_leaves(items), jtu.tree_leaves(data), identical=True)


@law(
    "the key path of an item of a List is its index",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree.flatten_with_path.html",
    level="should",
    needs={"List"},
    case=list_programs(items=("data",), most=1),
)
def the_path_to_an_item_is_its_position(lib, case):
    values = [object() for _ in case.start]
    items = lib.List(map(lib.data, values))
    paths = [path for path, _ in jtu.tree_flatten_with_path(items)[0]]
    same([items[path[0].idx] for path in paths], values, identical=True)


@law(
    "`Sequential` calls its layers in order, each with the result of the layer before",
    source=_SEQUENTIAL,
    needs={"Sequential"},
    case=_layers(),
)
def sequential_applies_its_layers_in_order(lib, case):
    wanted = case.x
    for layer in case.layers:
        wanted = layer(wanted)
    same(lib.Sequential(*case.layers)(case.x), wanted)


@law(
    "a `Sequential` without layers returns its arguments",
    source="https://github.com/google/flax/pull/4796",
    level="should",
    needs={"sequential_without_layers"},
    case=_layers(),
)
def sequential_without_layers_is_the_identity(lib, case):
    same(lib.Sequential()(case.x), case.x)
    same(lib.Sequential()(case.x, case.layers), (case.x, case.layers), identical=True)


@law(
    "iterating over a `Sequential` yields its layers in order",
    source=_SEQUENTIAL,
    needs={"Sequential.__iter__"},
    case=_layers(),
)
def sequential_iterates_over_its_layers(lib, case):
    same(list(lib.Sequential(*case.layers)), case.layers, identical=True)


@law(
    "reading or popping an index out of range of a List raises IndexError",
    source=_GETITEM,
    needs={"List"},
    case=list_programs(most=1),
)
def bad_indices_are_refused(lib, case):
    items, size = lib.List(case.start), len(case.start)
    for index in (size, -size - 1):
        refuses(IndexError, lambda index=index: items[index])
        refuses(IndexError, lambda index=index: items.pop(index))
    equal(len(items), size)


@law(
    "reading an index of a List that is not an integer raises TypeError",
    source=_GETITEM,
    level="should",
    needs={"List"},
    case=list_programs(most=1),
)
def an_index_is_an_integer(lib, case):
    items = lib.List(case.start)
    for index in ("0", None, 0.0):
        refuses(TypeError, lambda index=index: items[index])
