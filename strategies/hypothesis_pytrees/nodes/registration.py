"""Traits of registered nodes: the way of registration, keys, and what flatten returns.

Sources: https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.register_pytree_node.html and
.../jax.tree_util.register_pytree_with_keys.html: flatten returns "an iterable for the children", or
"an iterable for tuples of each key path and its child".
"""

from __future__ import annotations

from hypothesis_pytrees.core.releases import KEYS_ARGUMENT

from .parts import NodeTrait, Part

_KEYS = frozenset({"keys"})
_CONTAINER = frozenset({"container"})
_EDGE = """\
@dataclasses.dataclass(frozen=True)
class NodeEdge:
    name: str

    def __str__(self):
        return f'->{self.name}'
"""
_ROW = '''\
class NodeRow:
    """An iterable, but not a sequence."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)
'''


def _keys(features: str, key: str, *definitions: str) -> NodeTrait:
    return NodeTrait(features, key=key, claims=_KEYS, definitions=definitions)


def _container(features: str, container: str, *definitions: str) -> NodeTrait:
    return NodeTrait(features, container=container, claims=_CONTAINER, definitions=definitions)


KEY_TYPES: tuple[NodeTrait, ...] = (
    _keys("GetAttrKey", "jtu.GetAttrKey('{name}')"),
    _keys("SequenceKey", "jtu.SequenceKey({index})"),
    _keys("DictKey", "jtu.DictKey('{name}')"),
    _keys("FlattenedIndexKey", "jtu.FlattenedIndexKey({position})"),
    # A key entry may be any object with a text.
    # Source: https://docs.jax.dev/en/latest/101/pytrees.html#explicit-key-paths
    _keys("custom-key", "NodeEdge('{name}')", _EDGE),
    _keys("str-key", "'{name}'"),
)
BY_CLASS = NodeTrait("by-class", claims=frozenset({"registration"}))
REGISTRATIONS: tuple[NodeTrait, ...] = (
    BY_CLASS,
    *KEY_TYPES,
    # The second function is "only needed for faster traversal": it returns no keys.
    NodeTrait("flatten-func", claims=frozenset({"two functions"})),
    NodeTrait(
        "keys-argument",
        claims=frozenset({"registration", "two functions"}),
        needs=(KEYS_ARGUMENT,),
    ),
)
RETURNED: tuple[NodeTrait, ...] = (
    _container("list-children", "{}"),
    _container("generator-children", "(child for child in {})"),
    _container("iterator-children generator-children", "iter({})"),
    _container("values-children", "dict(enumerate({})).values()"),
    _container("deque-children", "collections.deque({})"),
    _container("iterable-children", "NodeRow({})", _ROW),
    # The order in which flatten returns the children need not be that of the constructor.
    NodeTrait("reordered", parts=(Part("late"),), clashes=frozenset({"no-children"})),
)
