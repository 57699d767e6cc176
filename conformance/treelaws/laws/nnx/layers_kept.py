"""Flax NNX: calls of layers keep the structure of the layer and the form of its Variables."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.nnx.layers.called import called_layers
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal

from ._model import variables_of
from .layers import law

# "dtype: the dtype of the computation", "param_dtype: the dtype passed to parameter initializers":
# no document lets a call change the dtype of a parameter.
_DTYPES = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/nn/linear.html"
_NEEDS = {"LoRA", "MultiHeadAttention", "fori_loop", "cond", "remat", "split", "update"}


@law(
    "a call of a layer, eager or in a transform, keeps the path, type, metadata, shape and dtype "
    "of each of its Variables",
    source=_DTYPES,
    level="should",
    needs=_NEEDS,
    case=called_layers(),
)
def calls_keep_the_variables(lib, case):
    before = _forms(case.layer)
    case.run(case.layer, case.x)
    equal(_forms(case.layer), before)


@law(
    "a call of a layer, eager or in a transform, keeps its GraphDef",
    source="https://flax.readthedocs.io/en/latest/nnx_basics.html#split-merge-and-update",
    level="should",
    needs={*_NEEDS, "graphdef"},
    case=called_layers(),
    parents=[calls_keep_the_variables],
)
def calls_keep_the_graphdef(lib, case):
    """The guide's `forward(graphdef, state, x)` drops that of the called model.

    "_, state = nnx.split(model)", "return y, state", and then "nnx.update(model, state)".
    """
    before = lib.graphdef(case.layer)
    case.run(case.layer, case.x)
    equal(lib.graphdef(case.layer), before)


def _forms(layer):
    """Return the type, the metadata and the form of the value of each Variable by its path."""
    form = lambda leaf: (jnp.shape(leaf), str(jnp.result_type(leaf)))
    return {
        path: (
            nnx_api.type_of(one),
            nnx_api.metadata(one),
            jtu.tree_map(form, nnx_api.raw_value(one)),
        )
        for path, one in variables_of(layer)
    }
