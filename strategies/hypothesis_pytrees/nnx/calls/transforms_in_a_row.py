"""Transforms of Flax NNX that take the function of another transform as it is, as text.

Each way is an expression of `program`, `module` and `x` that does what `program(module, x)` does.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.ways import way

_CUSTOM = """\
def nnx_custom_in_a_row(program):
    custom = nnx.custom_vjp(program)
    custom.defvjp(lambda module, x: (program(module, x), x), lambda kept, given: given[0])
    return custom
"""
# Each takes a function of a module and an array, and returns one. A custom derivative is inside.
_OUTSIDE = {
    "jit": "nnx.jit({})",
    "jit-donating": "nnx.jit({}, donate_argnums=0)",
    "remat": "nnx.remat({})",
    "vmap": "nnx.vmap({}, in_axes=None, out_axes=None, axis_size=1)",
}
_INSIDE = {**_OUTSIDE, "custom-vjp": "nnx_custom_in_a_row({})"}


def _row(outside: str, inside: str) -> Kind:
    text = _OUTSIDE[outside].format(_INSIDE[inside].format("program"))
    definitions = [_CUSTOM] * (inside == "custom-vjp")
    return way(f"{outside}-of-{inside}", f"{text}(module, x)", *definitions)


IN_A_ROW: Sequence[Kind] = tuple(itertools.starmap(_row, itertools.product(_OUTSIDE, _INSIDE)))
