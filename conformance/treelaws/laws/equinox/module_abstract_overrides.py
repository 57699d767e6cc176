"""Equinox Modules: what overrides an abstract attribute, and what only looks like it."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import true

from .module_abstract import (
    abstract_class_vars_refuse_instances,
    abstract_vars_refuse_instances,
    camel,
    law,
    overridden_members_allow_instances,
)

_FIELDS = "https://docs.kidger.site/equinox/api/module/advanced_fields/"
_KINDS = {
    "var": "eqx.AbstractVar[typing.Any]",
    "classvar": "eqx.AbstractClassVar[typing.Any]",
    "var-then-classvar": "eqx.AbstractVar[typing.Any]",
    "classvar-then-var": "eqx.AbstractClassVar[typing.Any]",
}
_AGAIN = {
    "var-then-classvar": "eqx.AbstractClassVar[typing.Any]",
    "classvar-then-var": "eqx.AbstractVar[typing.Any]",
}
_INIT = "\n    def __init__(self, it=None):\n        self.it = it\n"
# Members with the attribute: those of instances alone, then those of the class.
_OF_INSTANCES = {
    "field": "    it: typing.Any\n",
    "text-field": "    it: 'typing.Any'\n",
    "static-field": "    it: typing.Any = eqx.field(static=True)\n",
    "converter-field": "    it: typing.Any = eqx.field(converter=lambda it: it)\n",
    "factory-field": "    it: typing.Any = eqx.field(default_factory=list)\n",
    "field-set-by-init": f"    it: typing.Any\n{_INIT}",
    "field-set-late": (
        "    it: typing.Any = eqx.field(init=False)\n\n"
        "    def __post_init__(self):\n        self.it = None\n"
    ),
}
_OF_CLASSES = {
    "default-field": "    it: typing.Any = None\n",
    "static-default": "    it: typing.Any = eqx.field(static=True, default=None)\n",
    "classvar": "    it: typing.ClassVar[typing.Any] = None\n",
    "text-classvar": "    it: 'typing.ClassVar[typing.Any]' = None\n",
    "value": "    it = None\n",
    "property": "    @property\n    def it(self):\n        return None\n",
    "method": "    def it(self):\n        return None\n",
    "class": "    class it:\n        pass\n",
    "nothing": "    pass\n",
    "unrelated": "    more: typing.Any = None\n",
}


_MEMBERS = (*_OF_INSTANCES, *_OF_CLASSES)
_FIELD_MEMBERS = (*_OF_INSTANCES, "default-field", "static-default")
_WAYS = ("child", "grandchild", "mixin", "later-mixin")


@st.composite
def _overridden(
    draw: st.DrawFn, members: tuple[str, ...] = _MEMBERS, ways: tuple[str, ...] = _WAYS
) -> Recipe:
    """Bind `build`, which makes an instance of a class below an abstract one, and `on_class`.

    Feature `override:of-instances-alone`: the class has no attribute that overrides the one of its
    base, but its instances do.

    Args:
        members: what may override the attribute; default any member.
        ways: how the classes inherit; default any way.
    """
    scope = Scope()
    kind = draw(st.sampled_from(list(_KINDS)))
    member = draw(st.sampled_from(members))
    way = draw(st.sampled_from(ways))
    scope.note(f"abstract:{kind}", f"member:{member}", f"inherited:{way}")
    if "classvar" in kind and member in _OF_INSTANCES:
        scope.note("override:of-instances-alone")
    body = {**_OF_INSTANCES, **_OF_CLASSES}[member]
    base = f"It{camel(kind)}"
    scope.define(f"class {base}(eqx.Module):\n    it: {_KINDS[kind]}\n")
    if kind in _AGAIN:
        scope.define(f"class {base}Again({base}):\n    it: {_AGAIN[kind]}\n")
        base = f"{base}Again"
    name, part = f"{base}{camel(member, way)}", f"{camel(member)}Part"
    if way in ("child", "grandchild"):
        scope.define(f"class {name}({base}):\n{body}")
    else:
        bases = f"{part}, {base}" if way == "mixin" else f"{base}, {part}"
        scope.define(f"class {part}(eqx.Module):\n{body}", f"class {name}({bases}):\n    pass\n")
    if way == "grandchild":
        scope.define(f"class {name}Below({name}):\n    more: typing.Any = None\n")
        name = f"{name}Below"
    given = "None" if member in _OF_INSTANCES and member != "field-set-late" else ""
    scope.bind("build", f"lambda: {name}({given})")
    scope.bind("on_class", repr("classvar" in kind and member not in _OF_INSTANCES))
    return scope.recipe()


@law(
    "an instance either cannot be made or has the attribute that an `AbstractVar` or an "
    "`AbstractClassVar` names, and so has its class unless a field overrides it",
    # Quote: "This makes `AbstractClassVar` useful when you want to assert that you can access
    # `cls.attr` on a subclass." A test lets a field override it, which only an instance has:
    # https://github.com/patrick-kidger/equinox/pull/1198
    source=f"{_FIELDS}#equinox.AbstractClassVar",
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    level="should",
    case=_overridden(),
    parents=[abstract_vars_refuse_instances, abstract_class_vars_refuse_instances],
)
def abstract_attributes_can_be_accessed(lib, case):
    try:
        module = case.build()
    except TypeError as refusal:
        true("abstract" in str(refusal), refusal, "an error about abstract attributes")
        return
    for owner in (module, type(module)) if case.on_class else (module,):
        true(hasattr(owner, "it"), owner, "an attribute of the name `it`")


@law(
    "a field of any kind overrides an `AbstractVar` or an `AbstractClassVar`, and the class below "
    "can be instantiated",
    source="https://github.com/patrick-kidger/equinox/pull/1198",
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    level="should",
    # An abstract attribute of an earlier base comes before the field of a later one.
    case=_overridden(_FIELD_MEMBERS, ("child", "grandchild", "mixin")),
    parents=[overridden_members_allow_instances],
)
def fields_override_abstract_attributes(lib, case):
    module = case.build()
    true(hasattr(module, "it"), module, "an attribute of the name `it`")
