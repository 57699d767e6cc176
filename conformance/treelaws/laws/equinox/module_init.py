"""Equinox Modules: the steps of construction, their number and order, and their inheritance."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._module_construction import logged

law = Topic("equinox.module.init", "Equinox: construction of a Module", family="equinox")
_FIELD = "https://docs.kidger.site/equinox/api/module/advanced_fields/#equinox.field"
_CHECK = "https://docs.kidger.site/equinox/api/module/advanced_fields/#checking-invariants"
_ORDER = "https://github.com/patrick-kidger/equinox/issues/969"
# "the returned PyTree is constructed without calling `__init__`, `__post_init__`, ..."
_TREE_AT = "https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_at"


@law(
    "a subclass that does not change construction runs the same steps as its base class",
    source=_ORDER,
    needs={"Module", "field"},
    level="should",
    case=logged(),
)
def construction_is_inherited(lib, case):
    equal(case.child_events, case.base_events)
    same(case.child.x, case.base.x)


@law(
    "a converter runs once per construction, also on a default value",
    source=_FIELD,
    needs={"Module", "field"},
    case=logged(),
)
def converters_run_once(lib, case):
    converters = [f for f in dataclasses.fields(case.child) if f.metadata.get("converter")]
    runs = [event for event in case.child_events if event[0] == "convert"]
    true(len(runs) == len(converters), case.child_events, f"{len(converters)} conversions")
    for field in converters:
        value = getattr(case.child, field.name)
        true(type(value) is tuple and len(value) == 1, value, "a value converted once")


@law(
    "a converter receives the value given to its field",
    source=_FIELD,
    needs={"Module", "field"},
    case=logged(),
)
def converters_get_the_given_value(lib, case):
    converted = any(f.metadata.get("converter") and f.name == "x" for f in _fields_of(case))
    same(case.child.x, (case.wanted,) if converted else case.wanted)


def _fields_of(case):
    return dataclasses.fields(case.child)


@law(
    "construction runs `__init__`, `__post_init__`, converters and `__check_init__` in this order",
    source=_FIELD,
    needs={"Module", "field", "converters_after_post_init"},
    case=logged(),
)
def converters_run_after_initialisation(lib, case):
    order = [("init", "post", "convert", "check").index(step) for step, _ in case.child_events]
    true(order == sorted(order), case.child_events, "init, post, convert, check")


@law(
    "mapping, copying, filtering or tracing a Module runs no constructor hook and no converter",
    source=_TREE_AT,
    needs={"Module", "field"},
    level="should",
    case=logged(use=True),
)
def uses_construct_nothing(lib, case):
    equal(case.used, [])


_CHECKED = """\
class Checked_{index}(eqx.Module):
    x: typing.Any{field}
    y: typing.Any = None

    def __check_init__(self):
        {body}
"""
_ASSIGNMENTS = ("self.x = 1", "self.y = None", "self.z = 1", "setattr(self, 'x', self.x)")
_CHECKED_FIELDS = ("", " = eqx.field(static=True)", " = eqx.field(converter=lambda value: value)")


@st.composite
def _checked(draw: st.DrawFn, bodies: tuple[str, ...]) -> Recipe:
    scope = Scope()
    index = draw(st.integers(0, len(_CHECKED_FIELDS) * len(bodies) - 1))
    field = _CHECKED_FIELDS[index // len(bodies)]
    name = f"{'r' if 'raise' in bodies[0] else 'a'}{index}"
    scope.define(_CHECKED.format(index=name, field=field, body=bodies[index % len(bodies)]))
    cls = f"Checked_{name}"
    if draw(st.booleans()):
        # An __init__ in a subclass must not switch the check off.
        init = "    def __init__(self, x):\n        self.x = self.y = x\n"
        scope.define(f"class Child{cls}({cls}):\n{init}")
        cls = f"Child{cls}"
    given = "'label'" if "static" in field else scope.bind("given", draw(trees(max_leaves=2)))
    scope.bind("build", f"lambda: {cls}({given})")
    return scope.recipe()


@law(
    "assigning an attribute in `__check_init__` raises an error",
    source=_CHECK,
    needs={"Module", "field"},
    case=_checked(_ASSIGNMENTS),
)
def check_init_cannot_assign(lib, case):
    refuses(Exception, case.build)


@law(
    "an exception in `__check_init__` reaches the caller, even if a subclass defines `__init__`",
    source=_CHECK,
    needs={"Module", "field"},
    case=_checked(("raise ZeroDivisionError",)),
)
def check_init_refuses_the_instance(lib, case):
    refuses(ZeroDivisionError, case.build)
