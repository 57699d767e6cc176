"""Flax: operators of cursors."""

from __future__ import annotations

from hypothesis_pytrees.flax.cursor_numbers import cursor_increments, cursor_operations
from hypothesis_pytrees.flax.cursors import assign, edited, reached
from treelaws.equality import same

from .cursor import NEEDS, build_makes_the_assigned_changes, law

_MAGIC = "https://github.com/google/flax/pull/3306"


@law(
    "augmented assignments to a part of a cursor, one after the other, put the result of the "
    "operator there",
    # Quote of a maintainer: "We would also have to support updating the current update value", with
    # two lines `c['b']['d'] += 1`.
    source="https://github.com/google/flax/issues/3311",
    level="should",
    needs=NEEDS,
    case=cursor_increments(),
    weight=0.5,
    parents=[build_makes_the_assigned_changes],
)
def augmented_assignments_add_up(lib, case):
    cursor, wanted = lib.cursor.cursor(case.tree), case.tree
    for _ in range(2):
        assign(cursor, case.path, case.augmented(reached(cursor, case.path), case.operand))
        value = case.plain(reached(wanted, case.path), case.operand)
        wanted = edited(wanted, [(case.path, value)])
    same(cursor.build(), wanted)


@law(
    "an operator or comparison of a cursor of a number gives what the number gives",
    # Quote: "Added magic methods to support more intuitive usage and updates of Cursor objects".
    source=_MAGIC,
    level="should",
    needs=NEEDS,
    case=cursor_operations(),
    weight=0.5,
)
def operators_answer_as_the_value(lib, case):
    child = reached(lib.cursor.cursor(case.tree), case.path)
    same(case.operation(child), case.operation(reached(case.tree, case.path)))
