"""Flax NNX: modules inherit as regular Python classes do, with mixins, generics and keywords."""

from __future__ import annotations

import abc

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.releases import MODULES_ARE_NO_ABCS
from treelaws.equality import equal, refuses, same, true

from ._model import same_graph
from .construction import law

_BASICS = "https://flax.readthedocs.io/en/latest/nnx_basics.html#the-flax-nnx-module-system"
_SUBCLASS = "https://docs.python.org/3/reference/datamodel.html#object.__init_subclass__"
_ABC = "https://docs.python.org/3/library/abc.html#abc.abstractmethod"
_GREETS = """\
class NnxGreets:
    def greet(self):
        return 'hello'
"""
_SLOTTED = """\
class NnxSlotted:
    __slots__ = ()
"""
_COUNTS = """\
class NnxCounts:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.made = 1
"""
_KEYWORDS = """\
class NnxTagged:
    def __init_subclass__(cls, *, tag=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.tag = tag
"""
_VARIABLE = """\
NnxT = typing.TypeVar('NnxT')
"""
_CORE = """\
class NnxCore(nnx.Module):
    def __init__(self, value):
        self.weight = nnx.Param(value)
"""
_CORE_OBJECT = """\
class NnxCoreObject(nnx.Object):
    def __init__(self, value):
        self.weight = nnx.Param(value)
"""
_DEFINITIONS = {
    "NnxGreets": _GREETS,
    "NnxSlotted": _SLOTTED,
    "NnxCounts": _COUNTS,
    "NnxTagged": _KEYWORDS,
    "abc.ABC": "",
    "typing.Generic[NnxT]": _VARIABLE,
}
_BODIES = {
    "bare": "    pass\n",
    "method": "    def twice(self):\n        return self.weight[...] * 2\n",
    "call": "    def __call__(self):\n        return self.weight[...]\n",
}


@st.composite
def _inheriting(draw: st.DrawFn) -> Recipe:
    """Draw a class `cls` with mixins in any order, its `tag` or `None`, and a `value` for it."""
    scope = Scope()
    core = draw(st.sampled_from(("NnxCore", "NnxCoreObject")))
    scope.define(_CORE, _CORE_OBJECT)
    mixins = draw(st.lists(st.sampled_from(tuple(_DEFINITIONS)), max_size=3, unique=True))
    scope.define(*(_DEFINITIONS[name] for name in mixins if _DEFINITIONS[name]))
    scope.note(*(f"mixin:{name}" for name in mixins))
    bases = draw(st.permutations([core, *mixins]))
    if "abc.ABC" in bases and MODULES_ARE_NO_ABCS.lacking():
        bases = [*(name for name in bases if name != "abc.ABC"), "abc.ABC"]
    # Python calls the `__init__` of a mixin behind `NnxCore` only if that calls it.
    if "NnxCounts" in bases and bases.index("NnxCounts") > bases.index(core):
        bases = ["NnxCounts", *(name for name in bases if name != "NnxCounts")]
    if "NnxTagged" in bases and bases.index("NnxTagged") > bases.index(core):
        scope.note(f"tag:behind-{core}")
    keywords = ", tag='a'" if "NnxTagged" in mixins else ""
    body = draw(st.sampled_from(tuple(_BODIES)))
    parts = [_short(name) for name in bases]
    name = f"NnxHeir_{'_'.join(parts)}_{body}"
    scope.define(f"class {name}({', '.join(bases)}{keywords}):\n{_BODIES[body]}")
    if draw(st.booleans()):
        tag = ", tag='a'" if keywords else ""
        scope.define(f"class {name}_Bare({name}{tag}):\n    pass\n")
        scope.note("heir:bare")
        name = f"{name}_Bare"
    scope.bind("cls", name)
    scope.bind("tag", "'a'" if keywords else "None")
    scope.bind("value", "jax.device_put(np.float32([1.0, 2.0]))")
    return scope.recipe()


def _short(name: str) -> str:
    return name.removeprefix("Nnx").partition("[")[0].replace("abc.", "").replace("typing.", "")


@law(
    "a class of modules may have mixins, abstract and generic bases in any order; its instances "
    "are modules of that class in every copy and transform",
    source=_BASICS,
    level="should",
    needs={"Module", "jit", "split", "merge", "clone"},
    case=_inheriting(),
)
def mixins_stand_in_any_order(lib, case):
    module = case.cls(case.value)
    same(module.weight[...], case.value)
    for copied in (lib.clone(module), lib.merge(*lib.split(module))):
        true(type(copied) is case.cls, type(copied), case.cls)
        same_graph(copied, module)
    equal(type(lib.jit(lambda held: held)(module)), case.cls)
    for base in case.cls.__bases__:
        true(isinstance(module, base), base, f"a base of {case.cls}")


@law(
    "keywords of a class of modules reach `__init_subclass__` of its bases, wherever they stand",
    source=_SUBCLASS,
    level="should",
    needs={"Module"},
    case=_inheriting(),
)
def class_keywords_reach_the_bases(lib, case):
    equal(getattr(case.cls, "tag", None), case.tag)


@law(
    "a class of modules with an abstract method is not instantiated; a subclass that defines it is",
    source=_ABC,
    level="observed",
    needs={"Module"},
    case=_inheriting(),
)
def abstract_methods_must_be_defined(lib, case):
    keywords = {} if case.tag is None else {"tag": case.tag}
    methods = {"pending": abc.abstractmethod(lambda self: None)}
    kind = type(case.cls)("NnxPending", (case.cls,), methods, **keywords)
    refuses(TypeError, lambda: kind(case.value))
    done = type(kind)("NnxDone", (kind,), {"pending": lambda self: 1}, **keywords)
    same(done(case.value).weight[...], case.value)
    equal(done(case.value).pending(), 1)
