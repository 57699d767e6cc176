"""Flax NNX: a filter of any form means the same wherever one is taken."""

from __future__ import annotations

from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from hypothesis_pytrees.nnx.calls.filter_uses import FUNCTIONS, TRANSFORMS, filter_uses
from hypothesis_pytrees.nnx.modules import nnx_modules
from hypothesis_pytrees.nnx.variables import variables

from ._inputs import TREES, without_sharing
from ._model import same_graph
from .filters import law

_DSL = "https://flax.readthedocs.io/en/latest/guides/filters_guide.html#the-filter-dsl"
_FLOATS = variables(pool(tuple(REAL_ARRAYS[:1])))
# Neither keys and counts of streams nor numbers: "grad requires real- or complex-valued inputs".
# Nor plain containers, whose arrays have another length.
_OTHERS = {"nnx:number", "nnx:rngs", "nnx:plain-list", "nnx:plain-dict"}
_OF_FLOATS = nnx_modules(_FLOATS, layers=False, alias=False).filter(
    lambda recipe: without_sharing(recipe) and not _OTHERS & recipe.features
)


@law(
    "a filter of any form means to each transform and optimiser what the guide says of it",
    source=_DSL,
    needs={"DiffState", "StateAxes", "StateSharding", "grad", "vmap", "jit"},
    case=filter_uses(TRANSFORMS, _OF_FLOATS),
)
def transforms_take_filters_of_any_form(lib, case):
    """A function of path and value is what every other filter stands for."""
    other = case.rebuild()
    wanted = other.run(other.meaning, other.module)
    same_graph((case.run(case.filter, case.module), case.module), (wanted, other.module))


@law(
    "a filter of any form means to each function of modules and states what the guide says of it",
    source=_DSL,
    needs={"state", "split"},
    case=filter_uses(FUNCTIONS, TREES),
)
def functions_take_filters_of_any_form(lib, case):
    """A function of path and value is what every other filter stands for."""
    other = case.rebuild()
    wanted = other.run(other.meaning, other.module)
    same_graph((case.run(case.filter, case.module), case.module), (wanted, other.module))
