"""Equinox Modules: wrapped functions, transformed functions and decorated methods."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.core import prior_operations
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

law = Topic("equinox.module.wrappers", "Equinox: wrapped functions and methods", family="equinox")
_WRAPPER = (
    "https://docs.kidger.site/equinox/api/module/advanced_fields/#equinox.module_update_wrapper"
)
_LOOKUP = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_jit.py#L219-L223"
_EQUAL = "https://github.com/patrick-kidger/equinox/issues/480"
_METADATA = ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__")


_HELPERS = '''\
def free(*values: tuple, **named: dict) -> tuple:
    """Return what it was called with."""
    return (values, named)
'''
_WRAPPER_CLASS = '''\
class Following(eqx.Module):
    """A wrapper."""

    function: typing.Any
    x: typing.Any
    tag: typing.Any = eqx.field(static=True, default='tag')

    def __call__(self, *values, **named):
        return self.function(*values, **named)

    @property
    def __wrapped__(self):
        return self.function
'''
_NOT_WRAPPER = """\
class NotFollowing_{index}(eqx.Module):
    function: typing.Any
{extra}
"""
_WRAPPED = {
    "function": "free",
    "bound-method": "CallableMeter(x).read",
    "module": "CallableMeter(x)",
    "builtin": "math.sin",
    "wrapped": "eqx.module_update_wrapper(Following(free, x))",
    "filter-jit": "eqx.filter_jit(free)",
    "filter-vmap": "eqx.filter_vmap(free)",
    "partial": "eqx.Partial(free, x)",
}
_CALLABLE = '''\
class CallableMeter(eqx.Module):
    """A callable module."""

    x: typing.Any

    def __call__(self, *values, **named):
        return (self.x, values, named)

    def read(self, *values: int, **named) -> tuple:
        """Return what the meter shows."""
        return (self.x, values, named)
'''


@st.composite
def _wrapped(draw: st.DrawFn, history: bool = True) -> Recipe:
    scope = Scope()
    scope.define(_HELPERS, _CALLABLE)
    scope.define(_WRAPPER_CLASS)
    scope.bind("x", draw(trees(max_leaves=2)))
    kind = draw(st.sampled_from(list(_WRAPPED)))
    scope.note(f"wraps:{kind}")
    scope.bind("function", _WRAPPED[kind])
    scope.bind("plain", "Following(function, x)")
    second = ", free" if draw(st.booleans()) else ""
    if second:
        scope.note("wraps:explicit")
    scope.bind("named_after", "free" if second else "function")
    if not history:
        scope.bind("given", f"(plain{second})" if second else "(plain,)")
        return scope.recipe()
    if kind.startswith("filter"):
        scope.note("module:unpicklable", "module:deepcopy-differs")
    wrapper = scope.bind("wrapper", f"eqx.module_update_wrapper(plain{second})")
    prior_operations.apply(draw, scope, wrapper)
    return scope.recipe()


@law(
    "`module_update_wrapper` copies name, docstring, module and annotations of the wrapped object",
    source=_WRAPPER,
    needs={"module_update_wrapper"},
    case=_wrapped(history=False),
)
def wrappers_take_the_metadata(lib, case):
    _same_metadata(lib.module_update_wrapper(*case.given), case.named_after)


def _same_metadata(wrapper, wrapped):
    for name in _METADATA:
        if hasattr(wrapped, name):
            got, wanted = getattr(wrapper, name), getattr(wrapped, name)
            true(got == wanted, got, f"{wanted!r} as {name}")


@law(
    "a wrapper keeps the metadata of the wrapped object when it is copied, pickled or mapped",
    source=_WRAPPER,
    needs={"module_update_wrapper"},
    level="should",
    case=_wrapped(),
    parents=(wrappers_take_the_metadata,),
)
def wrappers_keep_the_metadata(lib, case):
    _same_metadata(case.wrapper, case.named_after)


@law(
    "`module_update_wrapper` returns a copy with the same leaves",
    source=_WRAPPER,
    needs={"module_update_wrapper"},
    case=_wrapped(history=False),
)
def wrappers_keep_the_leaves(lib, case):
    wrapper = lib.module_update_wrapper(*case.given)
    true(wrapper is not case.plain, wrapper, "a copy")
    same(jtu.tree_leaves(wrapper), jtu.tree_leaves(case.plain), identical=True)


@law(
    "`module_update_wrapper` does not change its argument",
    source=_WRAPPER,
    needs={"module_update_wrapper"},
    case=_wrapped(history=False),
)
def wrapping_does_not_change_the_argument(lib, case):
    before = dict(vars(case.plain))
    lib.module_update_wrapper(case.plain)
    equal(vars(case.plain).keys(), before.keys())
    same(case.plain.__doc__, type(case.plain).__doc__)


@law(
    "`wrapper.__wrapped__` is the wrapped object, also after `tree_map`",
    source=_WRAPPER,
    needs={"module_update_wrapper"},
    level="should",
    case=_wrapped(),
)
def wrappers_lead_to_the_wrapped(lib, case):
    back = jtu.tree_map(lambda leaf: leaf, case.wrapper)
    same(back.__wrapped__, case.wrapper.function, identical=True)


_EXTRAS = ("", "    __wrapped__: typing.Any = None\n", "    def __wrapped__(self):\n        ...\n")


@st.composite
def _without_wrapped_property(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    index = draw(st.integers(0, len(_EXTRAS) - 1))
    scope.define(_HELPERS, _NOT_WRAPPER.format(index=index, extra=_EXTRAS[index]))
    scope.bind("module", f"NotFollowing_{index}(free)")
    scope.bind("given", draw(st.sampled_from(("(module,)", "(module, free)"))))
    return scope.recipe()


@law(
    "`module_update_wrapper` raises ValueError if `__wrapped__` of the Module is not a property",
    source=_WRAPPER,
    needs={"module_update_wrapper"},
    level="should",
    case=_without_wrapped_property(),
)
def wrappers_need_the_property(lib, case):
    refuses(ValueError, lambda: lib.module_update_wrapper(*case.given))


_TRANSFORMS = (
    "filter_jit",
    "filter_vmap",
    "filter_grad",
    "filter_value_and_grad",
    "filter_checkpoint",
    "filter_make_jaxpr",
)


@st.composite
def _transformed(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_HELPERS, _CALLABLE)
    scope.bind("x", draw(trees(max_leaves=2)))
    kind = draw(st.sampled_from(("function", "bound-method", "module", "wrapped", "partial")))
    scope.bind("function", _WRAPPED[kind] if kind != "wrapped" else "free")
    transform = draw(st.sampled_from(_TRANSFORMS))
    scope.note(f"transform:eqx.{transform}")
    scope.bind("transform", repr(transform))
    return scope.recipe()


@law(
    "a transformed function, bound method or Module keeps its metadata through `tree_map`",
    source=_WRAPPER,
    needs={"filter_jit", "filter_vmap", "filter_grad", "filter_checkpoint"},
    level="should",
    case=_transformed(),
)
def mapped_transforms_keep_metadata(lib, case):
    transformed = getattr(lib, case.transform)(case.function)
    _same_metadata(jtu.tree_map(lambda leaf: leaf, transformed), case.function)


_DECORATED = '''\
class Adorned(eqx.Module):
    x: typing.Any

    @eqx.filter_jit
    def compiled(self, y):
        """Compile."""
        return y

    @eqx.filter_vmap
    def mapped(self, y):
        """Map."""
        return y

    @eqx.filter_grad
    def differentiated(self, y):
        """Differentiate."""
        return y
'''


@st.composite
def _decorated(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_DECORATED)
    module = scope.bind("module", f"Adorned({scope.bind('x', draw(trees(max_leaves=2)))})")
    scope.note("module:unpicklable", "module:deepcopy-differs")
    prior_operations.apply(draw, scope, module)
    scope.bind("name", repr(draw(st.sampled_from(("compiled", "mapped", "differentiated")))))
    return scope.recipe()


@law(
    "each access to a method decorated with a transformation gives the same pytree",
    source=_EQUAL,
    needs={"filter_jit", "filter_vmap", "filter_grad"},
    level="should",
    case=_decorated(),
)
def decorated_methods_are_equal_on_each_lookup(lib, case):
    same(getattr(case.module, case.name), getattr(case.module, case.name), identical=True)


@law(
    "a method decorated with a transformation holds the leaves of its instance",
    source=_LOOKUP,
    needs={"filter_jit", "filter_vmap", "filter_grad"},
    level="should",
    case=_decorated(),
)
def decorated_methods_hold_the_instance(lib, case):
    held = {id(leaf) for leaf in jtu.tree_leaves(getattr(case.module, case.name))}
    missing = [leaf for leaf in jtu.tree_leaves(case.module) if id(leaf) not in held]
    equal(missing, [])
