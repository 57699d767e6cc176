"""Equinox Modules: instances are immutable, and `__init__` must set exactly the fields."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

from ._module_declarations import declared

law = Topic("equinox.module.frozen", "Equinox: Modules are immutable", family="equinox")
_MODULE = "https://docs.kidger.site/equinox/api/module/module/#equinox.Module"
_PATTERN = "https://docs.kidger.site/equinox/pattern/"


_ACTS = {
    "assign": "lambda: setattr(module, field, 'other')",
    "assign-same": "lambda: setattr(module, field, getattr(module, field))",
    "delete": "lambda: delattr(module, field)",
    "add": "lambda: setattr(module, 'unknown', 1)",
    "doc": "lambda: setattr(module, '__doc__', 'text')",
    "class-attribute": "lambda: setattr(module, '__module__', 'elsewhere')",
}
# `typing` sets this after a call of a subscripted class; a Module may allow it.
_BY_TYPING = {"orig-class": "lambda: setattr(module, '__orig_class__', int)"}


@st.composite
def _attribute_changes(draw: st.DrawFn, acts: Mapping[str, str] = _ACTS) -> Recipe:
    scope = Scope()
    expression = scope.include(draw(declared(history=True)))
    act = draw(st.sampled_from(list(acts)))
    scope.note(f"act:{act}")
    scope.bind("field", "[*dynamic, *static][0]")
    scope.bind("act", acts[act])
    return scope.recipe(expression)


@law(
    "assigning or deleting an attribute of a constructed Module raises an error",
    source=_PATTERN,
    needs={"Module"},
    case=_attribute_changes(),
)
def instances_are_immutable(lib, case):
    refuses(Exception, case.act)


@law(
    "an assignment or deletion that raises AttributeError does not change the Module",
    source=_PATTERN,
    needs={"Module"},
    level="should",
    case=_attribute_changes({**_ACTS, **_BY_TYPING}),
    parents=(instances_are_immutable,),
)
def refused_changes_change_nothing(lib, case):
    """Precondition: the change raises; `instances_are_immutable` checks that it does."""
    before = dict(vars(case.module))
    if _raises(case.act):
        equal(vars(case.module).keys(), before.keys())
        same(list(vars(case.module).values()), list(before.values()), identical=True)


def _raises(act):
    try:
        act()
    except AttributeError:
        return True
    return False


_INITS = {
    "missing": "pass",
    "missing-second": "self.x = x",
    "missing-first": "self.y = x",
    "extra": "self.x = self.y = self.z = x",
    "extra-private": "self.x = self.y = self._y = x",
}
_INITIALISED = """\
class Initialised_{name}(eqx.Module):
    x: typing.Any
    y: typing.Any = eqx.field(static={static})

    def __init__(self, x):
        {body}
"""


@st.composite
def _wrong_inits(draw: st.DrawFn, prefix: str) -> Recipe:
    scope = Scope()
    init = draw(st.sampled_from([name for name in _INITS if name.startswith(prefix)]))
    static = draw(st.booleans())
    name = f"{init.replace('-', '_')}_{static}"
    scope.define(_INITIALISED.format(name=name, static=static, body=_INITS[init]))
    scope.bind("given", draw(trees(max_leaves=2)) if not static else "'label'")
    if draw(st.booleans()):
        scope.define(f"class Bare_{name}(Initialised_{name}):\n    pass\n")
        scope.bind("build", f"lambda: Bare_{name}(given)")
    else:
        scope.bind("build", f"lambda: Initialised_{name}(given)")
    return scope.recipe()


@law(
    "an `__init__` that leaves a field without a value raises TypeError or ValueError",
    source="https://github.com/patrick-kidger/equinox/issues/811",
    needs={"Module"},
    level="should",
    case=_wrong_inits("missing"),
)
def missing_fields_are_refused(lib, case):
    refuses((TypeError, ValueError), case.build)


@law(
    "an `__init__` that assigns an attribute that is not a field raises AttributeError",
    source=_MODULE,
    needs={"Module"},
    level="should",
    case=_wrong_inits("extra"),
)
def extra_fields_are_refused(lib, case):
    refuses(AttributeError, case.build)
