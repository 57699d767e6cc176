"""Equinox Modules: those that Equinox itself makes are immutable too, and arrays are not static."""

from __future__ import annotations

import warnings

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, refuses, same

from .module_frozen import law

_SITE = "https://docs.kidger.site/equinox/"
_WARNS = "https://github.com/patrick-kidger/equinox/releases/tag/v0.11.6"
_TEXT = """\
class MadePlain(eqx.Module):
    weight: typing.Any

    def __call__(self, x):
        return jnp.sum(self.weight * x)


class MadeFollowing(eqx.Module):
    inner: typing.Any

    @property
    def __wrapped__(self):
        return self.inner

    def __call__(self, x):
        return self.inner(x)


class StaticLabel(eqx.Module):
    label: typing.Any = eqx.field(static=True)


class StaticLabelByInit(eqx.Module):
    weight: typing.Any
    label: typing.Any = eqx.field(static=True)

    def __init__(self, label):
        self.weight = 1.0
        self.label = label


class StaticLabelAbove(StaticLabel):
    weight: typing.Any = 1.0
"""
_MADE = (
    *("eqx.filter_jit(plain)", "eqx.filter_grad(plain)", "eqx.filter_value_and_grad(plain)"),
    *("eqx.filter_vmap(plain)", "eqx.filter_pmap(plain)", "eqx.filter_checkpoint(plain)"),
    *("eqx.filter_jacfwd(plain)", "eqx.filter_hessian(plain)", "eqx.Partial(plain, 1.0)"),
    *("plain.__call__", "eqx.filter_jit(plain).__call__", "eqx.filter_jit(abs)"),
    *("eqx.module_update_wrapper(MadeFollowing(plain))", "eqx.nn.Lambda(abs)"),
    *("eqx.nn.Identity()", "eqx.nn.StateIndex(1.0)"),
)
_LABELS = ("1.0", "'text'", "abs", "None", "jax.ShapeDtypeStruct((2,), np.float32)", "range(3)")
_ARRAYS = ("jnp.zeros(2)", "np.zeros(2)", "jnp.float32(1.0)", "jax.random.key(0)", "np.arange(0)")
_AROUND = ("{}", "({}, 1)", "[{}]", "{{'a': {}}}", "MadePlain({})", "[None, ({},)]")
_CLASSES = ("StaticLabel", "StaticLabelByInit", "StaticLabelAbove")


@st.composite
def _made(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_TEXT)
    scope.bind("plain", "MadePlain(jax.device_put(np.float32([1.0, 2.0])))")
    scope.bind("made", draw(st.sampled_from(_MADE)))
    return scope.recipe()


@st.composite
def _labelled(draw: st.DrawFn) -> Recipe:
    """Bind a class with a static field, a value for it, and whether this holds an array."""
    scope = Scope()
    scope.define(_TEXT)
    holds = draw(st.booleans())
    around = draw(st.sampled_from(_AROUND))
    scope.bind("label", around.format(draw(st.sampled_from(_ARRAYS if holds else _LABELS))))
    scope.bind("holds", str(holds))
    scope.bind("make", draw(st.sampled_from(_CLASSES)))
    return scope.recipe()


@law(
    "assigning an attribute of a transformed function, a bound method or another Module that "
    "Equinox makes raises an error, and changes nothing",
    source=f"{_SITE}pattern/",
    level="should",
    needs={"Module", "filter_jit", "filter_pmap", "Partial", "module_update_wrapper"},
    case=_made(),
)
def modules_that_equinox_makes_are_immutable(lib, case):
    before = dict(vars(case.made))
    for name in ("unknown", "__doc__", *before):
        refuses(Exception, lambda name=name: setattr(case.made, name, "other"))
    equal(vars(case.made).keys(), before.keys())
    same(list(vars(case.made).values()), list(before.values()), identical=True)


@law(
    "a Module warns if a static field holds an array of JAX or NumPy, also inside a tree, and for "
    "no other value",
    source=_WARNS,
    level="should",
    needs={"Module"},
    case=_labelled(),
)
def arrays_in_static_fields_are_warned_of(lib, case):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        case.make(case.label)
    equal(any("static" in str(one.message) for one in seen), case.holds)
