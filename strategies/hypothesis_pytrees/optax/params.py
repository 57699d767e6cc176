"""Parameters: trees of real floating arrays as optimisers get them, with gradients of their types.

Plain containers with `None` and empty nodes, random Modules that were filtered, Flax NNX states.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.availability import probe_first, usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, OBJECTS, PYTHON_SCALARS, pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

_WANTED = ("float32", "float32-matrix", "float32-scalar", "bfloat16", "empty")
# Real floating arrays, not weakly typed ones, since `apply_updates` gives those a dtype.
PARAMETERS: Sequence[Kind] = tuple(
    kind for name in _WANTED for kind in JAX_ARRAYS if f"leaf:{name}" in kind.features
)
MATRICES: Sequence[Kind] = tuple(k for k in PARAMETERS if "leaf:float32-matrix" in k.features)
# Other leaves of a model, which a filter removes.
_STATIC = tuple(
    kind
    for kind in (*PYTHON_SCALARS, *OBJECTS)
    if {"leaf:int", "leaf:str", "leaf:function", "leaf:true"} & set(kind.features)
)
_INTEGERS = tuple(kind for kind in JAX_ARRAYS if {"leaf:int32", "leaf:bool"} & set(kind.features))
# A node that looks at its children when it is rebuilt would refuse a gradient or a `None`; and 1,
# True and 1.0 are one static value to jit, as 0.0 and -0.0 are, through which some optimisers put
# the updates.
_NO_PARAMETERS = {
    *("node:typed-children", "node:aux-float", "node:aux-bool"),
    *(
        f"{prefix}:static-{one}"
        for prefix in ("module", "node", "struct")
        for one in ("float", "bool", "minus-zero")
    ),
}


def holding_parameters(kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    """Return the kinds of nodes that can hold parameters.

    Args:
        kinds: kinds of nodes, for example `NODES`.
    """
    return tuple(kind for kind in kinds if not _NO_PARAMETERS & set(kind.features))


_NODES = holding_parameters(NODES)
_MODULES = holding_parameters(MODULES)
_LAYER = """\
class TunedLayer(nnx.Module):
    def __init__(self, kernel, bias):
        self.kernel = nnx.Param(kernel)
        self.bias = nnx.Param(bias)
        self.steps = nnx.BatchStat(jax.device_put(np.int32(3)))
"""
_NETWORK = """\
class TunedNetwork(nnx.Module):
    def __init__(self, first, second):
        self.scale = nnx.Param(second)
        self.inner = TunedLayer(first, second)
