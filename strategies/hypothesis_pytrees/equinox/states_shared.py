"""`eqx.nn.Shared`: trees with nodes of one structure, and functions that tie them."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.prior_operations import (
    EQUINOX_PRIOR_OPERATIONS,
    PRIOR_OPERATIONS,
    PriorOperation,
)
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import arrays, real_arrays
from hypothesis_pytrees.trees.trees import draw_tree, every_kind

from .states import INDICES_OF
from .states_layers import LAYERS_WITH_STATE
from .states_values import CHANGED, mismatches

_PAIR = """\
class SharedPair(eqx.Module):
    one: typing.Any
    other: typing.Any
    name: str = 'pair'
"""
_WITHIN = """\
class WithinShared(eqx.Module):
    weight: typing.Any
    bias: jax.Array

    def __init__(self, weight):
        self.weight = weight
        self.bias = jax.device_put(np.float32([1, 2]))
"""
_ONE = "def first_of_two(tree):\n    return tree[0]\n"
_TWO = "def second_of_two(tree):\n    return tree[1]\n"
_INNER = "def inner_of_first(tree):\n    return tree[0].weight\n"
_OUTER = "def weight_of_second(tree):\n    return tree['b'].weight\n"
_DEEP = "def deep_of_first(tree):\n    return tree['a'][0]\n"
_FIELD = "def field_one(tree):\n    return tree.one\n"
_OTHER = "def field_other(tree):\n    return tree.other\n"
_REST = "def rest_of_three(tree):\n    return tree[1], tree[2]\n"
_TWICE = "def first_twice(tree):\n    return tree[0], tree[0]\n"
_LIST = "def rest_as_list(tree):\n    return [tree[1], tree[2]]\n"
_TWICE_LIST = "def first_twice_as_list(tree):\n    return [tree[0], tree[0]]\n"

# The tree over `$0` and `$1`, of one structure; `where` and `get`, which select them.
_TIES: tuple[tuple[str, str, str, str, str], ...] = (
    ("pair", "[$0, $1]", _TWO, _ONE, ""),
    ("forward", "($1, $0)", _ONE, _TWO, ""),
    ("module", "SharedPair($0, $1)", _OTHER, _FIELD, _PAIR),
    ("deep", "{'a': [$0, 1.0], 'b': WithinShared($1)}", _OUTER, _DEEP, _WITHIN),
    ("inner", "(WithinShared($0), $1)", _TWO, _INNER, _WITHIN),
    ("several", "[$0, $1, $1]", _REST, _TWICE, ""),
    ("several-in-list", "[$0, $1, $0]", _LIST, _TWICE_LIST, ""),
    ("one-object", "[$0, $0]", _TWO, _ONE, ""),
)
_DOUBLED = """\
def doubled_first(tree):
    return jtu.tree_map(lambda leaf: leaf + leaf, tree[0])
"""
_NESTED = "eqx.nn.Shared([$0, $1], second_of_two, first_of_two)"
# The result of `get` may be computed, so not an object of the tree; nodes may be tied inside.
_MORE_TIES = (
    ("computed", "[$0, $1]", _TWO, _DOUBLED, ""),
    ("nested", f"[{_NESTED}, {_NESTED}]", _TWO, _ONE, ""),
)
_SEQUENCES = (
    ("one-type", _REST, _TWICE),
    ("one-type", _LIST, _TWICE_LIST),
    ("two-types", _REST, _TWICE_LIST),
    ("two-types", _LIST, _TWICE),
)
_STEPPED = """\
def stepped_arrays(tree):
    # Other arrays everywhere; where a node was taken out stands no array.
    return jtu.tree_map(lambda leaf: another_array(leaf) if eqx.is_array(leaf) else leaf, tree)
