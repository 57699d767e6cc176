"""Equinox Modules: a hook of subclasses sees the classes of the user alone."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves
from treelaws.equality import equal

from ._module_construction import USES
from .module_subclass import init_subclass_runs_once, law

_LOG = "MADE_CLASSES = []\n"
_BASE = """\
class NotedBase(eqx.Module):
    x: typing.Any

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        MADE_CLASSES.append(cls.__name__)
"""
# Bodies of the subclass that is used, by name.
_BODIES = {
    "Bare": "    pass\n",
    "Init": "    def __init__(self, x):\n        self.x = x\n",
    "PostInit": "    def __post_init__(self):\n        pass\n",
    "Check": "    def __check_init__(self):\n        pass\n",
    "Converter": "    x: typing.Any = eqx.field(converter=lambda value: value)\n",
    "Property": "    @property\n    def shown(self):\n        return self.x\n",
    "Callable": "    def __call__(self):\n        return self.x\n",
    "Abstract": "    y: eqx.AbstractVar[int]\n",
}
_USES = {**USES, "read": "jtu.tree_leaves(module.__class__.__init__)", "print": "repr(module)"}


@st.composite
def _noted(draw: st.DrawFn) -> Recipe:
    """Bind the names of the classes that were `made` while an instance was made and used."""
    scope = Scope()
    body = draw(st.sampled_from(list(_BODIES)))
    name = f"Noted{body}"
    scope.define(_LOG, _BASE, f"class {name}(NotedBase):\n{_BODIES[body]}")
    if body == "Abstract":
        scope.define(f"class {name}Below({name}):\n    y: int = 1\n")
        name = f"{name}Below"
    scope.note(f"body:{body}")
    scope.bind("given", draw(leaves()))
    scope.bind("before", "len(MADE_CLASSES)")
    scope.bind("module", f"{name}(given)")
    kept = dict(_USES)
    if scope.features & {"leaf-is:unpicklable", "leaf-is:object", "leaf-is:numpy"}:
        kept.pop("pickle")
        kept.pop("deepcopy")
    if "leaf-is:array" not in scope.features:
        kept.pop("eval-shape")
    use = draw(st.sampled_from(list(kept)))
    scope.note(f"use:{use}")
    scope.bind("other", kept[use])
    scope.bind("made", "MADE_CLASSES[before:]")
    return scope.recipe()


@law(
    "making, printing, copying, mapping or tracing an instance runs no `__init_subclass__`",
    source="https://github.com/patrick-kidger/equinox/issues/858",
    needs={"Module", "AbstractVar", "field"},
    level="should",
    case=_noted(),
    parents=[init_subclass_runs_once],
)
def instances_make_no_subclasses(lib, case):
    equal(case.made, [])
