"""Draws trees for `flax.cursor`, and the changes, reads and choices that laws make in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.tree_util as jtu
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import COMPARABLE, SUBCLASSES, pool
from hypothesis_pytrees.optax.states import REAL_STATES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.positions import bind_tree, names_of
from hypothesis_pytrees.trees.trees import trees

from .cursors import Path, Step, child_at, edited, is_named_tuple, is_sequence, steps_of
from .frozen import FROZEN_DICTS
from .structs import FLAX_STRUCTS

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
_KINDS: tuple[Kind, ...] = (
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
_NAMED_ALIKE: tuple[Kind, ...] = (
    Kind("namedtuple", "CuTaken($0, $1, $2)", (_TAKEN,), ("name:taken",)),
    Kind("dataclass", "CuTakenFields($0, $1)", (_TAKEN_FIELDS,), ("name:taken",)),
)
# Leaves to JAX that a cursor can go into.
_ODD: tuple[Kind, ...] = (
    Kind("leaf", "TupleSubclass((1.0, 2))", (SUBCLASSES["tuple"],), ("odd:subclass",)),
    Kind("leaf", "CuList([1])", (_LIST,), ("odd:subclass",)),
    Kind("leaf", "CuDict(a=1)", (_DICT,), ("odd:subclass",)),
    Kind("leaf", "counted(3)", (_COUNTED,), ("odd:init-false",)),
    Kind("leaf", "CuSized(2)", (_SIZED,), ("odd:own-init",)),
    Kind("leaf", "CuFrozen", (_FROZEN,), ("odd:dataclass-type",)),
)
_PLAIN_LEAVES = tuple(kind for kind in COMPARABLE if "leaf:tuple-subclass" not in kind.features)
_VALUES: tuple[Kind, ...] = (
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
    *(Kind("value", kind.template, kind.definitions, kind.features) for kind in _ODD),
)
_PLAIN_VALUES = tuple(kind for kind in _VALUES if not kind.features[0].startswith("odd:"))
_GROWING = ("dict", "OrderedDict", "defaultdict", "FrozenDict")
_NEW_KEYS = {str: "new", int: 77, float: 77, bytes: b"new", tuple: ("new", 7)}


def cursor_trees(
    leaves: Sequence[Kind] = _PLAIN_LEAVES,
    *,
    odd: bool = False,
    taken: bool = False,
    roots: Sequence[Kind] | None = None,
) -> st.SearchStrategy[Recipe]:
    """Draw a tree of nodes that a cursor copies.

    Args:
        leaves: the kinds of leaves; default those that are no instances of a container.
        odd: leaves may be instances of subclasses, unregistered dataclasses, and a dataclass;
            default `False`.
        taken: fields may have names of methods of a cursor; default `False`.
        roots: the kinds that the root is drawn from; default every node.
    """

    def draw_from() -> st.SearchStrategy[Recipe]:
        kinds = usable((*_KINDS, *(_NAMED_ALIKE if taken else ())))
        drawn = pool((*leaves, *(_ODD * 4 if odd else ())))
        return trees(drawn, kinds=kinds, roots=roots or kinds, max_leaves=5, history=not odd)

    return st.deferred(draw_from)


@st.composite
def cursor_edits(
    draw: st.DrawFn,
    tree_strategy: st.SearchStrategy[Recipe] | None = None,
    *,
    most: int = 3,
    new_keys: bool = True,
    odd: bool = False,
) -> Recipe:
    """Draw a `tree` and `edits`: pairs of a path and the value to put there, in order.

    Features are `value:` or `odd:` followed by the kind of a value, `step:attribute`, `step:item`,
    `step:negative`, `step:new-key`, and, if an item of a list or tuple is met by a positive and by
    a negative index, `edits:two-indices`.

    Args:
        tree_strategy: strategy of the tree; default `cursor_trees()`.
        most: greatest number of edits; default 3.
        new_keys: also add entries to dicts; default `True`.
        odd: values may be those of `odd` of `cursor_trees`; default `False`.
    """
    scope = Scope()
    bind_tree(draw, scope, cursor_trees() if tree_strategy is None else tree_strategy)
    current = names_of(scope)["tree"]
    texts: list[str] = []
    spellings: dict[str, set[str]] = {}
    for _ in range(draw(st.integers(1, most))):
        path = draw_path(draw, scope, current, new_keys=new_keys, spellings=spellings)
        kind = draw(st.sampled_from(_VALUES if odd else _PLAIN_VALUES))
        scope.define(*kind.definitions)
        scope.note(*kind.features)
        texts.append(f"({path!r}, {kind.template})")
        current = _checked(current, (path, scope.value(kind.template)))
    if any(len(found) > 1 for found in spellings.values()):
        scope.note("edits:two-indices")
    scope.bind("edits", f"[{', '.join(texts)}]")
    return scope.recipe()


def draw_path(
    draw: st.DrawFn,
    scope: Scope,
    tree: Any,
    *,
    new_keys: bool = False,
    spellings: dict[str, set[str]] | None = None,
) -> Path:
    """Draw a path into a tree, of at least one step.

    Args:
        new_keys: the last step may be a new entry of a dict; default `False`.
        spellings: gets how each index of a list or tuple is written, by its position.
    """
    path: list[Step] = []
    position, node = "", tree
    while steps_of(node) and (not path or draw(st.integers(0, 3))):
        steps = steps_of(node)
        step = steps[draw(st.integers(0, len(steps) - 1))]
        path.append(_spelt(draw, scope, node, step))
        position += repr(step)
        if is_sequence(node) and spellings is not None:
            spellings.setdefault(position, set()).add(repr(path[-1]))
        node = child_at(node, step)
    if new_keys and type(node).__name__ in _GROWING and (not path or not draw(st.integers(0, 3))):
        first = next(iter(node), "")
        if type(first) in _NEW_KEYS:
            scope.note("step:new-key")
            path.append([_NEW_KEYS[type(first)]])
    return tuple(path) if path else reject()


def _spelt(draw: st.DrawFn, scope: Scope, node: Any, step: Step) -> Step:
    """Draw how a step is written: the field of a named tuple also by its index."""
    index = steps_of(node).index(step)
    if is_named_tuple(node) and draw(st.booleans()):
        step = [index]
    if (
        isinstance(node, (list, tuple))
        and not isinstance(step, str)
        and draw(st.integers(0, 3)) == 3
    ):
        scope.note("step:negative")
        return [index - len(node)]
    scope.note("step:attribute" if isinstance(step, str) else "step:item")
    return step


def _checked(tree: Any, edit: tuple[Path, Any]) -> Any:
    """Apply an edit; reject one that a class refuses, or that makes treedefs incomparable."""
    try:
        one, other = edited(tree, [edit]), edited(tree, [edit])
        agree = jtu.tree_structure(one) == jtu.tree_structure(other)
    except Exception:
        # A class may refuse a value with any error, and an array in a static field is ambiguous.
        reject()
    return one if agree is True else reject()
