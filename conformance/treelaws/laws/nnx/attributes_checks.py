"""Flax NNX: values that attributes reject, and declarations of attributes in classes."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import NNX_MODULES, Recipe, Scope, nnx_modules
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nnx.attributes import data_values, hiding_values, static_values
from treelaws.equality import equal, refuses, same, true

from .attributes import law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
_CHECKS = f"{_GUIDE}#attribute-checks"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/object.html"
_PYTREES = tuple(kind for kind in NNX_MODULES if "nnx:object" not in kind.features)
_BOTH = cases(data=data_values(), static=static_values())
_SETTABLE = cases(
    module=nnx_modules(roots=_PYTREES, max_leaves=3, history=True),
    value=st.one_of(data_values(), static_values()),
)
_PROPERTY = """\
class NnxWithProperty(nnx.Module):
    def __init__(self, inner):
        self.inner = inner

    @property
    def value(self):
        return self.inner

    @value.setter
    def value(self, value):
        self.inner = value
"""
_RECORD = """\
@nnx.dataclass
class NnxSpecified(nnx.Pytree):
    first: typing.Any = nnx.data()
    plain: typing.Any
    kept: typing.Any = nnx.static(default='text')
    last: typing.Any = nnx.data(default=3)
    listed: typing.Any = dataclasses.field(default=7, metadata={'static': False})
"""
_REGISTERED = """\
@dataclasses.dataclass(frozen=True)
class NnxRegisteredData:
    value: int


nnx.register_data_type(NnxRegisteredData)
"""
_UNREGISTERED = """\
class NnxNoPytree(nnx.Module, pytree=False):
    pass
"""
_OBJECT = """\
class NnxPlainObject(nnx.Object):
    pass
