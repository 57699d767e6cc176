"""Equinox Modules: fields and values of subclasses, and the order of their hooks."""

from __future__ import annotations

import dataclasses
import functools
import inspect

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves, trees
from hypothesis_pytrees.classes.module_kinds import empty_subclass
from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.availability import usable
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._module_construction import EVENTS

law = Topic("equinox.module.subclass", "Equinox: subclasses of Modules", family="equinox")
_MODULE = "https://docs.kidger.site/equinox/api/module/module/#equinox.Module"
_FIELD = "https://docs.kidger.site/equinox/api/module/advanced_fields/#equinox.field"
_CHECK = "https://docs.kidger.site/equinox/api/module/advanced_fields/#checking-invariants"
# "in subclasses, we prefer inheriting `__init__` methods over generating a new one"
_INIT = "https://github.com/patrick-kidger/equinox/issues/1094"
_CHAIN = "https://github.com/patrick-kidger/equinox/issues/832"


@functools.cache
def _inheritable():
    """Return each kind that calls its last defined class, with a kind of an empty subclass."""
    pairs = []
    for kind in MODULES:
        # A subclass does not inherit keywords of the class statement, and is not generic.
        if {"module:init-subclass", "module:subscripted"} & set(kind.features):
            continue
        try:
            empty = empty_subclass(kind)
        except ValueError:
            continue
        if empty.template.startswith("Bare") and empty.template.endswith(")"):
            pairs.append((kind, empty))
    return [pair for pair in pairs if usable(pair[:1])]


@st.composite
def _empty_subclasses(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    kind, empty = draw(st.sampled_from(_inheritable()))
    scope.define(*empty.definitions)
    scope.note(*empty.features)
    names = [scope.bind("child", draw(trees(max_leaves=2))) for _ in range(kind.arity)]
    scope.bind("one", kind.text(names))
    scope.bind("other", empty.text(names))
    return scope.recipe()


@law(
    "`class B(A): pass` has the fields of `A`, with their metadata",
    source=_MODULE,
    needs={"Module"},
    case=_empty_subclasses(),
)
def bare_subclass_has_the_fields(lib, case):
    got, wanted = dataclasses.fields(case.other), dataclasses.fields(case.one)
    same([_described(f) for f in got], [_described(f) for f in wanted])


def _described(field):
    return (field.name, field.init, field.kw_only, field.default, dict(field.metadata))


@law(
    "`class B(A): pass` has the constructor parameters of `A`",
    source=_INIT,
    needs={"Module"},
    level="should",
    case=_empty_subclasses(),
)
def bare_subclass_has_the_signature(lib, case):
    got, wanted = (list(inspect.signature(type(m)).parameters) for m in (case.other, case.one))
    equal(got, wanted)


@law(
    "`class B(A): pass` gives each field the value that `A` gives it",
    source=_INIT,
    needs={"Module"},
    level="should",
    case=_empty_subclasses(),
    # There are about 90 kinds of classes, and Hypothesis varies each drawn case a few times.
    weight=4,
)
def bare_subclass_has_the_values(lib, case):
    for field in dataclasses.fields(case.one):
        same(getattr(case.other, field.name), getattr(case.one, field.name))


@law(
    "`class B(A): pass` flattens to the leaves of `A`, with the same number of nodes",
    source=_MODULE,
    needs={"Module"},
    case=_empty_subclasses(),
)
def bare_subclass_flattens_alike(lib, case):
    same(jtu.tree_leaves(case.other), jtu.tree_leaves(case.one))
    got, wanted = jtu.tree_structure(case.other), jtu.tree_structure(case.one)
    true(got.num_nodes == wanted.num_nodes, got, str(wanted))


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
    "in a chain of `super().__post_init__()` each hook runs once, in the order of a dataclass",
    source=_CHAIN,
    needs={"Module"},
    level="should",
    case=_graphs("__post_init__"),
)
def post_inits_run_once_in_order(lib, case):
    equal(case.module_events, case.twin_events)


@law(
    "the `__check_init__` of each class runs once, without calls of `super()`",
    source=_CHECK,
    needs={"Module"},
    case=_graphs("__check_init__"),
)
def check_inits_run_once_each(lib, case):
    equal(sorted(case.module_events), case.hooked)


@law(
    "the converter of each field of a class hierarchy runs once",
    source=_FIELD,
    needs={"Module", "field"},
    case=_graphs("__post_init__"),
)
def inherited_converters_run_once(lib, case):
    converters = [f for f in dataclasses.fields(case.module) if f.metadata.get("converter")]
    true(len(case.conversions) == len(converters), case.conversions, f"{len(converters)} calls")


_KEYWORDED = """\
class Keyworded_{index}(eqx.Module):
    x: typing.Any
    seen: typing.ClassVar[list] = []

    def __init_subclass__(cls, {parameter}**keywords):
        super().__init_subclass__(**keywords)
        cls.seen = [*cls.seen, (cls.__name__, {value})]
"""


@st.composite
def _class_keywords(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    given = draw(st.booleans())
    key = draw(st.sampled_from(("family", "name", "kind", "bases", "namespace")))
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
    "`__init_subclass__` runs once per subclass and receives the keywords of its class statement",
    source="https://docs.python.org/3/reference/datamodel.html#object.__init_subclass__",
    needs={"Module"},
    level="should",
    case=_class_keywords(),
)
def init_subclass_runs_once(lib, case):
    equal(case.module.seen, case.seen)
