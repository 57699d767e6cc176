"""Flax NNX: what a function makes inside a transform comes out of it as it was made."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.releases import VARIABLE_RESULTS
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from hypothesis_pytrees.nnx.calls.made_ways import AUX, RESULTS, made_in_ways
from hypothesis_pytrees.nnx.modules import nnx_modules
from hypothesis_pytrees.nnx.variables import variables

from ._inputs import without_sharing
from ._model import same_graph
from .transforms import law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_ARRAYS = pool(tuple(REAL_ARRAYS))
_VARIABLES = variables(_ARRAYS)
# A NumPy array becomes one of JAX, unseen: modules with plain containers are left out.
_NUMPY = {"nnx:plain-list", "nnx:plain-dict"}
_MODULES = nnx_modules(_VARIABLES, alias=False).filter(
    lambda recipe: without_sharing(recipe) and not _NUMPY & recipe.features
)

_MADE = st.one_of(_MODULES, *([] if VARIABLE_RESULTS.lacking() else [_VARIABLES]), _ARRAYS)


@law(
    "modules, Variables and arrays that a function makes come out of each transform as they were "
    "made",
    source="https://flax.readthedocs.io/en/latest/guides/transforms.html#graph-updates-propagation",
    level="should",
    needs={"jit"},
    case=made_in_ways(RESULTS, _MADE),
)
def what_a_function_makes_comes_out(lib, case):
    found = case.run(lambda x: case.rebuild().made, case.x)
    same_graph(_of_arrays(found), _of_arrays(case.made))


@law(
    "modules, Variables and arrays that a function makes come out as auxiliary data of each "
    "derivative as they were made",
    source=f"{_API}#flax.nnx.value_and_grad",
    level="should",
    needs={"grad", "value_and_grad"},
    case=made_in_ways(AUX, _MADE),
)
def auxiliary_data_come_out(lib, case):
    found = case.run(lambda x: case.rebuild().made, case.x)
    same_graph(_of_arrays(found), _of_arrays(case.made))


def _of_arrays(tree):
    """Return a tree in which numbers that are data are arrays, as most transforms return them."""
    return jtu.tree_map(lambda leaf: jnp.asarray(leaf) if isinstance(leaf, int) else leaf, tree)