"""
STATES: Sequence[Kind] = (
    Kind("nnx-state", "nnx.state(TunedLayer($0, $1), nnx.Param)", (_LAYER,)),
    Kind("nnx-state", "nnx.state(TunedNetwork($0, $1), nnx.Param)", (_LAYER, _NETWORK)),
)
FILTERS = ("eqx.is_inexact_array", "eqx.is_array")


# A gradient has the type of its parameter.
GRADIENTS = "jtu.tree_map(lambda leaf: leaf * 0.5, params)"


@dataclasses.dataclass(frozen=True)
class Sources:
    """The kinds that parameters are drawn from, with the installed libraries.

    Args:
        names: what to draw from: `"plain"`, `"filter"`, `"nnx"`; repeated by how often.
        inner: the kinds of plain nodes.
        modules: the kinds of Modules that hold no arrays of their own.
    """

    names: tuple[str, ...]
    inner: tuple[Kind, ...]
    modules: tuple[Kind, ...]


@functools.cache
def sources(*, models: bool = True) -> Sources:
    """Return the kinds that the installed libraries support.

    Args:
        models: also filtered Modules and NNX states; default `True`.
    """
    modules = tuple(kind for kind in usable(_MODULES) if _holds_no_array(kind)) if models else ()
    names = ("plain",) * 3 + ("filter",) * 2 * bool(modules)
    if models and usable(STATES):
        names += ("nnx",)
    return Sources(names, usable((*CONTAINERS, *_NODES)), modules)


def _holds_no_array(kind: Kind) -> bool:
    tree = Recipe(kind.definitions, (), kind.text(["1.0"] * kind.arity)).build()
    return not any(isinstance(leaf, (jax.Array, np.ndarray)) for leaf in jtu.tree_leaves(tree))


def draw_parameters(
    draw: st.DrawFn,
    scope: Scope,
    *,
    leaves: Sequence[Kind] = PARAMETERS,
    kinds: Sequence[Kind] | None = None,
    models: bool = True,
    some: bool = False,
    callable_root: bool = True,
) -> str:
    """Draw parameters into a scope that other draws share, bind `params`, and return the name.

    Args:
        draw: the draw function.
        scope: where to write.
        leaves: the kinds of the arrays; default `PARAMETERS`.
        kinds: the kinds of plain nodes; default containers and registered nodes.
        models: also draw filtered Modules and NNX states; default `True`.
        some: hold at least one array; default `False`.
        callable_root: the root may be a node that can be called; default `True`.
    """
    found = sources(models=models)
    source = found.names[draw(st.integers(0, len(found.names) - 1))]
    scope.note(f"params:{source}")
    if source == "filter":
        chosen = FILTERS[draw(st.integers(0, len(FILTERS) - 1))]
        others = (*_STATIC, *_INTEGERS) if chosen == FILTERS[0] else _STATIC
        text = draw_tree(
            draw,
            scope,
            leaves=pool((*leaves, *others)),
            roots=found.modules,
            kinds=found.inner,
            max_leaves=4,
        )
        scope.note(f"params:{chosen.removeprefix('eqx.')}")
        text = f"eqx.filter({text}, {chosen})"
    elif source == "nnx":
        text = draw_tree(
            draw, scope, leaves=pool(tuple(leaves)), roots=STATES, kinds=(), alias=False
        )
    else:
        inner = found.inner if kinds is None else kinds
        text = draw_tree(draw, scope, leaves=pool(tuple(leaves)), kinds=inner, max_leaves=3)
        # `update(..., params=None)` means that there are none.
        text = "[None]" if text == "None" else text
    if some and not jtu.tree_leaves(scope.value(text)):
        text = f"[{scope.include(draw(pool(tuple(leaves))))}, {text}]"
    if not callable_root and callable(scope.value(text)):
        text = f"[{text}]"
    scope.note(*described(scope.value(text)))
    return scope.bind("params", text)


def described(params: Any) -> Iterator[str]:
    """Yield the features of a finished tree, because a filter or a node may drop leaves.

    Args:
        params: the tree.
    """
    leaves = jtu.tree_leaves(params)
    spread = jtu.tree_leaves(params, is_leaf=lambda leaf: leaf is None)
    dtypes = {str(leaf.dtype) for leaf in leaves}
    facts = {
        "no-arrays": not leaves,
        "mixed": len(dtypes) > 1,
        "half": any(leaf.dtype.itemsize == 2 for leaf in leaves),
        "scalar": any(leaf.ndim == 0 for leaf in leaves),
        "vector": any(leaf.ndim == 1 for leaf in leaves),
        "matrix": any(leaf.ndim == 2 for leaf in leaves),
        "zero-size": any(leaf.size == 0 for leaf in leaves),
        "None": any(leaf is None for leaf in spread),
        "bare": any(leaf is params for leaf in leaves),
    }
    yield from (f"params:{dtype}" for dtype in dtypes)
    yield from (f"params:{name}" for name, holds in facts.items() if holds)


def parameters(
    *, leaves: Sequence[Kind] = PARAMETERS, models: bool = True
) -> st.SearchStrategy[Recipe]:
    """Draw parameters, bound to `params`, and gradients of their types, bound to `grads`.

    Args:
        leaves: the kinds of the arrays; default real floating arrays of few shapes and dtypes.
        models: also draw filtered Modules and NNX states; default `True`.

    Raises:
        ValueError: `leaves` is empty.
    """
    if not leaves:
        raise ValueError("leaves is empty; give at least one kind of array")
    trial = functools.partial(sources, models=models)
    return probe_first(trial, _parameters(tuple(leaves), models))


@st.composite
def _parameters(draw: st.DrawFn, leaves: tuple[Kind, ...], models: bool) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope, leaves=leaves, models=models)
    scope.bind("grads", GRADIENTS)
    return scope.recipe()
