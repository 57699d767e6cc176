"""Nodes that a cursor copies, leaves that it goes into, and values and elements to put there."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import COMPARABLE, SUBCLASSES
from hypothesis_pytrees.optax.states import REAL_STATES
from hypothesis_pytrees.trees.containers import CONTAINERS

from ..frozen import FROZEN_DICTS
from ..structs import FLAX_STRUCTS
from .cursors import Path

_PAIR = "CuPair = collections.namedtuple('CuPair', ['x', 'y'])\n"
_FROZEN = """\
@dataclasses.dataclass(frozen=True)
class CuFrozen:
    x: typing.Any
    y: typing.Any = None


jtu.register_dataclass(CuFrozen, ['x', 'y'], [])
"""
_PLAIN = """\
@dataclasses.dataclass
class CuPlain:
    x: typing.Any

    @property
    def both(self):
        return (self.x, self.x)


jtu.register_dataclass(CuPlain, ['x'], [])
"""
_COUNTED = """\
@dataclasses.dataclass
class CuCounted:
    x: typing.Any
    count: int = dataclasses.field(default=0, init=False)


def counted(count):
    node = CuCounted(1)
    node.count = count
    return node
"""
_SIZED = """\
@dataclasses.dataclass(frozen=True)
class CuSized:
    x: typing.Any

    def __init__(self, size):
        object.__setattr__(self, 'x', [0] * size)
"""
_STATE = "from flax.training.train_state import TrainState\n"
_TAKEN = "CuTaken = collections.namedtuple('CuTaken', ['set', 'build', 'find'])\n"
_TAKEN_FIELDS = """\
@dataclasses.dataclass
class CuTakenFields:
    find: typing.Any
    set: typing.Any = None


jtu.register_dataclass(CuTakenFields, ['find', 'set'], [])
"""
_LIST = "class CuList(list):\n    pass\n"
_DICT = "class CuDict(dict):\n    pass\n"
NODES: tuple[Kind, ...] = (
    *CONTAINERS,
    *FLAX_STRUCTS,
    *FROZEN_DICTS,
    *REAL_STATES,
    Kind("dataclass", "CuFrozen($0, $1)", (_FROZEN,)),
    Kind("dataclass", "CuPlain($0)", (_PLAIN,)),
    Kind(
        "TrainState",
        "TrainState(step=0, apply_fn=max, params=$0, tx=None, opt_state=$1)",
        (_STATE,),
    ),
)
# Fields with the names of methods of a cursor.
NAMED_ALIKE: tuple[Kind, ...] = (
    Kind("namedtuple", "CuTaken($0, $1, $2)", (_TAKEN,), ("name:taken",)),
    Kind("dataclass", "CuTakenFields($0, $1)", (_TAKEN_FIELDS,), ("name:taken",)),
)
# Leaves to JAX that a cursor can go into.
ODD: tuple[Kind, ...] = (
    Kind("leaf", "TupleSubclass((1.0, 2))", (SUBCLASSES["tuple"],), ("odd:subclass",)),
    Kind("leaf", "CuList([1])", (_LIST,), ("odd:subclass",)),
    Kind("leaf", "CuDict(a=1)", (_DICT,), ("odd:subclass",)),
    Kind("leaf", "counted(3)", (_COUNTED,), ("odd:init-false",)),
    Kind("leaf", "CuSized(2)", (_SIZED,), ("odd:own-init",)),
    Kind("leaf", "CuFrozen", (_FROZEN,), ("odd:dataclass-type",)),
)
LEAVES = tuple(kind for kind in COMPARABLE if "leaf:tuple-subclass" not in kind.features)
VALUES: tuple[Kind, ...] = (
    Kind("value", "7", (), ("value:number",)),
    Kind("value", "jax.device_put(np.float32([9.0]))", (), ("value:array",)),
    Kind("value", "np.float32([9.0])", (), ("value:numpy",)),
    Kind("value", "None", (), ("value:none",)),
    Kind("value", "()", (), ("value:empty",)),
    Kind("value", "{}", (), ("value:empty",)),
    Kind("value", "[7, {'a': 8}]", (), ("value:list",)),
    Kind("value", "{'b': (8, [9]), 'a': 'new'}", (), ("value:dict",)),
    Kind("value", "CuPair(7, [8])", (_PAIR,), ("value:namedtuple",)),
    Kind("value", "CuFrozen([7], CuFrozen(8))", (_FROZEN,), ("value:dataclass",)),
    Kind("value", "flax.core.freeze({'a': {'b': [8]}})", (), ("value:frozen",)),
    Kind("value", "jax.random.key(1)", (), ("value:key",)),
    Kind("value", "math.sin", (), ("value:function",)),
    Kind("value", "int", (), ("value:type",)),
    *(Kind("value", kind.template, kind.definitions, kind.features) for kind in ODD),
)
PLAIN_VALUES = tuple(kind for kind in VALUES if not kind.features[0].startswith("odd:"))

# Nodes and arrays that a path leads into, with the last step and whether a cursor copies them.
_CUSTOM = """\
class CuCustom:
    def __init__(self, x):
        self.x = x


jtu.register_pytree_node(CuCustom, lambda node: ((node.x,), None), lambda _, x: CuCustom(*x))
"""
_HOLDERS: tuple[tuple[str, str, Path, tuple[str, ...]], ...] = (
    ("dict", "{'a': 0.0}", (["a"],), ()),
    ("list", "[1, 0.0]", ([1],), ()),
    ("frozen", "flax.core.freeze({'a': 0.0})", (["a"],), ()),
    ("jax-array", "jax.device_put(np.float32([1.0, 2.0]))", ([0],), ()),
    ("numpy-array", "np.float32([1.0, 2.0])", ([1],), ()),
    ("nnx-state", "nnx.State({'a': 0.0})", (["a"],), ()),
    ("Partial", "jtu.Partial(max, key=0.0)", ("keywords", ["key"]), ()),
    ("custom", "CuCustom(0.0)", ("x",), (_CUSTOM,)),
)
_AROUND: tuple[tuple[str, Path], ...] = (
    ("{'w': $, 'b': 1}", (["w"],)),
    ("[1, $]", ([1],)),
    ("flax.core.freeze({'a': [$]})", (["a"], [0])),
    ("$", ()),
)


@st.composite
def cursor_elements(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` and the `path` of a number in some node or array inside it.

    The feature is `holder:` followed by the name of the node or array.
    """
    scope = Scope()
    name, holder, inner, definitions = draw(st.sampled_from(_HOLDERS))
    around, outer = draw(st.sampled_from(_AROUND))
    scope.note(f"holder:{name}")
    scope.define(*definitions)
    scope.bind("tree", around.replace("$", holder))
    scope.bind("path", repr((*outer, *inner)))
    return scope.recipe()
