"""Equinox Modules: abstract attributes, class attributes and methods."""

from __future__ import annotations

import dataclasses
import itertools

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

law = Topic("equinox.module.abstract", "Equinox: abstract Modules", family="equinox")
_FIELDS = "https://docs.kidger.site/equinox/api/module/advanced_fields/"
_VAR, _CLASS_VAR = f"{_FIELDS}#equinox.AbstractVar", f"{_FIELDS}#equinox.AbstractClassVar"
_METHOD = "https://docs.python.org/3/library/abc.html#abc.abstractmethod"
_STRING = "https://github.com/patrick-kidger/equinox/issues/591"
_SOURCE = (
    "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_module/_better_abstract.py"
)

# Kinds of abstract members: feature -> lines of the base class.
_ABSTRACT = {
    "var": "    it: eqx.AbstractVar[typing.Any]\n",
    "var-of-type": "    it: eqx.AbstractVar['int | None']\n",
    "classvar": "    it: eqx.AbstractClassVar[typing.Any]\n",
    "method": "    @abc.abstractmethod\n    def it(self):\n        ...\n",
    "property": "    @property\n    @abc.abstractmethod\n    def it(self):\n        ...\n",
    "classmethod": "    @classmethod\n    @abc.abstractmethod\n    def it(cls):\n        ...\n",
    "staticmethod": "    @staticmethod\n    @abc.abstractmethod\n    def it():\n        ...\n",
}
_FIELD_WAYS = {
    "field": "    it: typing.Any = None\n",
    "static-field": "    it: typing.Any = eqx.field(static=True, default=None)\n",
    "converter-field": "    it: typing.Any = eqx.field(converter=lambda it: it, default=None)\n",
}
_PROPERTY_WAYS = {"property": "    @property\n    def it(self):\n        return None\n"}
_CLASS_WAYS = {"classvar": "    it: typing.ClassVar[typing.Any] = None\n"}
_METHOD_WAYS = {"method": "    def it(self, *_):\n        return None\n"}
# Ways to make each one concrete, as the documentation lists them.
_CONCRETE = {
    "var": {**_FIELD_WAYS, **_PROPERTY_WAYS, **_CLASS_WAYS},
    "var-of-type": {**_FIELD_WAYS, **_PROPERTY_WAYS, **_CLASS_WAYS},
    "classvar": _CLASS_WAYS,
    "method": _METHOD_WAYS,
    "property": _PROPERTY_WAYS,
    "classmethod": {"classmethod": "    @classmethod\n    def it(cls):\n        return None\n"},
    "staticmethod": {"staticmethod": "    @staticmethod\n    def it():\n        return None\n"},
}
# Bodies of subclasses that leave the member abstract.
_STILL = {
    "nothing": "    pass\n",
    "again": "{abstract}",
    "unrelated": "    other: typing.Any = None\n\n    def method(self):\n        return None\n",
    "own-init": "    def __init__(self, x):\n        self.x = x\n",
}
_CONCRETE_PAIRS = tuple((member, way) for member, ways in _CONCRETE.items() for way in ways)
_STILL_PAIRS = tuple(itertools.product(_ABSTRACT, _STILL))


def camel(*words: str) -> str:
    """Return the words as part of the name of a class."""
    return "".join(word.title().replace("-", "") for word in words)


def _define(scope: Scope, member: str, name: str, body: str, depth: int, mixin: bool) -> str:
    """Return the name of a class with `body`, `depth` empty classes below an abstract base."""
    base = f"Abstract{camel(member)}"
    scope.define(f"class {base}(eqx.Module):\n    x: typing.Any\n{_ABSTRACT[member]}")
    for level in range(depth):
        between = f"{base}{level}"
        scope.define(f"class {between}({base}):\n    pass\n")
        base = between
    name = f"{name}{depth}{'Mixed' if mixin else ''}"
    if mixin:
        scope.define(f"class {name}Part(eqx.Module):\n{body}")
        # The mixin comes first, so that its attributes override the abstract ones.
        scope.define(f"class {name}({name}Part, {base}):\n    pass\n")
    else:
        scope.define(f"class {name}({base}):\n{body}")
    scope.note(f"abstract:{member}")
    return name


