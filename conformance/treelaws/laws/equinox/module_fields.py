"""Equinox Modules: fields, their leaves, and the constructor."""

from __future__ import annotations

import dataclasses
import inspect

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, trees
from hypothesis_pytrees.classes.layers import LAYERS
from hypothesis_pytrees.classes.modules import MODULES, SIMPLE
from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.kinds import Kind
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same

from ._module_declarations import declared

law = Topic("equinox.module.fields", "Equinox: fields of a Module", family="equinox")
_MODULE = "https://docs.kidger.site/equinox/api/module/module/#equinox.Module"
_FIELD = "https://docs.kidger.site/equinox/api/module/advanced_fields/#equinox.field"

_SLOTTED_TEXT = """\
class SlottedFields(eqx.Module):
    __slots__ = ('x',)
    x: typing.Any
    y: typing.Any
"""
_SLOTTED = Kind("module", "SlottedFields($0, $1)", (_SLOTTED_TEXT,), ("module:slots",))
_UNUSUAL = {"module:default-unset", "module:property", "module:init-false", "module:subscripted"}
_NOT_COPYABLE = {"module:unpicklable", "module:deepcopy-differs"}
_ANY_NAME = "class Named_{name}(eqx.Module):\n    {name}: typing.Any\n"
# Names that a class or a constructor may use for its own arguments.
_NAMES = ("x", "self", "cls", "args", "kwargs", "name", "value", "leaves", "__hidden", "data")


@st.composite
def _modules(draw: st.DrawFn, history: bool = True) -> Recipe:
    scope = Scope()
    fast = [kind for kind in LAYERS if "layer:slow" not in kind.features]
    unusual = [kind for kind in MODULES if _UNUSUAL & set(kind.features)]
    unset = [kind for kind in unusual if "module:default-unset" in kind.features]
    # Classes with fields outside the instance's __dict__ are drawn more often.
    table = draw(st.sampled_from(((*MODULES, *fast), (*unusual, _SLOTTED), unset)))
    module = scope.bind("module", draw(trees(roots=usable(table), max_leaves=4)))
    if history:
        prior_operations.apply(draw, scope, module)
    return scope.recipe()


@law(
    "the leaves of a Module are the leaves of its non-static fields that were set, in their order",
    source=_MODULE,
    needs={"Module"},
    case=_modules(),
)
def leaves_are_those_of_the_fields(lib, case):
    fields = [f for f in dataclasses.fields(case.module) if not f.metadata.get("static")]
    wanted = [getattr(case.module, f.name) for f in fields if _is_set(case.module, f.name)]
    same(jtu.tree_leaves(case.module), jtu.tree_leaves(wanted), identical=True)


def _is_set(module, name):
    """Whether the instance holds the field; a class-level default or a property does not count."""
    slot = inspect.ismemberdescriptor(getattr(type(module), name, None))
    return slot or name in vars(module)


@law(
    "a field holds leaves unless its last declaration has `static=True`",
    source=_FIELD,
    needs={"Module", "field"},
    case=declared(history=True),
)
def static_fields_are_no_leaves(lib, case):
    wanted = [getattr(case.module, name) for name in case.dynamic]
    same(jtu.tree_leaves(case.module), jtu.tree_leaves(wanted), identical=True)


