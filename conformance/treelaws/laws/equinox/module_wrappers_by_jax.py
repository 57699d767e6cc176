"""Equinox Modules: attributes that are functions transformed by JAX."""

from __future__ import annotations

import warnings

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal

from .module_wrappers import law

_CODE = (
    "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_module/_module.py#L110-L178"
)
_TEXT = """\
class Inner(eqx.Module):
    weight: typing.Any

    def __call__(self, x):
        return jnp.sum(self.weight * x)


class Outer(eqx.Module):
    function: typing.Any


class OuterWithInit(eqx.Module):
    function: typing.Any

    def __init__(self, function):
        self.function = function


class OuterWithPostInit(eqx.Module):
    given: typing.Any = eqx.field(static=True)
    function: typing.Any = eqx.field(init=False)

    def __post_init__(self):
        self.function = self.given[0]
"""
# By class, how it takes the attribute.
_CLASSES = {
    "Outer": "Outer",
    "OuterWithInit": "OuterWithInit",
    "OuterWithPostInit": "lambda function: OuterWithPostInit((function,))",
}
_TRANSFORMS = ("jit", "grad", "vmap", "value_and_grad", "jacfwd", "jacrev", "hessian", "checkpoint")
_KEPT = ("eqx.filter_jit(inner)", "eqx.filter_vmap(inner)", "inner", "jax.jit(jnp.sin)", "jnp.sin")


@st.composite
def _outer(draw: st.DrawFn) -> Recipe:
    """Bind an attribute, whether JAX hides a Module in it, how a class takes it, and its name."""
    scope = Scope()
    scope.define(_TEXT)
    scope.bind("inner", "Inner(jax.device_put(np.float32([1.0, 2.0])))")
    names = draw(st.lists(st.sampled_from(_TRANSFORMS), min_size=1, max_size=2))
    transformed = "inner"
    for name in names:
        transformed = f"jax.{name}({transformed})"
    hidden = draw(st.booleans())
    scope.bind("attribute", transformed if hidden else draw(st.sampled_from(_KEPT)))
    scope.bind("hidden", str(hidden))
    name = draw(st.sampled_from(tuple(_CLASSES)))
    scope.bind("make", _CLASSES[name])
    scope.bind("name", repr(name))
    return scope.recipe()


@law(
    "a Module warns for an attribute in which JAX transformed another Module, whose leaves it "
    "would not hold, and for no other function",
    source=_CODE,
    level="should",
    needs={"Module", "filter_vmap"},
    case=_outer(),
)
def hidden_modules_are_warned_of(lib, case):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        case.make(case.attribute)
    texts = [str(one.message) for one in seen if f".{case.name}. " in str(one.message)]
    equal(bool(texts), case.hidden)