@st.composite
def _concrete(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    member, way = draw(st.sampled_from(_CONCRETE_PAIRS))
    mixin = draw(st.booleans()) and "field" not in way
    depth = draw(st.integers(0, 2))
    body = _CONCRETE[member][way]
    name = _define(scope, member, camel(member, "by", way), body, depth, mixin)
    scope.note(f"concrete-by:{way}")
    scope.bind("given", draw(leaves()))
    scope.bind("build", f"lambda: {name}(given)")
    scope.bind("read", "lambda module: module.it")
    scope.bind("fields", repr(["x", "it"] if "field" in way else ["x"]))
    scope.bind("callable_", repr("method" in way))
    return scope.recipe()


@law(
    "a class that overrides each abstract member as documented can be instantiated",
    source=_VAR,
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    case=_concrete(),
)
def overridden_members_allow_instances(lib, case):
    module = case.build()
    same(module.x, case.given, identical=True)
    value = case.read(module)() if case.callable_ else case.read(module)
    same(value, None)


@law(
    "an abstract declaration is not a field: `dataclasses.fields` lists only concrete fields",
    source=_VAR,
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    case=_concrete(),
)
def abstract_declarations_are_no_fields(lib, case):
    got = [field.name for field in dataclasses.fields(case.build())]
    equal(got, case.fields)


@law(
    "an instance of a class with abstract bases has the leaves of its fields and no others",
    source=_VAR,
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    case=_concrete(),
)
def abstract_bases_leave_the_pytree_alone(lib, case):
    same(jtu.tree_leaves(case.build()), jtu.tree_leaves([case.given]), identical=True)


@st.composite
def _still_abstract(draw: st.DrawFn, *members: str) -> Recipe:
    scope = Scope()
    member, still = draw(st.sampled_from([pair for pair in _STILL_PAIRS if pair[0] in members]))
    body = _STILL[still].replace("{abstract}", _ABSTRACT[member])
    depth = draw(st.integers(0, 2))
    name = _define(scope, member, camel(member, "still", still), body, depth, False)
    if draw(st.booleans()):
        # Another member in between must not make the abstract one concrete.
        other = f"{name}Beside"
        scope.define(f"class {other}({name}):\n    more: typing.ClassVar[int] = 1\n")
        name = other
    scope.bind("given", draw(leaves()))
    scope.bind("build", f"lambda: {name}(given)")
    return scope.recipe()


@law(
    "instantiating a class that does not override an `AbstractVar` raises an error",
    source=_VAR,
    needs={"Module", "AbstractVar"},
    case=_still_abstract("var", "var-of-type"),
)
def abstract_vars_refuse_instances(lib, case):
    refuses(Exception, case.build)


@law(
    "instantiating a class that does not override an `AbstractClassVar` raises an error",
    source=_CLASS_VAR,
    needs={"Module", "AbstractClassVar"},
    case=_still_abstract("classvar"),
)
def abstract_class_vars_refuse_instances(lib, case):
    refuses(Exception, case.build)


@law(
    "a class that does not override an abstract method or property cannot be instantiated",
    source=_METHOD,
    needs={"Module"},
    case=_still_abstract("method", "property", "classmethod", "staticmethod"),
)
def abstract_methods_refuse_instances(lib, case):
    refuses(Exception, case.build)


@st.composite
def _reordered_fields(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    names = draw(st.permutations(["a", "b", "c"]))
    abstract = draw(st.sets(st.sampled_from(["a", "b", "c"]), min_size=1))
    stem = f"{''.join(names)}_{''.join(sorted(abstract))}"
    base = "".join(f"    {name}: eqx.AbstractVar[typing.Any]\n" for name in sorted(abstract))
    child = "".join(f"    {name}: typing.Any\n" for name in names)
    scope.define(
        f"class AbstractOrder_{stem}(eqx.Module):\n{base}",
        f"class Order_{stem}(AbstractOrder_{stem}):\n{child}",
    )
    for name in "abc":
        scope.bind(name, draw(leaves()))
    scope.bind("module", f"Order_{stem}({', '.join(names)})")
    scope.bind("wanted", "dict(a=a, b=b, c=c)")
    return scope.recipe()


@law(
    "a constructor takes its arguments in the order of the fields, not of abstract declarations",
    source=_VAR,
    needs={"Module", "AbstractVar"},
    case=_reordered_fields(),
)
def abstract_vars_do_not_order_arguments(lib, case):
    for name, value in case.wanted.items():
        same(getattr(case.module, name), value, identical=True)


_DEFINE = """\
def define():
    class Wrong(eqx.Module):
        it: {annotation}{value}
    return Wrong"""


@st.composite
def _invalid_annotations(
    draw: st.DrawFn, annotations: tuple[str, ...], values: tuple[str, ...]
) -> Recipe:
    scope = Scope()
    annotation = draw(st.sampled_from(annotations))
    quoted = annotation.startswith("'")
    if quoted:
        scope.note("annotation:qualified" if "." in annotation[:12] else "annotation:plain")
    value = draw(st.sampled_from(values))
    scope.statement(_DEFINE.format(annotation=annotation, value=value))
    return scope.recipe()


@law(
    "an abstract annotation written as a string, qualified or not, raises NotImplementedError",
    source=_STRING,
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    level="should",
    case=_invalid_annotations(
        (
            "'AbstractVar[int]'",
            "'AbstractClassVar[int]'",
            "'eqx.AbstractVar[int]'",
            "'eqx.AbstractClassVar[int]'",
            "'equinox.AbstractVar[int]'",
            "'AbstractVar[typing.Any]'",
        ),
        ("",),
    ),
)
def string_annotations_are_refused(lib, case):
    refuses(NotImplementedError, case.define)


@law(
    "an abstract attribute with a value in its declaration raises TypeError",
    source=f"{_SOURCE}#L197-L210",
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    level="should",
    case=_invalid_annotations(
        ("eqx.AbstractVar[int]", "eqx.AbstractClassVar[int]", "eqx.AbstractVar[typing.Any]"),
        (" = 1", " = None", " = eqx.field(default=1)", " = eqx.field(static=True)"),
    ),
)
def abstract_attributes_have_no_value(lib, case):
    refuses(TypeError, case.define)


@law(
    "`AbstractVar` or `AbstractClassVar` without a type in brackets raises TypeError",
    source=f"{_SOURCE}#L152-L155",
    needs={"Module", "AbstractVar", "AbstractClassVar"},
    level="should",
    case=_invalid_annotations(("eqx.AbstractVar", "eqx.AbstractClassVar"), ("", " = 1")),
)
def unsubscripted_annotations_are_refused(lib, case):
    refuses(TypeError, case.define)


_STRICT = """\
class AbstractStrict_{strict}(eqx.Module{keyword}):
    it: eqx.AbstractVar[typing.Any]

    @abc.abstractmethod
    def method(self):
        ...


class Strict_{strict}(AbstractStrict_{strict}{keyword}):
    it: typing.Any

    def method(self):
        return self.it
"""


@st.composite
def _strict_pairs(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.bind("given", draw(leaves()))
    for strict, keyword in (("plain", ""), ("strict", ", strict=True")):
        scope.define(_STRICT.format(strict=strict, keyword=keyword))
        scope.bind(strict, f"Strict_{strict}(given)")
    scope.bind("build", "lambda: AbstractStrict_strict()")
    return scope.recipe()


@law(
    "`strict=True` changes nothing for a class that is abstract or final",
    source="https://github.com/patrick-kidger/equinox/pull/1028",
    needs={"Module"},
    level="observed",
    case=_strict_pairs(),
)
def strict_modules_behave_alike(lib, case):
    same(jtu.tree_leaves(case.strict), jtu.tree_leaves(case.plain), identical=True)
    same(case.strict.method(), case.plain.method(), identical=True)
    refuses(TypeError, case.build)
