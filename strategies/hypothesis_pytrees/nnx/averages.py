"""Draw a Flax NNX module with states of it over time, for exponential moving averages, as text."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool

from .modules import NNX_CONTAINERS, NNX_MODULES, nnx_modules
from .variables import variables

_ODD = {"nnx:number", "nnx:plain-list", "nnx:plain-dict", "nnx:rngs", "nnx:data", "nnx:object"}
# An average by halves or quarters of binary fractions is not rounded.
_DECAYS = ("0.5", "0.25", "0.75", "0.0", "1.0")
_SINGLES = tuple(kind for kind in REAL_ARRAYS if "leaf:float32" in kind.features)


@st.composite
def moving_averages(draw: st.DrawFn) -> Recipe:
    """Draw a `model` of real arrays, a `decay`, the filter `only`, and `factors`.

    The values of the model over time are its first values times each of the factors.
    """
    roots, inner = (
        tuple(kind for kind in table if not _ODD & {*kind.features})
        for table in (NNX_MODULES, (*NNX_MODULES, *NNX_CONTAINERS))
    )
    scope = Scope()
    leaves = variables(pool(_SINGLES))
    scope.bind(
        "model", draw(nnx_modules(leaves, roots=roots, kinds=inner, layers=False, max_leaves=4))
    )
    scope.bind("decay", draw(st.sampled_from(_DECAYS)))
    only = draw(st.sampled_from(("...", "nnx.Param", "nnx.Not(nnx.Param)")))
    scope.note(f"only:{only}")
    scope.bind("only", only)
    factors = draw(st.lists(st.sampled_from((2.0, -1.0, 0.5, 0.0)), max_size=3))
    scope.bind("factors", repr(factors))
    return scope.recipe()
