"""Equinox Modules: what runs while an instance is made, how often, and what a subclass inherits."""

from __future__ import annotations

import dataclasses
import gc
import inspect

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves, trees
from hypothesis_pytrees.module_kinds import bare_subclass
from hypothesis_pytrees.modules import MODULES
from hypothesis_pytrees.usable import usable

from ..law import Topic
from ..same import refuses, same, true
from .module_construction import EVENTS, logged

law = Topic("equinox.module.init", "Equinox: construction of a Module", family="equinox")
_MODULE = "https://docs.kidger.site/equinox/api/module/module/#equinox.Module"
_FIELD = "https://docs.kidger.site/equinox/api/module/advanced_fields/#equinox.field"
_CHECK = "https://docs.kidger.site/equinox/api/module/advanced_fields/#checking-invariants"
_ORDER = "https://github.com/patrick-kidger/equinox/issues/969"
_CHAIN = "https://github.com/patrick-kidger/equinox/issues/832"
_UNFLATTEN = (
    "https://docs.jax.dev/en/latest/pytrees.html"
    "#custom-pytrees-and-initialization-with-unexpected-values"
)


def _inheritable():
    """Kinds that call the class of their last definition, each with its bare subclass."""
    for kind in MODULES:
        # A keyword of the class statement is not handed down; a bare subclass is not generic.
        if {"module:init-subclass", "module:subscripted"} & set(kind.features):
            continue
        try:
            bare = bare_subclass(kind)
        except ValueError:
            continue
        if bare.template.startswith("Bare"):
            yield kind, bare


