"""Flax NNX Variables: each type that the library has, users' own types, metadata, hooks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from hypothesis import strategies as st

from .leaves import INEXACT_ARRAYS, JAX_ARRAYS, pool
from .recipe import Recipe, Scope

_OWN_PARAM = """\
class NnxWeight(nnx.Param):
    pass
"""
_OWN_VARIABLE = """\
class NnxCounter(nnx.Variable):
    pass
"""
_DOUBLED = """\
class NnxDoubled(nnx.Variable):
    def on_get_value(self, value):
        return jtu.tree_map(lambda leaf: leaf * 2, value)
"""
_HOOK = """\
def nnx_halve(variable, value):
    return jtu.tree_map(lambda leaf: leaf * 0.5, value)
"""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class VariableType:
    """One way to write a Variable: `$value` stands for its value, `$options` for its metadata."""

    name: str
    template: str
    definitions: tuple[str, ...] = ()
    hooked: bool = False

    def __repr__(self) -> str:
        return f"<{self.name}>"


def _variable(name: str, *definitions: str, hooked: bool = False) -> VariableType:
    return VariableType(name, f"{name}($value$options)", definitions, hooked)


VARIABLE_TYPES: Sequence[VariableType] = (
    _variable("nnx.Param"),
    _variable("nnx.BatchStat"),
    _variable("nnx.Cache"),
    _variable("nnx.Intermediate"),
    _variable("nnx.Variable"),
    _variable("NnxWeight", _OWN_PARAM),
    _variable("NnxCounter", _OWN_VARIABLE),
)
HOOKED_TYPES: Sequence[VariableType] = (
    _variable("NnxDoubled", _DOUBLED, hooked=True),
    VariableType(
        "nnx.Param", "nnx.Param($value$options, on_get_value=nnx_halve)", (_HOOK,), hooked=True
    ),
    VariableType(
        "nnx.Cache", "nnx.Cache($value$options, on_set_value=nnx_halve)", (_HOOK,), hooked=True
    ),
)
# Two orders of the same names: metadata is a mapping.
_METADATA = ("", "", ", tag='encoder'", ", tag='decoder', rank=2", ", rank=2, tag='decoder'")


@st.composite
def variables(
    draw: st.DrawFn,
    values: st.SearchStrategy[Recipe] | None = None,
    *,
    types: Sequence[VariableType] = VARIABLE_TYPES,
    metadata: bool = True,
    hooks: bool = False,
) -> Recipe:
    """Draw a Flax NNX Variable.

    Args:
        values: strategy of the recipes of its value; default a `jax.Array` of any dtype.
        types: the types that it is drawn from, simple ones first; default every one.
        metadata: let it carry metadata; default `True`.
        hooks: also draw Variables whose `on_get_value` or `on_set_value` changes the value;
            their values are then floating arrays, and default `False`.

    Raises:
        ValueError: `types` is empty.
    """
    if not types:
        raise ValueError("types is empty; give at least one of VARIABLE_TYPES")
    kind = draw(st.sampled_from((*types, *HOOKED_TYPES) if hooks else tuple(types)))
    if kind.hooked:
        values = pool(tuple(INEXACT_ARRAYS))
    value = draw(pool(tuple(JAX_ARRAYS)) if values is None else values)
    options = draw(st.sampled_from(_METADATA)) if metadata else ""
    scope = Scope()
    scope.define(*kind.definitions)
    text = kind.template.replace("$value", scope.include(value)).replace("$options", options)
    scope.note("leaf", "variable", f"variable:{kind.name}")
    if options:
        scope.note("variable:metadata")
    if kind.hooked:
        scope.note("variable:hook")
    return scope.recipe(text)
