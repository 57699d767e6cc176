"""JAX: `register_dataclass`: which fields are data, which are metadata, which raise errors."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same, true

from ._inputs import expressions

law = Topic("jax.dataclasses", "JAX: register_dataclass", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_dataclass.html"
# Every example makes a new class, and JAX's registry keeps them all: few examples.
_FRESH = 0.2
_ROLES = ("data", "meta", "drop", "uninit")
_FIELD = "dataclasses.field("
_OPTIONS = ("", "", "kw_only=True, ", "repr=False, compare=False, ")
_DEFAULTS = ("default='{}'", "default='{}'", "default_factory=lambda: '{}'")
_NO_FIELDS = (
    "    pass",
    "    shared: typing.ClassVar[str] = 'shared'",
    "    passing: dataclasses.InitVar[int] = 0",
)
_STATIC = ("dataclasses.field(metadata={'static': True}, ", "jax.tree.static(")


@st.composite
def _dataclasses(
    draw: st.DrawFn, roles: tuple[str, ...] = _ROLES, fewest: int = 0, marked: bool = False
) -> Recipe:
    """Bind a new dataclass `Fresh` whose fields have some of these roles, and `values` for it.

    `data`, `meta` and `drop` list the fields by role, in an order of their own; a field with the
    role `uninit` is not an argument of `__init__` and is in no list. `values` are the keyword
    arguments of an instance; dropped fields keep their default.
    """
    scope = Scope()
    required = [role for role in roles if role != "uninit"] * fewest
    chosen = [*required, *draw(st.lists(st.sampled_from(roles), max_size=4))]
    names = [f"f{number}" for number in range(len(chosen))]
    order = draw(st.permutations(list(zip(names, chosen, strict=True))))
    body = []
    for name, role in order:
        static = draw(st.sampled_from(_STATIC)) if marked and role == "meta" else _FIELD
        init = "init=False, " if role == "uninit" else draw(st.sampled_from(_OPTIONS))
        default = draw(st.sampled_from(_DEFAULTS)).format(name)
        body.append(f"    {name}: typing.Any = {static}{init}{default})")
    # Class and init variables are not fields: JAX has to leave them alone.
    body.insert(draw(st.integers(0, len(body))), draw(st.sampled_from(_NO_FIELDS)))
    frozen = draw(st.sampled_from(["", "(frozen=True)", "(kw_only=True)"]))
    above = draw(st.integers(0, len(body))) if draw(st.booleans()) else 0
    for name, part in (("Base", body[:above]), ("Fresh(Base)" if above else "Fresh", body[above:])):
        lines = [f"@dataclasses.dataclass{frozen}", f"class {name}:", *(part or ["    pass"])]
        scope.statement("\n".join(lines if above or name == "Fresh" else []))
    scope.note(*(f"dataclass:{role}" for role in chosen))
    scope.bind("Fresh", "Fresh")
    for role in ("data", "meta", "drop"):
        listed = [name for name, own in order if own == role]
        fields = listed if marked else draw(st.permutations(listed))
        scope.bind(role, repr(fields))
    texts = []
    for number, (name, role) in enumerate(order):
        if role == "data":
            texts.append(f"{name!r}: {draw_tree(draw, scope, max_leaves=2)}")
        elif role == "meta":
            texts.append(f"{name!r}: ('meta', {number})")
    scope.bind("values", f"{{{', '.join(texts)}}}")
    return scope.recipe()


@law(
    "the leaves of an instance are the leaves of the fields in `data_fields`",
    source=_DOCS,
    case=_dataclasses(("data", "meta")),
    weight=_FRESH,
)
def children_are_the_data_fields(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, case.data, case.meta)
    node, values = case.Fresh(**case.values), [case.values[name] for name in case.data]
    _same_objects(lib.tree_util.tree_leaves(node), lib.tree_util.tree_leaves(values))


@law(
    "the children of an instance come in the order of `data_fields` and under their names",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_dataclasses(("data", "meta")),
    level="should",
    weight=_FRESH,
    parents=(children_are_the_data_fields,),
)
def children_are_ordered_and_named_as_the_data_fields(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, case.data, case.meta)
    node, values = case.Fresh(**case.values), [case.values[name] for name in case.data]
    pairs, _ = lib.tree_util.tree_flatten_with_path(node, lambda inner: inner is not node)
    same([path[0].name for path, _ in pairs], case.data)
    same([child for _, child in pairs], values, identical=True)


@law(
    "`tree_map` rebuilds an instance with its data and its metadata",
    source=_DOCS,
    case=_dataclasses(("data", "meta")),
    weight=_FRESH,
)
def instance_is_rebuilt(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, case.data, case.meta)
    got = lib.tree_util.tree_map(lambda leaf: leaf, case.Fresh(**case.values))
    same(type(got), case.Fresh)
    same(vars(got), vars(case.Fresh(**case.values)), identical=False)


@law(
    "instances with different metadata have different structures",
    source=_DOCS,
    case=_dataclasses(("data", "meta"), fewest=1),
    weight=_FRESH,
)
def metadata_is_structure(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, case.data, case.meta)
    one = lib.tree_util.tree_structure(case.Fresh(**case.values))
    for name in case.meta:
        other = case.Fresh(**{**case.values, name: "other"})
        differ(one, lib.tree_util.tree_structure(other))


@law(
    "a field with `init=False` can be left out of both lists, and a rebuilt instance still has it",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_dataclasses(("data", "meta", "uninit")),
    level="should",
    weight=_FRESH,
)
def fields_without_init_are_made_again(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, case.data, case.meta)
    node = case.Fresh(**case.values)
    same(vars(lib.tree_util.tree_map(lambda leaf: leaf, node)), vars(node))


@law(
    "`drop_fields` leaves exactly the named fields out of the tree",
    source=_DOCS,
    case=_dataclasses(("data", "meta", "drop"), fewest=1),
    weight=_FRESH,
)
def dropped_fields_are_no_part_of_the_tree(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, case.data, case.meta, drop_fields=case.drop)
    filled = case.Fresh(**case.values, **{name: ["dropped"] for name in case.drop})
    values = [case.values[name] for name in case.data]
    _same_objects(lib.tree_util.tree_leaves(filled), lib.tree_util.tree_leaves(values))
    plain = lib.tree_util.tree_structure(case.Fresh(**case.values))
    equal(lib.tree_util.tree_structure(filled), plain)


@law(
    "in a rebuilt instance the dropped fields have their defaults",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_dataclasses(("data", "meta", "drop"), fewest=1),
    level="should",
    weight=_FRESH,
    parents=(dropped_fields_are_no_part_of_the_tree,),
)
def dropped_fields_come_back_as_defaults(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, case.data, case.meta, drop_fields=case.drop)
    filled = case.Fresh(**case.values, **{name: ["dropped"] for name in case.drop})
    got = lib.tree_util.tree_map(lambda leaf: leaf, filled)
    same(vars(got), vars(case.Fresh(**case.values)))


@law(
    "`register_dataclass` raises ValueError for a field that is in no list",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_dataclasses(("data", "meta"), fewest=1),
    level="should",
    weight=_FRESH,
)
def missing_field_is_refused(lib, case):
    register = lib.tree_util.register_dataclass
    refuses(ValueError, lambda: register(case.Fresh, case.data[1:], case.meta))
    refuses(ValueError, lambda: register(case.Fresh, case.data, case.meta[1:]))


@law(
    "`register_dataclass` raises ValueError for a name that is not a field of the dataclass",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_dataclasses(("data", "meta", "uninit"), fewest=1),
    level="should",
    weight=_FRESH,
)
def unknown_field_is_refused(lib, case):
    register = lib.tree_util.register_dataclass
    refuses(ValueError, lambda: register(case.Fresh, [*case.data, "unknown"], case.meta))
    refuses(ValueError, lambda: register(case.Fresh, case.data, [*case.meta, "unknown"]))


@law(
    "`register_dataclass` raises ValueError for a field that is in a list and in `drop_fields`",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_dataclasses(("data", "meta"), fewest=1),
    level="should",
    weight=_FRESH,
    parents=(dropped_fields_are_no_part_of_the_tree,),
)
def listed_field_cannot_be_dropped(lib, case):
    for name in (*case.data, *case.meta):
        register = lambda name=name: lib.tree_util.register_dataclass(
            case.Fresh, case.data, case.meta, drop_fields=[name]
        )
        refuses(ValueError, register)


@law(
    "`register_dataclass` raises ValueError for a field in both `data_fields` and `meta_fields`",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_dataclasses(("data", "meta"), fewest=1),
    level="should",
    weight=_FRESH,
)
def overlapping_fields_are_refused(lib, case):
    register = lib.tree_util.register_dataclass
    refuses(ValueError, lambda: register(case.Fresh, case.data, [*case.meta, case.data[0]]))
    plain = type("Plain", (), {})
    refuses(ValueError, lambda: register(plain, ["x", "y"], ["y"]))


@law(
    "after `register_dataclass` raised for a class, the class can be registered with correct lists",
    source=_DOCS,
    case=_dataclasses(("data", "meta"), fewest=1),
    level="should",
    weight=_FRESH,
)
def refused_class_can_be_registered_rightly(lib, case):
    register = lib.tree_util.register_dataclass
    refuses(ValueError, lambda: register(case.Fresh, case.data, [*case.meta, "unknown"]))
    same(lib.tree_util.all_leaves([case.Fresh(**case.values)]), True)
    same(register(case.Fresh, case.data, case.meta), case.Fresh)


@law(
    "`register_dataclass` without lists takes the fields as data unless they are marked static",
    source=_DOCS,
    needs={"tree.static"},
    case=_dataclasses(("data", "meta", "drop"), marked=True),
    weight=_FRESH,
)
def fields_are_data_unless_marked_static(lib, case):
    lib.tree_util.register_dataclass(case.Fresh, drop_fields=case.drop)
    node, values = case.Fresh(**case.values), [case.values[name] for name in case.data]
    _same_objects(lib.tree_util.tree_leaves(node), lib.tree_util.tree_leaves(values))
    for name in case.meta:
        other = case.Fresh(**{**case.values, name: "other"})
        differ(lib.tree_util.tree_structure(node), lib.tree_util.tree_structure(other))


@law(
    "`jax.tree.static(...)` is `dataclasses.field(...)` with `'static': True` in its metadata",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree.static.html",
    needs={"tree.static"},
    case=cases(metadata=expressions("{}", "{'unit': 'm'}", "None"), tree=trees()),
    weight=_FRESH,
)
def static_is_a_field_that_is_marked(lib, case):
    made = lib.tree.static(metadata=case.metadata, default=case.tree, init=False)
    wanted = {"static": True, **(case.metadata or {})}
    same([dict(made.metadata), made.init], [wanted, False])
    true(made.default is case.tree, made.default, "the default that was given")
    for alone in (lib.tree.static(), lib.tree.static(metadata=case.metadata)):
        true(alone.default is dataclasses.MISSING, alone, "a field without default")


@law(
    "`register_dataclass` raises TypeError for one list without the other, and for no lists if the "
    "class is not a dataclass",
    source=_DOCS,
    needs={"tree.static"},
    case=_dataclasses(("data", "meta")),
    level="should",
    weight=_FRESH,
)
def lists_come_together_or_not_at_all(lib, case):
    register = lib.tree_util.register_dataclass
    refuses(TypeError, lambda: register(case.Fresh, data_fields=case.data))
    refuses(TypeError, lambda: register(case.Fresh, meta_fields=case.meta))
    refuses(TypeError, lambda: register(type("Plain", (), {})))


def _same_objects(got, wanted):
    """Demand the same objects, in any order."""
    ordered = lambda objects: sorted(objects, key=id)
    same(ordered(got), ordered(wanted), identical=True)
