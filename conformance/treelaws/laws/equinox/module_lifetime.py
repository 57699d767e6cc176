"""Equinox Modules: instances without references are freed."""

from __future__ import annotations

import gc

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.core.law import Topic
from treelaws.equality import equal

law = Topic("equinox.module.lifetime", "Equinox: lifetime of Modules", family="equinox")


_REFERENCES = """\
import weakref

REFERENCES = []
"""
_FAILING = """\
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
    "abstract": ("__init__", ", x", "self.x = x", "\n    y: eqx.AbstractVar[int]"),
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
        _REFERENCES,
        _FAILING.format(name=text, hook=hook, argument=argument, body=body, field=field),
    )
    scope.note(f"made-by:{name}")
    scope.statement(_ATTEMPT.format(name=text, again=_AGAIN.get(name, "module")))
    scope.bind("references", "list(REFERENCES)")
    return scope.recipe()


@law(
    "CPython frees every instance without references, including copies and failed constructions",
    source="https://docs.python.org/3/reference/datamodel.html#objects-values-and-types",
    needs={"Module"},
    level="should",
    case=_dropped(),
)
def dropped_instances_are_freed(lib, case):
    """Python does not demand garbage collection; on CPython the law runs the collector first."""
    if any(reference() is not None for reference in case.references):
        gc.collect()
    alive = [reference() for reference in case.references if reference() is not None]
    equal(alive, [])