"""


@st.composite
def _properties(draw: st.DrawFn) -> Recipe:
    """Draw two modules of one configuration, `one` and `other`, and a `value` for them."""
    scope = Scope()
    scope.define(_PROPERTY)
    first = scope.bind("first", draw(data_values()))
    scope.bind("value", draw(data_values()))
    scope.bind("one", f"NnxWithProperty({first})")
    scope.bind("other", f"NnxWithProperty({first})")
    return scope.recipe()


@st.composite
def _records(draw: st.DrawFn) -> Recipe:
    """Draw a `record` with data and static fields, and `wanted`, the leaves it must have."""
    scope = Scope()
    scope.define(_RECORD)
    first = scope.bind("first", draw(st.one_of(static_values(), data_values())))
    plain = scope.bind("plain", draw(data_values()))
    scope.bind("record", f"NnxSpecified({first}, {plain})")
    # Leaves are in the order of the attribute names.
    scope.bind("wanted", f"jtu.tree_leaves([{first}, 3, 7, {plain}])")
    return scope.recipe()


@st.composite
def _registered(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_REGISTERED)
    scope.bind("value", f"NnxRegisteredData({draw(st.integers(0, 3))})")
    return scope.recipe()


@st.composite
def _unregistered(draw: st.DrawFn) -> Recipe:
    """Draw a `node` that is not a PyTree, and values: `data`, `static` and `hiding` data."""
    scope = Scope()
    scope.define(_UNREGISTERED, _OBJECT)
    scope.bind("node", draw(st.sampled_from(("NnxNoPytree()", "NnxPlainObject()"))))
    scope.bind("data", draw(data_values()))
    scope.bind("static", draw(static_values()))
    scope.bind("hiding", draw(hiding_values()))
    return scope.recipe()


@law(
    "assigning data to a static attribute raises ValueError",
    source=_CHECKS,
    needs={"attributes_are_checked"},
    case=_BOTH,
)
def data_in_a_static_attribute_is_refused(lib, case):
    module = lib.Dict(x=case.static)
    refuses(ValueError, lambda: setattr(module, "x", case.data))
    refuses(ValueError, lambda: setattr(module, "new", lib.static(case.data)))


@law(
    "an assignment of data to a static attribute that raises does not change the module",
    source=_CHECKS,
    level="should",
    needs={"attributes_are_checked"},
    case=_BOTH,
    parents=[data_in_a_static_attribute_is_refused],
)
def a_refused_assignment_changes_nothing(lib, case):
    module = lib.Dict(x=case.static)
    refuses(ValueError, lambda: setattr(module, "x", case.data))
    refuses(ValueError, lambda: setattr(module, "new", lib.static(case.data)))
    same(dict(module), {"x": case.static}, identical=True)
    same(jtu.tree_leaves(module), [])


@law(
    "assigning a list, dict or tuple of data raises ValueError unless it is marked as data",
    source=_CHECKS,
    level="should",
    needs={"attributes_are_checked"},
    case=cases(module=nnx_modules(roots=_PYTREES, max_leaves=2), value=hiding_values()),
)
def hidden_data_is_refused(lib, case):
    """The guide shows this check for what `__init__` leaves behind."""
    refuses(ValueError, lambda: setattr(case.module, "zz_new", case.value))
    refuses(ValueError, lambda: setattr(case.module, "zz_new", lib.static(case.value)))
    true(not hasattr(case.module, "zz_new"), case.module, "no attribute zz_new")
    case.module.zz_new = lib.data(case.value)
    same(case.module.zz_new, case.value, identical=True)


@law(
    "`check_pytree(module)` raises ValueError if a static attribute contains data",
    source=_CHECKS,
    needs={"attributes_are_checked"},
    case=_BOTH,
)
def check_pytree_finds_hidden_data(lib, case):
    """A constructor that stores such a value raises too: the check runs after `__init__`."""
    module = lib.Dict(x=[case.static])
    lib.check_pytree(module)
    module.x.append(case.data)
    refuses(ValueError, lambda: lib.check_pytree(module))
    refuses(ValueError, lambda: lib.Dict(x=module.x))


@law(
    "assigning a list or dict with `data(value)` or `static(value)` inside raises ValueError",
    source=_CHECKS,
    needs={"data", "static"},
    case=_BOTH,
)
def marks_inside_structures_are_refused(lib, case):
    module = lib.Dict()
    for mark in (lib.data, lib.static):
        refuses(ValueError, lambda mark=mark: setattr(module, "x", [mark(case.static)]))
        refuses(ValueError, lambda mark=mark: setattr(module, "x", {"a": mark(case.static)}))
    same(dict(module), {})


@law(
    "setting a property has the same effect as the assignment in its setter",
    source="https://docs.python.org/3/library/functions.html#property",
    level="should",
    needs={"modules_are_nodes"},
    case=_properties(),
)
def a_property_is_what_its_setter_sets(lib, case):
    case.one.value = case.value
    case.other.inner = case.value
    same(case.one, case.other, identical=True)
    equal(lib.graphdef(case.one), lib.graphdef(case.other))


@law(
    "`nnx.data()` and `nnx.static()` decide whether a dataclass field is data",
    source=f"{_GUIDE}#dataclasses",
    needs={"Pytree", "dataclass"},
    case=_records(),
)
def field_specifiers_decide(lib, case):
    same(jtu.tree_leaves(case.record), case.wanted, identical=True)
    case.record.kept = "changed"
    same(jtu.tree_leaves(case.record), case.wanted, identical=True)


@law(
    "an instance of a type passed to `register_data_type` is data and one leaf",
    source=f"{_API}#flax.nnx.register_data_type",
    needs={"register_data_type", "is_data"},
    case=_registered(),
)
def a_registered_type_is_data(lib, case):
    module = lib.Dict(x=case.value)
    true(lib.is_data(case.value) is True, lib.is_data(case.value), "True")
    same(jtu.tree_leaves(module), [case.value], identical=True)
    same(jtu.tree_leaves(lib.merge(*lib.split(module))), [case.value], identical=True)


@law(
    "an instance of a class with PyTrees turned off is a leaf with unchecked attributes",
    source=f"{_GUIDE}#turning-off-pytree-registration",
    needs={"Object", "attributes_are_checked"},
    case=_unregistered(),
)
def an_object_is_a_leaf(lib, case):
    case.node.x = case.static
    case.node.x = case.data
    case.node.x = case.hiding
    same(jtu.tree_leaves(case.node), [case.node], identical=True)


@law(
    "inside a transform, setting an attribute of a module made outside raises an exception",
    source=f"{_GUIDE}#trace-level-awareness",
    needs={"modules_are_nodes"},
    case=_SETTABLE,
)
def attributes_are_not_set_from_inside_a_transform(lib, case):
    def traced(array):
        for value in (case.value, array):
            # The error class is in `flax.errors`, which a law cannot reach through `lib`.
            refuses(Exception, lambda value=value: setattr(case.module, "zz_new", value))

    jax.eval_shape(traced, jax.ShapeDtypeStruct((), "float32"))
    true(not hasattr(case.module, "zz_new"), case.module, "no attribute zz_new")
