"""Equinox Modules: bound methods, class methods, static methods and properties."""

from __future__ import annotations

import inspect

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.core import prior_operations
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

law = Topic("equinox.module.methods", "Equinox: methods of Modules", family="equinox")
_BOUND = (
    "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_module/_prebuilt.py#L26-L30"
)
_EQUAL = "https://github.com/patrick-kidger/equinox/issues/480"
_METHOD = "https://docs.python.org/3/reference/datamodel.html#instance-methods"
_AUX = "https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_pytree_node.html"

_METERS = '''\
class Meter_{name}({base}):
    x: typing.Any
    unit: typing.Any = eqx.field(static=True, default='m')

    def read(self, *values: int, **named) -> tuple:
        """Return what the meter shows."""
        return (self.x, self.unit, values, named)

    @classmethod
    def like(cls, x):
        return cls(x)

    @staticmethod
    def twice(x):
        return (x, x)

    @property
    def view(self):
        return (self.x, self.unit)
'''
# Classes with the method: defined, inherited, overridden with super(), next to another field.
_CHILDREN = {
    "Own": "",
    "Bare": "class Meter_Bare(Meter_Own):\n    pass\n",
    "Chained": (
        "class Meter_Chained(Meter_Own):\n"
        "    def read(self, *values, **named):\n"
        '        """Return what the base class gives."""\n'
        "        return super().read(*values, **named)\n"
    ),
    "More": "class Meter_More(Meter_Own):\n    y: typing.Any = None\n",
}


@st.composite
def _meters(draw: st.DrawFn, history: bool = True) -> Recipe:
    scope = Scope()
    scope.define(_METERS.format(name="Own", base="eqx.Module"))
    name = draw(st.sampled_from(list(_CHILDREN)))
    if _CHILDREN[name]:
        scope.define(_CHILDREN[name])
    scope.bind("x", draw(trees(max_leaves=3)))
    unit = draw(st.sampled_from(("'m'", "1", "1.0", "None", "(1, 'a')")))
    module = scope.bind("module", f"Meter_{name}(x, unit={unit})")
    if history:
        prior_operations.apply(draw, scope, module)
    return scope.recipe()


@law(
    "a bound method is a pytree with the leaves of its instance",
    source=_BOUND,
    needs={"Module"},
    level="should",
    case=_meters(),
)
def bound_methods_hold_the_instance(lib, case):
    same(jtu.tree_leaves(case.module.read), jtu.tree_leaves(case.module), identical=True)


@law(
    "each access to `module.method` gives the same pytree",
    source=_EQUAL,
    needs={"Module"},
    level="should",
    case=_meters(),
)
def bound_methods_are_equal_on_each_lookup(lib, case):
    same(case.module.read, case.module.read, identical=True)


@law(
    "methods bound to equal instances have equal treedefs",
    source=_EQUAL,
    needs={"Module"},
    level="should",
    case=_meters(history=False),
)
def equal_instances_have_equal_methods(lib, case):
    other = jtu.tree_map(lambda leaf: leaf, case.module)
    same(other.read, case.module.read, identical=True)


@law(
    "`tree_map(f, module.method)` is the method of `tree_map(f, module)`",
    source=_BOUND,
    needs={"Module"},
    level="should",
    case=_meters(),
)
def mapping_a_method_maps_its_instance(lib, case):
    got = jtu.tree_map(lambda leaf: (leaf,), case.module.read)
    same(got(1), jtu.tree_map(lambda leaf: (leaf,), case.module).read(1), identical=True)


@law(
    "`module.method(x)` returns what `type(module).method(module, x)` returns",
    source=_METHOD,
    needs={"Module"},
    case=_meters(),
)
def bound_methods_pass_the_instance(lib, case):
    got = case.module.read(1, key="value")
    same(got, type(case.module).read(case.module, 1, key="value"), identical=True)
    same(got, (case.module.x, case.module.unit, (1,), {"key": "value"}), identical=True)


_CALL_NAMES = ("self", "cls", "args", "kwargs", "func", "fn", "x", "instance", "key")
_KEYED = """\
class KeywordReader(eqx.Module):
    x: typing.Any

    def read(*values, **named):
        return named
"""


