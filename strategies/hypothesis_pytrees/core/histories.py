"""Histories: what happened to a tree before a law meets it (copied, pickled, mapped, read, ...)."""

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
class History:
    """One thing that happens to a tree; `$tree` in the statement stands for its name."""

    name: str
    statement: str
    definitions: tuple[str, ...] = ()
    forbids: frozenset[str] = frozenset()

    def applies(self, features: set[str]) -> bool:
        """Say whether a tree with these features can have this history."""
        return not self.forbids & features


# A copy of aux data that compares by identity is another configuration.
_COPY_DIFFERS = frozenset({"module:deepcopy-differs", "node:identity-aux"})
_UNPICKLABLE = _COPY_DIFFERS | {"leaf-is:unpicklable", "module:unpicklable", "node:unpicklable"}
_UNCOPIABLE = _COPY_DIFFERS | {"leaf-is:hostile"}
HISTORIES: tuple[History, ...] = (
    History("map", "$tree = jtu.tree_map(lambda leaf: leaf, $tree)"),
    History("copy", "$tree = copy.copy($tree)"),
    History("deepcopy", "$tree = copy.deepcopy($tree)", forbids=_UNCOPIABLE),
    History("pickle", "$tree = pickle.loads(pickle.dumps($tree))", forbids=_UNPICKLABLE),
    History("read", "read_attributes($tree)", (_READ,)),
    History("failed-map", _FAIL),
    History(
        "map-pickle",
        "$tree = pickle.loads(pickle.dumps(jtu.tree_map(lambda leaf: leaf, $tree)))",
        forbids=_UNPICKLABLE,
    ),
)
EQUINOX_HISTORIES: tuple[History, ...] = (
    History("filter", "$tree = eqx.filter($tree, lambda leaf: True)"),
    History("combine", "$tree = eqx.combine(*eqx.partition($tree, eqx.is_array))"),
)
COMPILED_HISTORIES: tuple[History, ...] = (
    History("jit", "$tree = eqx.filter_jit(lambda tree: tree)($tree)"),
)


def has_history(features: Iterable[str]) -> bool:
    """Say whether something happened to a tree with these features."""
    return any(name.startswith("history:") and name != "history:fresh" for name in features)


def apply(draw: st.DrawFn, scope: Scope, name: str, table: tuple[History, ...] = HISTORIES) -> None:
    """Draw what happens to the tree bound to `name`, most often nothing, and write it down."""
    # Two halves: fresh trees stay the common case, and 0 shrinks to fresh.
    index = draw(st.integers(0, 2 * len(table) - 1)) - len(table)
    if index < 0 or not table[index].applies(scope.features):
        scope.note("history:fresh")
        return
    history = table[index]
    scope.define(*history.definitions)
    scope.statement(history.statement.replace("$tree", name))
    scope.note(f"history:{history.name}")