"""
SHARED_PRIOR_OPERATIONS: tuple[PriorOperation, ...] = (
    *PRIOR_OPERATIONS,
    *EQUINOX_PRIOR_OPERATIONS,
    PriorOperation("step", "$tree = stepped_arrays($tree)", (CHANGED, _STEPPED)),
)


def _name(definition: str) -> str:
    return definition.split("(")[0].removeprefix("def ")


def _tie(draw: st.DrawFn, scope: Scope, one: str, other: str, more: bool) -> None:
    name, template, where, get, cls = draw(st.sampled_from(_TIES + (_MORE_TIES if more else ())))
    scope.note(f"shared:{name}")
    scope.define(where, get, *([cls] if cls else []))
    scope.bind("tree", template.replace("$0", one).replace("$1", other))
    scope.bind("where", _name(where))
    scope.bind("get", _name(get))


@st.composite
def shared_trees(
    draw: st.DrawFn, *, real: bool = False, history: bool = True, more: bool = False
) -> Recipe:
    """Draw a tree whose nodes can be tied: bind `tree`, `where` and `get`, and `shared` of them.

    Features: `shared:pair`, `shared:several`, ...

    Args:
        real: every node is an array that `jax.grad` takes; default any tree of arrays.
        history: draw prior operations on `shared`; default `True`.
        more: also ties of what `get` computes, and of nodes with ties inside; default `False`.
    """
    scope = Scope()
    kinds = () if real else [kind for kind in every_kind() if kind.name in _CONTAINERS]
    options = {"kinds": kinds, "max_leaves": 2, "alias": False}
    node = draw_tree(draw, scope, leaves=real_arrays() if real else arrays(), **options)
    scope.define(CHANGED)
    one = scope.bind("one", node)
    other = scope.bind("other", f"changed({one})")
    _tie(draw, scope, one, other, more)
    scope.bind("shared", "eqx.nn.Shared(tree, where, get)")
    if history:
        prior_operations.apply(draw, scope, "shared", SHARED_PRIOR_OPERATIONS)
    return scope.recipe()


# Containers and nodes of arrays alone; Modules are what `shared:module` and `shared:deep` hold.
_CONTAINERS = frozenset(
    ("list", "tuple", "dict", "namedtuple", "register_dataclass", "register_pytree_node_class")
)


@st.composite
def untied_trees(draw: st.DrawFn) -> Recipe:
    """Draw nodes that do not fit each other: bind `tree`, `where` and `get`.

    Features: `mismatch:structure`, `mismatch:shape`, `mismatch:dtype`.
    """
    scope = Scope()
    one, other = draw(mismatches())
    scope.define(_TWO, _ONE)
    one, other = scope.bind("one", one), scope.bind("other", other)
    scope.bind("tree", f"[[{one}], [{other}]]")
    scope.bind("where", "second_of_two")
    scope.bind("get", "first_of_two")
    return scope.recipe()


@st.composite
def tied_sequences(draw: st.DrawFn) -> Recipe:
    """Draw `where` and `get` that return sequences: bind `tree`, `where`, `get` and `one`.

    Features: `sequences:one-type`, `sequences:two-types`.
    """
    scope = Scope()
    types, where, get = draw(st.sampled_from(_SEQUENCES))
    scope.note(f"sequences:{types}")
    scope.define(where, get, CHANGED)
    one = scope.bind("one", draw(arrays()))
    other = scope.bind("other", f"changed({one})")
    scope.bind("tree", f"[{one}, {other}, {other}]")
    scope.bind("where", _name(where))
    scope.bind("get", _name(get))
    return scope.recipe()


_KEPT = {
    "map": "jtu.tree_map(lambda leaf: leaf, shared)",
    "step": "stepped_arrays(shared)",
    "copy": "copy.copy(shared)",
    "combine": "eqx.combine(*eqx.partition(shared, eqx.is_array))",
}
_REBUILT = {
    "build": "eqx.nn.Shared(tree, where, get)",
    "deepcopy": "copy.deepcopy(shared)",
    "pickle": "pickle.loads(pickle.dumps(shared))",
}


@st.composite
def equal_shared(draw: st.DrawFn, *, rebuilt: bool) -> Recipe:
    """Draw two `eqx.nn.Shared` that differ in no static leaf: bind `shared` and `again`.

    Features: `again:map`, `again:build`, ...

    Args:
        rebuilt: `again` has static leaves of its own; otherwise it has those of `shared`.
    """
    scope = Scope()
    scope.include(draw(shared_trees(real=True, history=False)))
    scope.define(_STEPPED)
    ways = _REBUILT if rebuilt else _KEPT
    way = draw(st.sampled_from(tuple(ways)))
    scope.note(f"again:{way}")
    scope.bind("again", ways[way])
    return scope.recipe()


@st.composite
def shared_layers(draw: st.DrawFn) -> Recipe:
    """Draw a stateful layer that occurs twice and is tied: bind `model` and `state`."""
    scope = Scope()
    scope.define(INDICES_OF, CHANGED, _TWO, _ONE)
    layers = [kind for kind in LAYERS_WITH_STATE if kind.arity == 1 and kind.definitions]
    kind = draw(
        st.sampled_from([kind for kind in layers if "stateful:method" not in kind.features])
    )
    scope.define(*kind.definitions)
    scope.note(kind.name, *kind.features)
    scope.bind("layer", kind.text([scope.include(draw(arrays()))]))
    make = "lambda: eqx.nn.Shared([layer, layer], second_of_two, first_of_two)"
    scope.statement(f"model, state = eqx.nn.make_with_state({make})()")
    prior_operations.apply(draw, scope, "model", (*PRIOR_OPERATIONS, *EQUINOX_PRIOR_OPERATIONS))
    return scope.recipe()