@st.composite
def _keyword_calls(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_KEYED)
    name = draw(st.sampled_from(_CALL_NAMES))
    scope.note(f"keyword:{name}")
    scope.bind("given", draw(trees(max_leaves=2)))
    scope.bind("module", "KeywordReader(1)")
    scope.bind("named", f"{{{name!r}: given}}")
    return scope.recipe()


@law(
    "a bound method accepts keyword arguments of any name",
    source=_BOUND,
    needs={"Module"},
    level="should",
    case=_keyword_calls(),
)
def bound_methods_take_any_keyword(lib, case):
    same(case.module.read(**case.named), case.named, identical=True)


_METADATA = ("__name__", "__qualname__", "__doc__", "__module__")


@law(
    "a bound method has the name, docstring, module and signature of its function",
    source=_METHOD,
    needs={"Module"},
    case=_meters(),
)
def bound_methods_keep_metadata(lib, case):
    function, method = type(case.module).read, case.module.read
    for name in _METADATA:
        same(getattr(method, name), getattr(function, name))
    got, wanted = (list(inspect.signature(f).parameters) for f in (method, function))
    equal(got, wanted[1:])  # Binding removes `self`.


@law(
    "a bound method keeps its name, docstring and module through flatten and unflatten",
    source=_METHOD,
    needs={"Module"},
    level="should",
    case=_meters(),
    parents=(bound_methods_keep_metadata,),
)
def bound_methods_keep_metadata_when_mapped(lib, case):
    method = jtu.tree_map(lambda leaf: leaf, case.module.read)
    for name in _METADATA:
        same(getattr(method, name), getattr(type(case.module).read, name))


@law(
    "class methods and static methods are not bound to an instance",
    source=_METHOD,
    needs={"Module"},
    case=_meters(),
)
def class_methods_stay_class_methods(lib, case):
    cls = type(case.module)
    true(case.module.like.__self__ is cls, case.module.like, "a method bound to the class")
    true(case.module.twice is cls.twice, case.module.twice, "the function itself")
    same(case.module.like(case.x), cls(case.x), identical=True)


@st.composite
def _nodes(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    module = scope.include(draw(_meters())) or "module"
    name, text = draw(
        st.sampled_from(
            (
                ("module", "{}"),
                ("bound-method", "{}.read"),
                ("holds-bound-method", "eqx.Partial({}.read)"),
                ("partial", "eqx.Partial({})"),
            )
        )
    )
    scope.note(f"node:{name}")
    scope.bind("node", text.format(module))
    return scope.recipe()


@law(
    "the aux data of a Module or a bound method is hashable",
    source=_AUX,
    needs={"Module", "Partial"},
    level="should",
    case=_nodes(),
)
def aux_data_is_hashable(lib, case):
    """The laws of nodes check the same, but never with a bound method at the root."""
    hash(jtu.tree_structure(case.node).node_data()[1])


_ASSIGNING = """\
class Assigning_{index}(eqx.Module):
    x: typing.Any
    y: typing.Any = None

    def __init__(self, x):
        self.x = x
        {assignment}

    def method(self):
        return self.x
"""
_ASSIGNMENTS = ("self.y = self.method", "setattr(self, 'y', self.method)", "self.x = self.method")


@st.composite
def _own_method_assigned(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    index = draw(st.integers(0, len(_ASSIGNMENTS) - 1))
    scope.define(_ASSIGNING.format(index=index, assignment=_ASSIGNMENTS[index]))
    name = f"Assigning_{index}"
    if draw(st.booleans()):
        scope.define(f"class Child{name}({name}):\n    pass\n")
        name = f"Child{name}"
    scope.bind("given", draw(trees(max_leaves=2)))
    scope.bind("build", f"lambda: {name}(given)")
    return scope.recipe()


@law(
    "assigning an instance's own method to one of its fields raises ValueError",
    source="https://github.com/patrick-kidger/equinox/pull/493",
    needs={"Module"},
    level="should",
    case=_own_method_assigned(),
)
def own_methods_cannot_be_fields(lib, case):
    refuses(ValueError, case.build)


@law(
    "a property returns what its function returns, and setting it raises AttributeError",
    source="https://docs.python.org/3/library/functions.html#property",
    needs={"Module"},
    case=_meters(),
)
def properties_read_the_instance(lib, case):
    same(case.module.view, type(case.module).view.fget(case.module), identical=True)
    refuses(AttributeError, lambda: setattr(case.module, "view", 1))
