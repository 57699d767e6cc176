"""Node types that `jax.export` can serialise, and trees that hold them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first, usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, PRNG_KEYS, pool

from .containers import CONTAINERS
from .trees import draw_tree

# A process may hold two classes made from the same text, each in a module of its own.
_AS_JSON = """\
import jax.export


def export_with_json(cls):
    import json

    jax.export.register_pytree_node_serialization(
        cls,
        serialized_name=f'{cls.__module__}.{cls.__name__}',
        serialize_auxdata=lambda aux: json.dumps(aux).encode(),
        deserialize_auxdata=lambda data: json.loads(data.decode()),
    )
    return cls
"""
_NAMED = """\
import jax.export


class ExportedPair(typing.NamedTuple):
    first: typing.Any
    second: typing.Any = None


jax.export.register_namedtuple_serialization(
    ExportedPair, serialized_name=f'{ExportedPair.__module__}.ExportedPair'
)
"""
_FACTORY = """\
import jax.export

ExportedPoint = collections.namedtuple('ExportedPoint', ['x'])
jax.export.register_namedtuple_serialization(
    ExportedPoint, serialized_name=f'{ExportedPoint.__module__}.ExportedPoint'
)
"""
_FUNCTION = """\
class ExportedNode:
    def __init__(self, left, right, tag):
        self.left, self.right, self.tag = left, right, tag


jtu.register_pytree_node(
    ExportedNode,
    lambda node: ((node.left, node.right), node.tag),
    lambda tag, children: ExportedNode(*children, tag),
)
export_with_json(ExportedNode)
"""
_KEYED = """\
@jtu.register_pytree_with_keys_class
class ExportedKeyed:
    def __init__(self, *values):
        self.values = values

    def tree_flatten_with_keys(self):
        pairs = [(jtu.SequenceKey(place), value) for place, value in enumerate(self.values)]
        return pairs, 'aux'

    @classmethod
    def tree_unflatten(cls, aux, values):
        return cls(*values)


export_with_json(ExportedKeyed)
"""
_BY_CLASS = """\
@export_with_json
@jtu.register_pytree_node_class
class ExportedByClass:
    def __init__(self, value, note):
        self.value, self.note = value, note

    def tree_flatten(self):
        return (self.value,), self.note

    @classmethod
    def tree_unflatten(cls, note, children):
        return cls(*children, note)
"""


def _kind(name: str, text: str, *definitions: str) -> Kind:
    return Kind("exported-node", text, definitions, (f"exported:{name}",))


SERIALIZABLE: Sequence[Kind] = (
    _kind("named-tuple", "ExportedPair($0, $1)", _NAMED),
    _kind("named-tuple", "ExportedPair($0)", _NAMED),
    _kind("namedtuple", "ExportedPoint($0)", _FACTORY),
    _kind("function", "ExportedNode($0, $1, 'tag')", _AS_JSON, _FUNCTION),
    _kind("function", "ExportedNode($0, $1, {'a': [1, None, 2.5]})", _AS_JSON, _FUNCTION),
    _kind("with-keys", "ExportedKeyed($0, $1)", _AS_JSON, _KEYED),
    _kind("with-keys", "ExportedKeyed()", _AS_JSON, _KEYED),
    _kind("class", "ExportedByClass($0, None)", _AS_JSON, _BY_CLASS),
    _kind("class", "ExportedByClass($0, 'note')", _AS_JSON, _BY_CLASS),
)
# What `jax.export` knows by itself, of dicts those with texts as keys.
_PLAIN = tuple(
    kind
    for kind in CONTAINERS
    if kind.name in ("list", "tuple", "dict", "None")
    and not {"dict:int-keys", "dict:tuple-keys"} & set(kind.features)
)
_LEAVES = tuple(
    kind
    for kind in JAX_ARRAYS
    if {"leaf:float32", "leaf:int32", "leaf:bfloat16", "leaf:bool", "leaf:float32-scalar"}
    & set(kind.features)
)
_SPLIT = "jax.random.split(jax.random.key(7, impl='rbg'), (2,))"
_KEYS = (*PRNG_KEYS, Kind("leaf", _SPLIT, (), ("leaf:keys", "leaf-is:key")))


def serializable_trees(*, keys: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw a tree of JAX arrays whose nodes `jax.export` can serialise, bound to `tree`.

    Args:
        keys: also draw arrays of random keys; default `False`.
    """
    return probe_first(lambda: usable(SERIALIZABLE), _serializable_trees(keys))


@st.composite
def _serializable_trees(draw: st.DrawFn, keys: bool) -> Recipe:
    scope = Scope()
    # JAX loads this submodule only if it is imported by name.
    scope.statement("import jax.export")
    leaves = (*_LEAVES, *(_KEYS if keys else ()))
    kinds = (*usable(SERIALIZABLE), *_PLAIN)
    scope.bind("tree", draw_tree(draw, scope, leaves=pool(leaves), kinds=kinds, max_leaves=4))
    return scope.recipe()