@st.composite
def _bare(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    pairs = [pair for pair in _inheritable() if usable(pair[:1])]
    kind, bare = draw(st.sampled_from(pairs))
    scope.define(*bare.definitions)
    scope.note(*bare.features)
    names = [scope.bind("child", draw(trees(max_leaves=2))) for _ in range(kind.arity)]
    scope.bind("one", kind.text(names))
    scope.bind("other", bare.text(names))
    return scope.recipe()


@law(
    "`class B(A): pass` has the fields of A with their metadata",
    source=_MODULE,
    needs={"Module"},
    case=_bare(),
)
def bare_subclass_has_the_fields(lib, case):
    got, wanted = dataclasses.fields(case.other), dataclasses.fields(case.one)
    same([_described(f) for f in got], [_described(f) for f in wanted])


def _described(field):
    return (field.name, field.init, field.kw_only, field.default, dict(field.metadata))


@law(
    "`class B(A): pass` is called like A",
    source=_MODULE,
    needs={"Module"},
    case=_bare(),
)
def bare_subclass_has_the_signature(lib, case):
    got, wanted = (list(inspect.signature(type(m)).parameters) for m in (case.other, case.one))
    true(got == wanted, got, str(wanted))


@law(
    "`class B(A): pass` gives each field the value that A gives it",
    source=_MODULE,
    needs={"Module"},
    case=_bare(),
)
def bare_subclass_has_the_values(lib, case):
    for field in dataclasses.fields(case.one):
        same(getattr(case.other, field.name), getattr(case.one, field.name))


@law(
    "`class B(A): pass` flattens as A does: the same leaves, the same static values",
    source=_MODULE,
    needs={"Module"},
    case=_bare(),
)
def bare_subclass_flattens_alike(lib, case):
    same(jtu.tree_leaves(case.other), jtu.tree_leaves(case.one))
    got, wanted = jtu.tree_structure(case.other), jtu.tree_structure(case.one)
    true(got.num_nodes == wanted.num_nodes, got, str(wanted))


@law(
    "a subclass that changes nothing about construction runs the steps of its base class",
    source=_ORDER,
    needs={"Module", "field"},
    case=logged(),
)
def construction_is_inherited(lib, case):
    true(case.child_events == case.base_events, case.child_events, str(case.base_events))
    same(case.child.x, case.base.x)


@law(
    "a converter runs once a construction, also on a default",
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
    "a converter gets the value that the field was given",
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
    "converters run after __init__ and __post_init__, __check_init__ after converters",
    source=_FIELD,
    needs={"Module", "field"},
    case=logged(),
)
def converters_run_after_initialisation(lib, case):
    order = [("init", "post", "convert", "check").index(step) for step, _ in case.child_events]
    true(order == sorted(order), case.child_events, "init, post, convert, check")


@law(
    "using a Module (mapping, copying, filtering, tracing) runs no step of its construction",
    source=_UNFLATTEN,
    needs={"Module", "field"},
    case=logged(use=True),
)
def uses_construct_nothing(lib, case):
    true(case.used == [], case.used, "no event")


_GRAPHS = (
    (("B", "A"),),
    (("B", "A"), ("C", "B")),
    (("B", "A"), ("C", "A"), ("D", "B, C")),
    (("B", "A"), ("C", "A"), ("D", "B, C"), ("E", "D")),
    (("B", "A"), ("C", "A"), ("D", "C"), ("E", "B, D")),
)
_ROOT = """\
{head}
    a: typing.Any = {field}

    def {hook}(self):
        EVENTS.append('A')
"""
_HOOKED = """\
{head}
    {lower}: typing.Any = {field}

    def {hook}(self):
{chain}        EVENTS.append('{name}')
"""


@st.composite
def _graphs(draw: st.DrawFn, hook: str) -> Recipe:
    scope = Scope()
    index = draw(st.integers(0, len(_GRAPHS) - 1))
    graph = _GRAPHS[index]
    hooked = [draw(st.booleans()) for _ in graph]
    convert = draw(st.booleans())
    stem = f"{hook.strip('_').title().replace('_', '')}{index}{'c' if convert else 'p'}"
    stem += "".join("h" if on else "n" for on in hooked)
    scope.define(EVENTS)
    names = ["A"]
    for twin in (False, True):
        tail = f"{stem}Twin" if twin else stem
        field = "eqx.field(default=None, converter=convert)" if convert and not twin else "None"
        decorator = "@dataclasses.dataclass\n" if twin else ""
        head = f"{decorator}class A{tail}{'' if twin else '(eqx.Module)'}:"
        scope.define(_ROOT.format(head=head, field=field, hook=hook))
        for (name, bases), on in zip(graph, hooked, strict=True):
            above = ", ".join(f"{base}{tail}" for base in bases.split(", "))
            head = f"{decorator}class {name}{tail}({above}):"
            chain = f"        super().{hook}()\n" if hook == "__post_init__" else ""
            text = _HOOKED if on else "{head}\n    {lower}: typing.Any = {field}\n"
            scope.define(
                text.format(
                    head=head, lower=name.lower(), field=field, hook=hook, name=name, chain=chain
                )
            )
    names += [name for (name, _), on in zip(graph, hooked, strict=True) if on]
    last = graph[-1][0]
    scope.note(f"graph:{index}", *(["graph:converter"] if convert else []))
    given = scope.bind("given", draw(leaves()))
    for name, tail in (("twin", f"{stem}Twin"), ("module", stem)):
        scope.statement("EVENTS.clear()")
        scope.bind(name, f"{last}{tail}({given})")
        scope.bind(f"{name}_events", "[event for event in EVENTS if type(event) is str]")
    scope.bind("conversions", "[event for event in EVENTS if type(event) is tuple]")
    scope.bind("hooked", repr(sorted(names)))
    return scope.recipe()


@law(
    "each __post_init__ of a chain by super() runs once, in the order of the dataclass's chain",
    source=_CHAIN,
    needs={"Module"},
    case=_graphs("__post_init__"),
)
def post_inits_run_once_in_order(lib, case):
    true(case.module_events == case.twin_events, case.module_events, str(case.twin_events))


@law(
    "each class's own __check_init__ runs once, without super()",
    source=_CHECK,
    needs={"Module"},
    case=_graphs("__check_init__"),
)
def check_inits_run_once_each(lib, case):
    true(sorted(case.module_events) == case.hooked, case.module_events, str(case.hooked))


@law(
    "each field of a class hierarchy is converted once",
    source=_FIELD,
    needs={"Module", "field"},
    case=_graphs("__post_init__"),
)
def inherited_converters_run_once(lib, case):
    converters = [f for f in dataclasses.fields(case.module) if f.metadata.get("converter")]
    true(len(case.conversions) == len(converters), case.conversions, f"{len(converters)} of them")


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
        # A subclass's own __init__ does not switch the check off.
        init = "    def __init__(self, x):\n        self.x = self.y = x\n"
        scope.define(f"class Child{cls}({cls}):\n{init}")
        cls = f"Child{cls}"
    given = "'label'" if "static" in field else scope.bind("given", draw(trees(max_leaves=2)))
    scope.bind("build", f"lambda: {cls}({given})")
    return scope.recipe()


@law(
    "__check_init__ cannot assign",
    source=_CHECK,
    needs={"Module", "field"},
    case=_checked(_ASSIGNMENTS),
)
def check_init_cannot_assign(lib, case):
    refuses(AttributeError, case.build)


@law(
    "an error in __check_init__ reaches the caller, whatever __init__ a subclass has",
    source=_CHECK,
    needs={"Module", "field"},
    case=_checked(("raise ZeroDivisionError",)),
)
def check_init_refuses_the_instance(lib, case):
    refuses(ZeroDivisionError, case.build)


_FAILING = """\
import weakref

REFERENCES = []


class Failing_{name}(eqx.Module):
    x: typing.Any{field}

    def {hook}(self{argument}):
        REFERENCES.append(weakref.ref(self))
        {body}
"""
_FAILURES = {
    "init": ("__init__", ", x", "raise ZeroDivisionError", ""),
    "init-missing": ("__init__", ", x", "pass", ""),
    "post-init": ("__post_init__", "", "raise ZeroDivisionError", ""),
    "check-init": ("__check_init__", "", "raise ZeroDivisionError", ""),
    "converter": ("__check_init__", "", "pass", " = eqx.field(converter=lambda value: 1 // 0)"),
    "success": ("__check_init__", "", "pass", ""),
    "copy": ("__check_init__", "", "pass", ""),
    "deepcopy": ("__check_init__", "", "pass", ""),
    "pickle": ("__check_init__", "", "pass", ""),
    "map": ("__check_init__", "", "pass", ""),
}
_ATTEMPT = """\
REFERENCES.clear()
try:
    module = Failing_{name}('given')
    REFERENCES.append(weakref.ref(module))
    other = {again}
    REFERENCES.append(weakref.ref(other))
    del module, other
except (ZeroDivisionError, TypeError, ValueError):
    pass"""
_AGAIN = {
    "copy": "copy.copy(module)",
    "deepcopy": "copy.deepcopy(module)",
    "pickle": "pickle.loads(pickle.dumps(module))",
    "map": "jtu.tree_map(lambda leaf: leaf, module)",
}


@st.composite
def _dropped(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    name = draw(st.sampled_from(list(_FAILURES)))
    hook, argument, body, field = _FAILURES[name]
    text = name.replace("-", "_")
    scope.define(
        _FAILING.format(name=text, hook=hook, argument=argument, body=body, field=field)
    )
    scope.note(f"made-by:{name}")
    scope.statement(_ATTEMPT.format(name=text, again=_AGAIN.get(name, "module")))
    scope.bind("references", "list(REFERENCES)")
    return scope.recipe()


@law(
    "an instance that nobody refers to is freed, also where its construction failed or it is a copy",
    source="https://docs.python.org/3/reference/datamodel.html#objects-values-and-types",
    needs={"Module"},
    level="should",
    case=_dropped(),
    weight=0.3,
)
def dropped_instances_are_freed(lib, case):
    """An implementation may postpone freeing; CPython's cycle collector is run before judging."""
    if any(reference() is not None for reference in case.references):
        gc.collect()
    alive = [reference() for reference in case.references if reference() is not None]
    true(alive == [], alive, "no instance alive")


_KEYWORDED = """\
class Keyworded_{index}(eqx.Module):
    x: typing.Any
    seen: typing.ClassVar[list] = []

    def __init_subclass__(cls, {parameter}**keywords):
        super().__init_subclass__(**keywords)
        cls.seen = [*cls.seen, (cls.__name__, {value})]
"""


@st.composite
def _keyworded(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    given = draw(st.booleans())
    key = draw(st.sampled_from(("family", "name", "kind", "bases")))
    again = draw(st.booleans())
    index = f"{key}_{given}_{again}"
    parameter = f"{key}='unnamed', "
    base = _KEYWORDED.format(index=index, parameter=parameter, value=key)
    keyword = f", {key}='child'" if given else ""
    scope.define(base, f"class Child_{index}(Keyworded_{index}{keyword}):\n    pass\n")
    seen, cls = [(f"Child_{index}", "child" if given else "unnamed")], f"Child_{index}"
    if again:
        scope.define(f"class Grand{cls}({cls}):\n    pass\n")
        seen, cls = [*seen, (f"Grand{cls}", "unnamed")], f"Grand{cls}"
    scope.note(f"keyword:{key}")
    scope.bind("module", f"{cls}(1)")
    scope.bind("seen", repr(seen))
    return scope.recipe()


@law(
    "__init_subclass__ runs once a subclass and gets the keywords of its class statement",
    source="https://github.com/patrick-kidger/equinox/issues/481",
    needs={"Module"},
    case=_keyworded(),
)
def init_subclass_runs_once(lib, case):
    true(case.module.seen == case.seen, case.module.seen, str(case.seen))
