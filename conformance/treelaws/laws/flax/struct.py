"""Flax: `flax.struct` dataclasses, made by the decorator or by the base class."""

from __future__ import annotations

import dataclasses
import typing

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, leaves, scalars, trees
from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.flax.structs import FLAX_STRUCTS
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same, true

law = Topic("flax.struct", "Flax: flax.struct dataclasses", family="flax")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.struct.html#flax.struct.dataclass"
# A fixed commit, so that its line numbers stay correct.
_COMMIT = "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0"
_TESTS = f"{_COMMIT}/tests/struct_test.py"
_PYTHON = "https://docs.python.org/3/library/dataclasses.html"
# Keyword arguments of the standard library's decorator, the simplest one first.
_OPTIONS = ("repr=False", "eq=False", "order=True", "unsafe_hash=True", "frozen=False")
_OPTIONS = (*_OPTIONS, "kw_only=True", "slots=True", "match_args=False")
_FIELD_OPTIONS = ("{}", "{'default': 3}", "{'default_factory': list}", "{'kw_only': True}")


def _with(*features: str, without: tuple[str, ...] = ()) -> tuple[Kind, ...]:
    """Return the kinds that have one of `features` and none of `without`."""
    wanted, unwanted = ({f"struct:{one}" for one in names} for names in (features, without))
    return tuple(
        kind
        for kind in FLAX_STRUCTS
        if (not wanted or wanted & set(kind.features)) and not unwanted & set(kind.features)
    )


@st.composite
def _structs(
    draw: st.DrawFn, roots: tuple[Kind, ...] = FLAX_STRUCTS, history: bool = True
) -> Recipe:
    """Draw `node`, `picked`, numbers that select fields, and `value`, any leaf."""
    scope = Scope()
    inner = (*CONTAINERS, *FLAX_STRUCTS)
    node = scope.bind("node", draw(trees(roots=roots, kinds=inner, max_leaves=4)))
    if history:
        prior_operations.apply(draw, scope, node)
    scope.bind("picked", repr(draw(st.lists(st.integers(0, 3), max_size=2, unique=True))))
    scope.bind("value", draw(leaves()))
    return scope.recipe()


def _whole(kind: Kind) -> Kind:
    """Return a kind that keeps all features of its class while a failure shrinks."""
    return Kind(kind.name, kind.template, kind.definitions, kind.features, needs=kind.needs)


