"""Drawn `eqx.Module` classes that log the steps of their construction.

A class appends to `EVENTS`; the case clears it, makes an instance, and binds the logged events.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves

EVENTS = """\
EVENTS = []


def convert(value):
    EVENTS.append(('convert', type(value).__name__))
    return (value,)
"""
_FIELDS = {
    "bare": "    x: typing.Any\n",
    "converter": "    x: typing.Any = eqx.field(converter=convert)\n",
    "converter-default": "    x: typing.Any = eqx.field(converter=convert, default='preset')\n",
    "converter-static": (
        "    x: typing.Any\n"
        "    tag: typing.Any = eqx.field(converter=convert, static=True, default='tag')\n"
    ),
    "converter-init-false": (
        "    x: typing.Any\n"
        "    tag: typing.Any = eqx.field(converter=convert, init=False, default='tag')\n"
    ),
}
_INITS = {
    "generated": "",
    "init": (
        "\n    def __init__(self, x):\n"
        "        EVENTS.append(('init', type(x).__name__))\n        self.x = x\n{tag}"
    ),
    "post-init": (
        "\n    def __post_init__(self):\n"
        "        EVENTS.append(('post', type(self.x).__name__))\n{tag}"
    ),
}
_CHECKS = {
    "unchecked": "",
    "check": (
        "\n    def __check_init__(self):\n        EVENTS.append(('check', type(self.x).__name__))\n"
    ),
}
# Bodies of subclasses that must not change the steps of construction.
ADDITIONS = {
    "pass": "    pass\n",
    "docstring": '    """A subclass."""\n',
    "class-attribute": "    limit = 3\n",
    "classvar": "    limit: typing.ClassVar[int] = 3\n",
    "method": "    def method(self):\n        return self.x\n",
    "property": "    @property\n    def view(self):\n        return self.x\n",
    "chained-post-init": "    def __post_init__(self):\n        super().__post_init__()\n",
    "chained-init": "    def __init__(self, x):\n        super().__init__(x)\n",
}


@dataclasses.dataclass(frozen=True)
class Logged:
    """A class that logs its construction, and a subclass that does not change it."""

    base: str
    child: str
    definitions: tuple[str, ...]
    features: tuple[str, ...]


def _logged(field: str, init: str, check: str, addition: str) -> Logged | None:
    if addition == "chained-post-init" and init != "post-init":
        return None
    if addition == "chained-init" and init == "post-init":
        return None  # A dataclass with its own __init__ does not run __post_init__.
    parts = (field, init, check)
    base = "Logged" + "".join(part.title().replace("-", "") for part in parts)
    child = base + addition.title().replace("-", "")
    tag = "        self.tag = 'set'\n" if field.endswith("init-false") else ""
    text = f"class {base}(eqx.Module):\n{_FIELDS[field]}{_INITS[init]}{_CHECKS[check]}"
    texts = (
        EVENTS,
        text.replace("{tag}", tag),
        f"class {child}({base}):\n{ADDITIONS[addition]}",
    )
    return Logged(base, child, texts, (*(f"base:{part}" for part in parts), f"adds:{addition}"))


@functools.cache
def pool() -> tuple[Logged, ...]:
    """Return every pair of a logging class and a subclass."""
    found = itertools.starmap(_logged, itertools.product(_FIELDS, _INITS, _CHECKS, ADDITIONS))
    return tuple(pair for pair in found if pair is not None)


# Uses of an instance, which must not run a step of construction.
USES = {
    "map": "jtu.tree_map(lambda leaf: leaf, module)",
    "map-to-object": "jtu.tree_map(lambda leaf: object(), module)",
    "copy": "copy.copy(module)",
    "deepcopy": "copy.deepcopy(module)",
    "pickle": "pickle.loads(pickle.dumps(module))",
    "filter": "eqx.filter(module, eqx.is_array)",
    "tree-at": "eqx.tree_at(lambda m: m.x, module, 'other', is_leaf=lambda x: x is None)",
    "eval-shape": "eqx.filter_eval_shape(lambda m: m, module)",
}


@st.composite
def logged(draw: st.DrawFn, *, use: bool = False) -> Recipe:
    """Draw a class of the pool; bind `base`, `child` and the events logged while each was made.

    Args:
        use: use `child` in some way and bind the events logged then as `used`; default `False`.
    """
    scope = Scope()
    pair = draw(st.sampled_from(pool()))
    scope.define(*pair.definitions)
    scope.note(*pair.features)
    scope.bind("given", draw(leaves()))
    takes_none = "base:init" not in pair.features and "adds:chained-init" not in pair.features
    default = takes_none and "base:converter-default" in pair.features
    argument = "" if default and draw(st.booleans()) else "given"
    for name, cls in (("base", pair.base), ("child", pair.child)):
        scope.statement("EVENTS.clear()")
        scope.bind(name, f"{cls}({argument})")
        scope.bind(f"{name}_events", "list(EVENTS)")
    scope.bind("wanted", argument or "'preset'")
    if use:
        kept = dict(USES)
        if scope.features & {"leaf-is:unpicklable", "leaf-is:object", "leaf-is:numpy"}:
            kept.pop("pickle")
            kept.pop("deepcopy")
        if "leaf-is:array" not in scope.features:
            kept.pop("eval-shape")
        name = draw(st.sampled_from(list(kept)))
        scope.note(f"use:{name}")
        scope.statement("EVENTS.clear()")
        scope.bind("module", "child")
        scope.bind("other", kept[name])
        scope.bind("used", "list(EVENTS)")
    return scope.recipe()
