"""The grammar of registered nodes."""

from __future__ import annotations

from hypothesis_pytrees.classes.grammar.pool import Grammar
from hypothesis_pytrees.classes.grammar.shapes import Placed
from hypothesis_pytrees.classes.grammar.traits import Form
from hypothesis_pytrees.classes.grammar.writing import Grown, Style, write

from .children import AUX_DATA, CHILDREN_OF_NODES
from .members import BASES, MEMBERS
from .registration import BY_CLASS, KEY_TYPES, REGISTRATIONS, RETURNED
from .storages import CONSTRUCTION, STORAGES
from .writing import write_node

_STYLE = Style(
    kind="",
    prefix="node:",
    form=Form(),
    field="",
    name="Node",
    shapes=("single", "bare", "child"),
    writer=write_node,
)
_WITHOUT_KEYS = (
    *CHILDREN_OF_NODES,
    *AUX_DATA,
    *RETURNED,
    *STORAGES,
    *CONSTRUCTION,
    *MEMBERS,
    *BASES,
)
NODE_CLASSES = Grammar(_STYLE, (*REGISTRATIONS, *_WITHOUT_KEYS), often=("by-class",))
# Nearly every class of the grammar above has keys.
NODES_WITHOUT_KEYS = Grammar(_STYLE, (BY_CLASS, *_WITHOUT_KEYS), often=("by-class",))


def _with(*names: str) -> Grown:
    """Return the kind of a node with the traits of these names alone."""
    named = {trait.name: trait for trait in NODE_CLASSES.traits}
    placed = tuple(Placed(named[name], 0) for name in names)
    return write(NODE_CLASSES.style, "single", placed)


PLAIN_NODE = _with()
# A class that registers itself with keys needs two traits.
KEYED_CLASSES: tuple[Grown, ...] = (
    *(_with("by-class", trait.name) for trait in KEY_TYPES),
    _with("by-class", "flatten-func"),
)
