"""Structures: a fixed pool of trees with slots for leaves, for laws that compile.

Every treedef that `jax.jit` has not seen costs a compilation. Here the shapes, the dtypes and the
nesting come from a short list, and only the values of the leaves are drawn freely.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import OBJECTS, PYTHON_SCALARS
from hypothesis_pytrees.nodes.node_classes import KEYED_CLASSES
from hypothesis_pytrees.nodes.nodes import NODES

from .containers import CONTAINERS
from .structures_mixed import kinds_that_fit


@dataclasses.dataclass(frozen=True)
class Slot:
    """A slot for a leaf, either an array of one shape and dtype or not an array."""

    name: str


@dataclasses.dataclass(frozen=True)
class Structure:
    """A node with its children, down to the slots.

    Args:
        kind: the node's entry in the tables of kinds.
        children: nodes and slots, as many as the kind has.
    """

    kind: Kind
    children: tuple[Structure | Slot, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots from left to right."""
        parts = ([c] if isinstance(c, Slot) else c.slots for c in self.children)
        return tuple(itertools.chain.from_iterable(parts))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of its nodes, the root first."""
        inner = (child.kinds for child in self.children if isinstance(child, Structure))
        return (self.kind, *itertools.chain.from_iterable(inner))

    def write(self, scope: Scope, leaves: Sequence[str]) -> str:
        """Define its classes, note its kinds, and give its text with these leaves in the slots."""
        scope.define(*self.kind.definitions)
        scope.note(self.kind.name, *self.kind.features)
        rest, texts = list(leaves), []
        for child in self.children:
            count = 1 if isinstance(child, Slot) else len(child.slots)
            mine, rest = rest[:count], rest[count:]
            texts.append(mine[0] if isinstance(child, Slot) else child.write(scope, mine))
            name = "leaf" if isinstance(child, Slot) else child.kind.name
            scope.note(f"{self.kind.name}>{name}")
        return self.kind.text(texts)


VECTOR, SCALAR, INTEGER = Slot("vector"), Slot("scalar"), Slot("integer")
STATIC = Slot("static")  # a leaf that is not an array
FIELD = Slot("field")  # a static field: its value is not a leaf

_TABLE = {kind.template: kind for kind in (*CONTAINERS, *NODES, *MODULES)}
_ROOT = Kind("leaf", "$0")
_TRIPLE = _TABLE["($0, $1, $2)"]


def _node(template: str, *children: Structure | Slot) -> Structure:
    return Structure(_TABLE[template], children)


def _labelled(child: Structure | Slot, label: Slot) -> Structure:
    kind = _TABLE["Labelled($0, 'label')"]
    return Structure(dataclasses.replace(kind, template="Labelled($0, $1)"), (child, label))


STRUCTURES: tuple[Structure, ...] = (
    Structure(_ROOT, (VECTOR,)),
    Structure(_ROOT, (STATIC,)),
    _node("[$0, $1]", VECTOR, STATIC),
    _node("($0,)", VECTOR),
    _node("($0, $1, $2)", VECTOR, SCALAR, STATIC),
    _node("($0, $1)", STATIC, STATIC),
    _node("($0, $1)", VECTOR, _node("None")),
    _node("($0, $1, $2)", _node("()"), _node("{}"), INTEGER),
    _node("{'b': $0, 'a': $1}", VECTOR, STATIC),
    _node("{2: $0, -1: $1}", _node("[$0]", VECTOR), INTEGER),
    _node("collections.OrderedDict([('b', $0), ('a', $1)])", STATIC, VECTOR),
    _node("collections.defaultdict(list, {'b': $0, 'a': $1})", VECTOR, SCALAR),
    _node("Pair($0, $1)", VECTOR, STATIC),
    _node("Sample(z=$0)", _node("[$0, $1]", INTEGER, STATIC)),
    _node("NodeSecond($0, y=$1)", VECTOR, STATIC),
    _node("NodeAux($0, tag='label')", _node("($0,)", VECTOR)),
    _node("NodeByClass($0)", _node("[$0, $1]", VECTOR, INTEGER)),
    _node("NodeGetAttrKey($0)", _node("($0, $1)", SCALAR, STATIC)),
    Structure(KEYED_CLASSES[0], (_node("{'a': $0}", VECTOR),)),
    _node("DataRecord($0, $1)", VECTOR, STATIC),
    _node("($0, $1)", _node("StaticOptions(2)"), VECTOR),
    _node("[$0, $1]", _node("jtu.Partial(max, $0)", VECTOR), STATIC),
    _node("Plain($0, $1)", VECTOR, STATIC),
    _labelled(VECTOR, FIELD),
    _node("Plain($0, $1)", _labelled(_node("[$0, $1]", VECTOR, STATIC), FIELD), SCALAR),
    _node("Child($0, z=$1)", SCALAR, VECTOR),
    _node("Box($0)", _node("Plain($0, $1)", INTEGER, STATIC)),
    _node("eqx.Partial(double, $0, key=$1)", VECTOR, STATIC),
    _node("Meter($0).read", VECTOR),
)


def _value(name: str, text: str) -> Recipe:
    return Recipe((), (), text, frozenset(("leaf", f"leaf:{name}")))


def _values(dtype: str, *numbers: str) -> tuple[Recipe, ...]:
    arrays = [_value(dtype, f"jax.device_put(np.{dtype}({number}))") for number in numbers]
    return (*arrays, _value(f"numpy-{dtype}", f"np.{dtype}({numbers[0]})"))


_ARRAYS: dict[Slot, tuple[Recipe, ...]] = {
    VECTOR: _values("float32", "[1.0, 2.0]", "[0.5, -0.0]", "[0.0, -3.0]"),
    # np.float32(0.5) alone is a numpy scalar, not an array.
    SCALAR: _values("float32", "0.5", "-0.0", "4.0")[:-1],
    INTEGER: _values("int32", "[3, 4]", "[-1, 0]"),
}
_INEXACT = frozenset({VECTOR, SCALAR})
_NOT_FINITE = _value("nan", "jax.device_put(np.float32([np.nan, np.inf]))")


def _of_kinds(kinds: Sequence[Kind], *names: str) -> tuple[Recipe, ...]:
    chosen = [kind for kind in kinds if kind.features[0].removeprefix("leaf:") in names]
    return tuple(
        Recipe(k.definitions, (), k.template, frozenset((k.name, *k.features))) for k in chosen
    )


# Hashable, each equal to itself alone, and the same object or an equal one on every build.
UNEQUAL: tuple[Recipe, ...] = (
    *_of_kinds(OBJECTS, "str", "empty-str", "function", "builtin", "type", "enum", "frozenset"),
    *_of_kinds(PYTHON_SCALARS, "float", "complex", "big-int"),
)
# Equal and of one hash, of different type or sign.
EQUAL: tuple[tuple[Recipe, ...], ...] = (
    _of_kinds(PYTHON_SCALARS, "int", "true", "float"),
    _of_kinds(PYTHON_SCALARS, "zero", "false"),
    (*_of_kinds(PYTHON_SCALARS, "minus-zero"), _value("plus-zero", "0.0")),
)
CHANGES = ("arrays", "static", "type")


@functools.cache
def usable_structures(*, statics: bool = True) -> tuple[Structure, ...]:
    """Return the structures whose kinds the installed releases support.

    Args:
        statics: also those with leaves outside of the slots.
    """
    return tuple(s for s in STRUCTURES if _is_usable(s) and (statics or not _brings_leaves(s)))


def _with_users_nodes(pool: Sequence[Structure], **limits: bool) -> tuple[Structure, ...]:
    """Return the pool and structures that hold the kinds of `mixed_in`, a third of the whole."""
    found = [
        Structure(_TRIPLE, (Structure(kind, (VECTOR,) * kind.arity), VECTOR, STATIC))
        for kind in kinds_that_fit(**limits)
    ]
    return (*pool, *found * (len(pool) // (2 * len(found)) or 1)) if found else tuple(pool)


def _is_usable(structure: Structure) -> bool:
    kinds = [kind for kind in structure.kinds if kind is not _ROOT]
    return len(usable(kinds)) == len(kinds)


def _brings_leaves(structure: Structure) -> bool:
    scope = Scope()
    tree = scope.recipe(structure.write(scope, ["1.0"] * len(structure.slots))).build()
    return len(jtu.tree_leaves(tree)) != sum(slot is not FIELD for slot in structure.slots)


def _pick(draw: st.DrawFn, table: Sequence[Recipe]) -> Recipe:
    return table[draw(st.integers(0, len(table) - 1))]


def _draw_leaf(draw: st.DrawFn, slot: Slot, finite: bool) -> Recipe:
    if slot in (STATIC, FIELD):
        return _pick(draw, UNEQUAL)
    table = _ARRAYS[slot]
    return _pick(draw, table if finite or slot is not VECTOR else (*table, _NOT_FINITE))


@st.composite
def structures(
    draw: st.DrawFn,
    *,
    integers: bool = True,
    scalars: bool = True,
    statics: bool = True,
    finite: bool = False,
    inexact: bool = False,
) -> Recipe:
    """Draw a tree from a fixed pool of structures, with drawn values in its leaves.

    There are as many treedefs as structures, times the values of the leaves that are not arrays:
    strings, functions, types, enum members, numbers, none of them equal to another.

    Args:
        integers: let some arrays be of an integer dtype; default `True`.
        scalars: let some arrays have the shape `()`; default `True`, else all have `(2,)`.
        statics: let some leaves not be arrays; default `True`.
        finite: draw no NaN and no infinity; default `False`.
        inexact: draw only trees that hold a floating-point array; default `False`.
    """
    scope = Scope()
    pool = usable_structures(statics=statics)
    if inexact:
        pool = tuple(s for s in pool if _INEXACT & set(s.slots))
    pool = _with_users_nodes(
        pool, integers=integers, scalars=scalars, statics=statics, finite=finite
    )
    structure = pool[draw(st.integers(0, len(pool) - 1))]
    replaced = {} if integers else {INTEGER: VECTOR}
    if not statics:
        replaced[STATIC] = SCALAR if scalars else VECTOR
    if not scalars:
        replaced[SCALAR] = VECTOR
    slots = [replaced.get(slot, slot) for slot in structure.slots]
    leaves = [_draw_leaf(draw, slot, finite) for slot in slots]
    return scope.recipe(structure.write(scope, [scope.include(leaf) for leaf in leaves]))


@st.composite
def structure_pairs(
    draw: st.DrawFn, *changes: str, finite: bool = False, inexact: bool = False
) -> Recipe:
    """Draw two trees of one structure and bind them to `tree` and `other`.

    Args:
        changes: what may differ; default each of these. `"arrays"`: the values of the arrays, if
            at all. `"static"`: one leaf that is not an array, which is not equal to the other.
            `"type"`: one such leaf, equal to the other but of another type or sign (`1`, `True`,
            `1.0`; `0`, `False`; `0.0`, `-0.0`).
        finite: draw no NaN and no infinity; default `False`.
        inexact: draw only trees that hold a floating-point array; default `False`.

    The feature is `change:arrays`, `change:static`, `change:type` or `change:sign`.

    Raises:
        ValueError: one of `changes` is none of these.
    """
    for change in changes:
        if change not in CHANGES:
            raise ValueError(f"changes must be among {', '.join(CHANGES)}, got {change!r}")
    change = draw(st.sampled_from(changes or CHANGES))
    scope = Scope()
    pool = [s for s in usable_structures() if change == "arrays" or STATIC in s.slots]
    pool = [s for s in pool if not inexact or _INEXACT & set(s.slots)]
    pool = _with_users_nodes(pool, integers=True, scalars=True, statics=True, finite=finite)
    structure = pool[draw(st.integers(0, len(pool) - 1))]
    slots = structure.slots
    one = [_draw_leaf(draw, slot, finite) for slot in slots]
    other = list(one)
    if change == "arrays":
        scope.note("change:arrays")
        other = [
            _draw_leaf(draw, slot, finite) if slot in _ARRAYS else leaf
            for slot, leaf in zip(slots, one, strict=True)
        ]
    else:
        positions = [index for index, slot in enumerate(slots) if slot is STATIC]
        index = positions[draw(st.integers(0, len(positions) - 1))]
        one[index], other[index] = _two_statics(draw, scope, change)
    for name, leaves in (("tree", one), ("other", other)):
        scope.bind(name, structure.write(scope, [scope.include(leaf) for leaf in leaves]))
    return scope.recipe()


def _two_statics(draw: st.DrawFn, scope: Scope, change: str) -> tuple[Recipe, Recipe]:
    table = UNEQUAL if change == "static" else EQUAL[draw(st.integers(0, len(EQUAL) - 1))]
    scope.note("change:sign" if table is EQUAL[-1] else f"change:{change}")
    first = draw(st.integers(0, len(table) - 1))
    second = (first + draw(st.integers(1, len(table) - 1))) % len(table)
    return table[first], table[second]