@st.composite
def _other_static_values(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    expression = scope.include(draw(declared(all_given=True)))
    values = draw(st.sampled_from((("1", "2"), ("'a'", "'b'"), ("None", "()"), ("int", "float"))))
    for name, value in zip(("one", "other"), values, strict=True):
        scope.bind(name, f"dataclasses.replace(module, **dict.fromkeys(static, {value}))")
    return scope.recipe(expression)


@law(
    "the treedefs of two instances differ if and only if a static field differs",
    source=_FIELD,
    needs={"Module", "field"},
    case=_other_static_values(),
)
def static_values_are_in_the_treedef(lib, case):
    one, other = jtu.tree_structure(case.one), jtu.tree_structure(case.other)
    if case.static:
        differ(one, other, "treedefs of instances with different static fields")
    else:
        same(case.one, case.other)


@law(
    "static fields keep their values through flatten and unflatten",
    source=_FIELD,
    needs={"Module", "field"},
    case=declared(history=True),
)
def static_values_survive_a_round_trip(lib, case):
    back = jtu.tree_map(lambda leaf: leaf, case.module)
    got = [getattr(back, name) for name in case.static]
    same(got, [getattr(case.twin, name) for name in case.static])


@law(
    "`eqx.field(metadata=...)` keeps the metadata, also next to `static`",
    source=_FIELD,
    needs={"Module", "field"},
    case=declared(),
)
def metadata_is_kept(lib, case):
    for field in dataclasses.fields(case.module):
        kept = {key: field.metadata.get(key) for key in case.metadata[field.name]}
        equal(kept, case.metadata[field.name])


@law(
    "a constructor gives each field, defaults included, the value that a dataclass gives it",
    source=_MODULE,
    needs={"Module", "field"},
    case=declared(),
)
def constructor_agrees_with_dataclass(lib, case):
    for field in dataclasses.fields(case.twin):
        same(getattr(case.module, field.name), getattr(case.twin, field.name))


@law(
    "a Module has the fields and the signature of a dataclass with the same declarations",
    source=_MODULE,
    needs={"Module", "field"},
    case=declared(),
)
def signature_agrees_with_dataclass(lib, case):
    for describe in (_fields, _parameters):
        equal(describe(type(case.module)), describe(type(case.twin)))


def _fields(cls):
    return [(f.name, f.init, f.repr, f.kw_only) for f in dataclasses.fields(cls)]


def _parameters(cls):
    parameters = inspect.signature(cls).parameters.values()
    return [(p.name, p.kind, p.default is p.empty) for p in parameters]


@law(
    "`dataclasses.replace` changes the given field and keeps the others",
    source="https://docs.python.org/3/library/dataclasses.html#dataclasses.replace",
    needs={"Module", "field"},
    case=declared(history=True),
)
def replace_changes_one_field(lib, case):
    for name in (*case.dynamic, *case.static):
        got = dataclasses.replace(case.module, **{name: "new"})
        for field in dataclasses.fields(got):
            wanted = "new" if field.name == name else getattr(case.module, field.name)
            same(getattr(got, field.name), wanted, identical=True)


@law(
    "a constructor raises TypeError for unknown, too many or missing arguments",
    source="https://docs.python.org/3/reference/expressions.html#calls",
    needs={"Module"},
    case=declared(all_given=True),
)
def constructor_refuses_wrong_arguments(lib, case):
    cls, names = type(case.module), (*case.dynamic, *case.static)
    refuses(TypeError, lambda: cls(*case.args, **case.kwargs, unknown=1))
    refuses(TypeError, lambda: cls(*case.args, *names, "one too many", **case.kwargs))
    if any(parameter[2] for parameter in _parameters(cls)):
        refuses(TypeError, lambda: cls())


@st.composite
def _field_names(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    name = draw(st.sampled_from(_NAMES))
    scope.note(f"name:{name}")
    scope.define(_ANY_NAME.format(name=name))
    # Python mangles a private name in the class body, so the call uses the mangled name.
    written = f"_Named_{name}{name}" if name.startswith("__") else name
    value = scope.bind("given", draw(trees(max_leaves=2)))
    scope.bind("build", f"lambda: Named_{name}({written}={value})")
    scope.bind("field", repr(written))
    return scope.recipe()


@law(
    "a field may have any name, and the constructor takes it by that name",
    source=_MODULE,
    needs={"Module"},
    case=_field_names(),
)
def fields_have_any_name(lib, case):
    same(getattr(case.build(), case.field), case.given, identical=True)


@law(
    "a field reads the same after flatten and unflatten, also a class-level default or a property",
    source=_MODULE,
    needs={"Module"},
    case=_modules(),
)
def fields_read_the_same_after_a_round_trip(lib, case):
    back = jtu.tree_map(lambda leaf: leaf, case.module)
    for field in dataclasses.fields(case.module):
        same(getattr(back, field.name), getattr(case.module, field.name), identical=True)


@law(
    "the key of each child of a Module is the name of its field",
    source="https://github.com/patrick-kidger/equinox/pull/363",
    needs={"Module"},
    level="should",
    case=_modules(),
)
def children_are_keyed_by_field(lib, case):
    children = jtu.tree_flatten_with_path(case.module, is_leaf=lambda x: x is not case.module)[0]
    for path, child in children:
        same(getattr(case.module, path[0].name), child, identical=True)


@st.composite
def _used_modules(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    # Containers only: a copy may change the aux data of other node types.
    copied = [kind for kind in MODULES if not _NOT_COPYABLE & set(kind.features)]
    roots = usable(draw(st.sampled_from((copied, SIMPLE))))
    module = scope.bind("module", draw(trees(roots=roots, kinds=CONTAINERS, max_leaves=3)))
    used = scope.bind("used", module)
    prior_operations.apply(draw, scope, used)
    if draw(st.booleans()):
        prior_operations.apply(draw, scope, used)
    return scope.recipe()


@law(
    "a Module keeps its treedef when it is mapped, read, copied or pickled",
    source="https://github.com/patrick-kidger/equinox/issues/992",
    needs={"Module"},
    level="should",
    case=_used_modules(),
)
def uses_keep_the_treedef(lib, case):
    equal(jtu.tree_structure(case.used), jtu.tree_structure(case.module))