@st.composite
def _hashable(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    roots = _with(without=("identity-eq", "equal-to-nothing", "mutable", "default-factory"))
    drawn = draw(trees(scalars(), roots=roots, kinds=(), max_leaves=2, alias=False))
    scope.bind("node", drawn)
    return scope.recipe()


@st.composite
def _options(draw: st.DrawFn) -> Recipe:
    """Draw `options`, arguments of a decorator, and `make`, which returns a new plain class."""
    scope = Scope()
    chosen = draw(st.lists(st.sampled_from(_OPTIONS), unique=True, max_size=3))
    # `order=True` with `eq=False` raises ValueError.
    chosen = [one for one in chosen if one != "order=True" or "eq=False" not in chosen]
    scope.note(*(f"option:{one}" for one in chosen))
    scope.bind("options", f"dict({', '.join(chosen)})")
    space = "{'__annotations__': {'x': typing.Any, 'y': typing.Any}, '__module__': __name__}"
    scope.bind("make", f"lambda: type('Made', (), {space})")
    return scope.recipe()


@st.composite
def _fields(draw: st.DrawFn) -> Recipe:
    """Draw arguments of `flax.struct.field`: `flag`, `metadata` and other `options`."""
    scope = Scope()
    scope.bind("flag", draw(st.sampled_from(("True", "False"))))
    metadata = ("None", "{}", "{'unit': 'metre'}", "{1: [], 'static': True}")
    scope.bind("metadata", draw(st.sampled_from(metadata)))
    scope.bind("options", draw(st.sampled_from(_FIELD_OPTIONS)))
    return scope.recipe()


@law(
    "the leaves of an instance are the leaves of its data fields, in the order of the fields",
    source=_DOCS,
    needs={"struct"},
    case=_structs(),
)
def leaves_are_those_of_the_data_fields(lib, case):
    held = [getattr(case.node, name) for name in _names(case.node, data=True)]
    same(jtu.tree_leaves(case.node), jtu.tree_leaves(held), identical=True)


@law(
    "`tree_map` keeps the objects in fields with `pytree_node=False`",
    source=_DOCS,
    needs={"struct"},
    case=_structs(_with("static")),
)
def static_fields_are_untouched_by_a_map(lib, case):
    mapped = jtu.tree_map(lambda _: object(), case.node)
    names = _names(case.node, data=False)
    got = [getattr(mapped, name) for name in names]
    same(got, [getattr(case.node, name) for name in names], identical=True)


@law(
    "instances that differ in a field with `pytree_node=False` have different tree structures",
    source=_DOCS,
    needs={"struct"},
    case=_structs(_with("static")),
)
def static_values_are_in_the_treedef(lib, case):
    for name in _names(case.node, data=False):
        other = case.node.replace(**{name: 5})
        differ(jtu.tree_structure(other), jtu.tree_structure(case.node), "the structures")


@law(
    "the key path of a data field is `GetAttrKey` with the name of the field",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_dataclass.html",
    level="should",
    needs={"struct"},
    case=_structs(),
)
def keys_are_the_field_names(lib, case):
    flat, _ = jtu.tree_flatten_with_path(case.node, is_leaf=lambda part: part is not case.node)
    wanted = [(jtu.GetAttrKey(name),) for name in _names(case.node, data=True)]
    equal([path for path, _ in flat], wanted)


@law(
    "setting or deleting a field raises an exception",
    source=_DOCS,
    needs={"struct"},
    case=_structs(_with(without=("mutable",))),
)
def fields_are_frozen(lib, case):
    """Classes made with `frozen=False` are left out; the page names no type of exception."""
    for name in _names(case.node):
        refuses(Exception, lambda name=name: setattr(case.node, name, case.value))
        refuses(Exception, lambda name=name: delattr(case.node, name))


@law(
    "setting or deleting a field raises FrozenInstanceError",
    source=f"{_PYTHON}#frozen-instances",
    level="should",
    needs={"struct"},
    case=_structs(_with(without=("mutable",))),
    parents=[fields_are_frozen],
)
def errors_are_those_of_a_frozen_dataclass(lib, case):
    """Classes made with `frozen=False` are left out."""
    frozen = dataclasses.FrozenInstanceError
    for name in _names(case.node):
        refuses(frozen, lambda name=name: setattr(case.node, name, case.value))
        refuses(frozen, lambda name=name: delattr(case.node, name))


@law(
    "`replace` returns an instance of the same type in which only the named fields differ",
    source=_DOCS,
    needs={"struct"},
    case=_structs(),
)
def replace_changes_the_named_fields_alone(lib, case):
    updates = _updates(case)
    other = case.node.replace(**updates)
    true(type(other) is type(case.node), type(other), f"a {type(case.node)}")
    held = {name: getattr(case.node, name) for name in _names(case.node)}
    got = [getattr(other, name) for name in held]
    same(got, list({**held, **updates}.values()), identical=True)


@law(
    "`replace` does not change the original",
    source=_DOCS,
    needs={"struct"},
    case=_structs(),
)
def replace_leaves_the_original_alone(lib, case):
    before = [getattr(case.node, name) for name in _names(case.node)]
    case.node.replace(**_updates(case))
    same([getattr(case.node, name) for name in _names(case.node)], before, identical=True)


@law(
    "`replace(name=value)` raises TypeError if the class has no field of that name",
    source=f"{_PYTHON}#dataclasses.replace",
    level="should",
    needs={"struct"},
    case=_structs(),
)
def replace_refuses_what_is_no_field(lib, case):
    refuses(TypeError, lambda: case.node.replace(no_such_field=case.value))


@law(
    "the constructor takes exactly the fields, and stores each as an attribute",
    source=_DOCS,
    needs={"struct"},
    case=_structs(),
)
def constructor_arguments_are_the_attributes(lib, case):
    held = {name: getattr(case.node, name) for name in _names(case.node)}
    made = type(case.node)(**held)
    same([getattr(made, name) for name in held], list(held.values()), identical=True)
    refuses(TypeError, lambda: type(case.node)(**held, no_such_field=1))


@law(
    "`flax.struct.field` keeps the metadata and the options that it is given",
    source=f"{_TESTS}#L125-L129",
    level="should",
    needs={"struct"},
    case=_fields(),
)
def field_keeps_metadata_and_options(lib, case):
    field = lib.struct.field(pytree_node=case.flag, metadata=case.metadata, **case.options)
    wanted = {**(case.metadata or {}), "pytree_node": case.flag}
    equal(dict(field.metadata), wanted)
    equal({name: getattr(field, name) for name in case.options}, case.options)


@law(
    "the decorator takes the arguments of `dataclasses.dataclass`, with `frozen=True` by default",
    source=_DOCS,
    needs={"struct"},
    case=_options(),
)
def options_reach_the_dataclass(lib, case):
    kind = lib.struct.dataclass(**case.options)(case.make())
    model = dataclasses.dataclass(**{"frozen": True, **case.options})(case.make())
    equal(repr(kind.__dataclass_params__), repr(model.__dataclass_params__))
    equal(_added_by_decorator(kind), _added_by_decorator(model))


@law(
    "`flax.struct.dataclass(Class)` returns `Class` itself if it is already decorated",
    source=f"{_TESTS}#L75-L86",
    level="should",
    needs={"struct"},
    case=_structs(),
)
def decorating_twice_changes_nothing(lib, case):
    kind = type(case.node)
    true(lib.struct.dataclass(kind) is kind, lib.struct.dataclass(kind), f"{kind}")


@law(
    "`Class[int](...)` makes an instance of `Class` if the class is generic",
    source="https://github.com/google/flax/issues/5233",
    level="should",
    needs={"struct"},
    case=_structs(tuple(map(_whole, _with("generic", without=("inherited",))))),
)
def generic_alias_makes_the_same_node(lib, case):
    held = {name: getattr(case.node, name) for name in _names(case.node)}
    kind: typing.Any = type(case.node)
    same(kind[int](**held), case.node, identical=True)


@law(
    "instances with equal fields are equal and have equal hashes",
    source=f"{_PYTHON}#dataclasses.dataclass",
    level="should",
    needs={"struct"},
    case=_hashable(),
)
def equal_instances_hash_alike(lib, case):
    other = case.rebuild().node
    true((other == case.node, other != case.node) == (True, False), other, f"equal to {case.node}")
    equal(hash(other), hash(case.node))


def _names(node, data=None):
    """Return the names of the fields: all, only data fields, or only static fields."""
    flags = {
        field.name: field.metadata.get("pytree_node", True) for field in dataclasses.fields(node)
    }
    return [name for name, flag in flags.items() if data is None or flag is data]


def _updates(case):
    """Return a new value for each picked field: a number for a static field."""
    names = _names(case.node)
    data = _names(case.node, data=True)
    picked = {names[index % len(names)] for index in case.picked if names}
    return {name: case.value if name in data else 5 for name in picked}


def _added_by_decorator(kind):
    """Return the names that a dataclass decorator added, and `kw_only` of each field."""
    names = ("__slots__", "__match_args__", "__eq__", "__hash__", "__repr__", "__lt__")
    keywords = [field.kw_only for field in dataclasses.fields(kind)]
    return [name for name in names if vars(kind).get(name) is not None], keywords
