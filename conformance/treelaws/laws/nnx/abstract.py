"""Flax NNX: `eval_shape`, which makes modules that hold shapes in the place of arrays."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.nnx.modules import nnx_modules
from hypothesis_pytrees.nnx.variables import variables
from treelaws.core.law import Topic
from treelaws.equality import equal

from ._model import same_graph

law = Topic("nnx.abstract", "Flax NNX: abstract modules", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_EVAL = f"{_API}#flax.nnx.eval_shape"
_CHECKPOINTS = "https://flax.readthedocs.io/en/latest/guides/checkpointing.html"
_PLAIN = tuple(kind for kind in JAX_ARRAYS if "leaf:weak" not in kind.features)
# A number that is data, or an array of NumPy, has no shape of its own.
_NUMBERS = {"nnx:number", "nnx:plain-list", "nnx:plain-dict"}
_MODULES = nnx_modules(variables(pool(_PLAIN)))
_CASES = cases(module=_MODULES.filter(lambda recipe: not _NUMBERS & recipe.features))


@law(
    "`eval_shape` of a function that makes a module returns the module with the shape and dtype of "
    "each array in its place",
    source=_EVAL,
    needs={"eval_shape"},
    case=_CASES,
    weight=0.3,
)
def a_module_is_made_of_shapes(lib, case):
    made = lib.eval_shape(lambda: case.rebuild().module)
    equal(lib.graphdef(made), lib.graphdef(case.module))
    equal(_shapes(lib, made), _shapes(lib, case.module))


@law(
    "`eval_shape` of the identity returns the shapes of a module, which does not change",
    source=_EVAL,
    needs={"eval_shape"},
    case=_CASES,
    weight=0.3,
)
def the_shapes_of_a_module_are_returned(lib, case):
    abstract = lib.eval_shape(lambda module: module, case.module)
    equal(_shapes(lib, abstract), _shapes(lib, case.module))
    same_graph(case.module, case.rebuild().module)


@law(
    "an abstract module that gets the state of a module by `update` is equal to the module",
    source=_CHECKPOINTS,
    needs={"eval_shape"},
    case=_CASES,
    weight=0.3,
    parents=[a_module_is_made_of_shapes],
)
def an_abstract_module_takes_a_state(lib, case):
    made = lib.eval_shape(lambda: case.rebuild().module)
    lib.update(made, lib.state(case.module))
    same_graph(made, case.module)


def _shapes(lib, module):
    return [(leaf.shape, str(leaf.dtype)) for leaf in jtu.tree_leaves(lib.state(module))]
