"""Trees that `flax.serialization` saves: the types that it knows, and leaves that have bytes."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.leaves.dtypes import EXTENDED, PLAIN
from hypothesis_pytrees.leaves.leaves import (
    JAX_ARRAYS,
    NUMPY_ARRAYS,
    NUMPY_SCALARS,
    OBJECTS,
    PYTHON_SCALARS,
    pool,
)
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import trees

from .frozen import FROZEN_DICTS
from .structs import FLAX_STRUCTS

_LEGACY = "FxLegacy = collections.namedtuple('FxLegacy', ['name', 'fields', 'values'])\n"
_RENAMED = "FxRenamed = collections.namedtuple('FxRenamed', ['x', 'class'], rename=True)\n"
_CUSTOM = """\
class FxCustom:
    def __init__(self, x, y):
        self.x, self.y = x, y


jtu.register_pytree_node(
    FxCustom, lambda node: ((node.x, node.y), None), lambda _, children: FxCustom(*children)
)
flax.serialization.register_serialization_state(
    FxCustom,
    lambda node: {name: flax.serialization.to_state_dict(vars(node)[name]) for name in ('x', 'y')},
    lambda node, state: FxCustom(
        flax.serialization.from_state_dict(node.x, state['x'], name='x'),
        flax.serialization.from_state_dict(node.y, state['y'], name='y'),
    ),
)
"""
_PARAMS = "{'w': jax.device_put(np.float32([1.0, 2.0])), 'b': {}}"


def _named(*names: str) -> tuple[Kind, ...]:
    return tuple(kind for kind in CONTAINERS if kind.name in names)


# dict, list, tuple, namedtuple and None, without changes.
PLAIN_CONTAINERS: tuple[Kind, ...] = _named("dict", "list", "tuple", "namedtuple", "None")
# What msgpack holds without a state dict: keys are text or integers.
PACKED: tuple[Kind, ...] = tuple(
    kind
    for kind in _named("dict", "list", "tuple", "None")
    if "dict:tuple-keys" not in kind.features
)
ODD: tuple[Kind, ...] = (
    Kind("namedtuple", "FxRenamed($0, $1)", (_RENAMED,), ("namedtuple:renamed",)),
    Kind("namedtuple", "FxLegacy($0, $1, $2)", (_LEGACY,), ("namedtuple:legacy-names",)),
    Kind("flax-custom", "FxCustom($0, $1)", (_CUSTOM,)),
    Kind("Partial", "jtu.Partial(max, $0, key=$1)", (), ("node:typed-children",)),
    Kind("optax-state", f"optax.adam(0.1).init({_PARAMS})"),
    Kind("optax-state", f"optax.sgd(0.1, momentum=0.9).init({_PARAMS})"),
)
SAVED: tuple[Kind, ...] = (*PLAIN_CONTAINERS, *FLAX_STRUCTS, *FROZEN_DICTS, *ODD)
# Mappings whose types nobody registered: they pass through a state dict as leaves do.
UNREGISTERED: tuple[Kind, ...] = _named("OrderedDict", "defaultdict")


def _has_bytes(kind: Kind) -> bool:
    """Return whether a kind has a fixed number of bytes: not big integers, objects or text."""
    return not {"leaf:big-int", "leaf:str-array"} & set(kind.features)


_TEXT = tuple(kind for kind in OBJECTS if {"leaf:str", "leaf:empty-str"} & set(kind.features))
_COMMON = (*JAX_ARRAYS, *NUMPY_ARRAYS, *NUMPY_SCALARS, *PYTHON_SCALARS, *_TEXT)
_BYTES = (Kind("leaf", "b'\\x00a'", (), ("leaf:bytes",)),)
SAVED_LEAVES: tuple[Kind, ...] = tuple(filter(_has_bytes, (*_COMMON, *_BYTES)))
# In addition, every numeric dtype in every array type, also with another byte order.
_BIG_ENDIAN = (
    Kind("leaf", "np.array([1.5, 0.0], '>f4')", (), ("leaf:big-endian",)),
    Kind("leaf", "np.array([1, 2], '>i4')", (), ("leaf:big-endian",)),
)
# Extended floats have padding bytes, which differ from copy to copy.
_NUMBERS = tuple(kind for kind in (*PLAIN, *EXTENDED) if "longdouble" not in kind.template)
EVERY_SAVED_LEAF: tuple[Kind, ...] = (*SAVED_LEAVES, *_NUMBERS, *_BIG_ENDIAN)


def saved_trees(
    leaves: st.SearchStrategy[Recipe] | None = None,
    *,
    kinds: Sequence[Kind] = SAVED,
    roots: Sequence[Kind] | None = None,
    max_leaves: int = 5,
    history: bool = True,
) -> st.SearchStrategy[Recipe]:
    """Draw a tree of types that `flax.serialization` knows.

    Args:
        leaves: strategy of leaf recipes; default leaves that msgpack has bytes for.
        kinds: the kinds of inner nodes; default every type that has a state dict.
        roots: the kinds that the root is drawn from; default leaves and `kinds` alike.
        max_leaves: leaf budget, at least 1; default 5.
        history: draw a prior operation on the tree; default `True`.

    Raises:
        ValueError: `max_leaves` is below 1.
    """
    leaves = pool(SAVED_LEAVES) if leaves is None else leaves
    return trees(leaves, kinds=kinds, roots=roots, max_leaves=max_leaves, history=history)
