"""Draw a Flax NNX module with states of it over time, for exponential moving averages, as text."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool

from .modules import NNX_CONTAINERS, NNX_MODULES, nnx_modules
from .variables import variables

_ODD = {"nnx:number", "nnx:plain-list", "nnx:plain-dict", "nnx:rngs", "nnx:data", "nnx:object"}
# Modules that share a Variable cannot be taken as trees.
_TIED = {"nnx:tied"}
# An average by halves or quarters of binary fractions is not rounded.
_DECAYS = ("0.5", "0.25", "0.75", "0.0", "1.0")
_PLAIN = tuple(kind for kind in REAL_ARRAYS if "leaf:weak" not in kind.features)


@st.composite
def moving_averages(draw: st.DrawFn) -> Recipe:
    """Draw a `model` of real arrays, a `decay`, the filter `only`, `options`, and `factors`.

    The options say to take the model as a graph or a tree. Over time, the values of the model are
    multiplied by each of the factors.
    """
    as_graph = draw(st.booleans())
    left_out = _ODD if as_graph else _ODD | _TIED
    roots, inner = (
        tuple(kind for kind in table if not left_out & {*kind.features})
        for table in (NNX_MODULES, (*NNX_MODULES, *NNX_CONTAINERS))
    )
    scope = Scope()
    leaves = variables(pool(_PLAIN))
    modules = nnx_modules(
        leaves, roots=roots, kinds=inner, layers=False, alias=as_graph, max_leaves=4
    )
    scope.bind("model", draw(modules))
    scope.note("average:graph" if as_graph else "average:tree")
    scope.bind("options", "{}" if as_graph else "{'graph': False}")
    scope.bind("decay", draw(st.sampled_from(_DECAYS)))
    only = draw(st.sampled_from(("...", "nnx.Param", "nnx.Not(nnx.Param)")))
    scope.note(f"only:{only}")
    scope.bind("only", only)
    factors = draw(st.lists(st.sampled_from((2.0, -1.0, 0.5, 0.0)), max_size=3))
    scope.bind("factors", repr(factors))
    return scope.recipe()
