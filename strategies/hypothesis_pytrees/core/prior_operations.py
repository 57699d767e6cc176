"""Prior operations on a tree before a law gets it: copy, pickle, map, attribute reads, ..."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from hypothesis import strategies as st

from .recipe import Scope

_READ = """\
def read_attributes(tree):
    nodes = []
    jtu.tree_flatten(tree, is_leaf=lambda node: nodes.append(node))
    for node in nodes:
        if dataclasses.is_dataclass(node):
            for name in dir(node):
                getattr(node, name, None)
"""
_FAIL = """\
try:
    jtu.tree_map(lambda leaf: 1 // 0, $tree)
except ZeroDivisionError:
    pass"""


@dataclasses.dataclass(frozen=True)
class PriorOperation:
    """One operation on a tree; `$tree` in the statement stands for its name."""

    name: str
    statement: str
    definitions: tuple[str, ...] = ()
    forbids: frozenset[str] = frozenset()

    def applies(self, features: set[str]) -> bool:
        """Return whether the operation works on a tree with these features."""
        return not self.forbids & features


# A copy of aux data that compares by identity changes the treedef.
_COPY_DIFFERS = frozenset({"module:deepcopy-differs", "node:identity-aux"})
_UNPICKLABLE = _COPY_DIFFERS | {"leaf-is:unpicklable", "module:unpicklable", "node:unpicklable"}
_UNCOPIABLE = _COPY_DIFFERS | {"leaf-is:hostile"}
PRIOR_OPERATIONS: tuple[PriorOperation, ...] = (
    PriorOperation("map", "$tree = jtu.tree_map(lambda leaf: leaf, $tree)"),
    PriorOperation("copy", "$tree = copy.copy($tree)"),
    PriorOperation("deepcopy", "$tree = copy.deepcopy($tree)", forbids=_UNCOPIABLE),
    PriorOperation("pickle", "$tree = pickle.loads(pickle.dumps($tree))", forbids=_UNPICKLABLE),
    PriorOperation("read", "read_attributes($tree)", (_READ,)),
    PriorOperation("failed-map", _FAIL),
    PriorOperation(
        "map-pickle",
        "$tree = pickle.loads(pickle.dumps(jtu.tree_map(lambda leaf: leaf, $tree)))",
        forbids=_UNPICKLABLE,
    ),
)
EQUINOX_PRIOR_OPERATIONS: tuple[PriorOperation, ...] = (
    PriorOperation("filter", "$tree = eqx.filter($tree, lambda leaf: True)"),
    PriorOperation("combine", "$tree = eqx.combine(*eqx.partition($tree, eqx.is_array))"),
)
COMPILED_PRIOR_OPERATIONS: tuple[PriorOperation, ...] = (
    PriorOperation("jit", "$tree = eqx.filter_jit(lambda tree: tree)($tree)"),
)


def has_prior_operation(features: Iterable[str]) -> bool:
    """Return whether a tree with these features had a prior operation."""
    return any(name.startswith("history:") and name != "history:fresh" for name in features)


def apply(
    draw: st.DrawFn, scope: Scope, name: str, table: tuple[PriorOperation, ...] = PRIOR_OPERATIONS
) -> None:
    """Draw an operation on the tree bound to `name`, most often none, and write it down."""
    # Two halves: fresh trees stay the common case, and 0 shrinks to fresh.
    index = draw(st.integers(0, 2 * len(table) - 1)) - len(table)
    if index < 0 or not table[index].applies(scope.features):
        scope.note("history:fresh")
        return
    history = table[index]
    scope.define(*history.definitions)
    scope.statement(history.statement.replace("$tree", name))
    scope.note(f"history:{history.name}")
