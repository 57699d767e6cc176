"""Flax: operators of cursors."""

from __future__ import annotations

from hypothesis_pytrees.flax.cursor.cursors import assign, edited, reached
from hypothesis_pytrees.flax.cursor.numbers import (
    cursor_increments,
    cursor_operations,
    cursor_truths,
)
from treelaws.equality import same, true

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
    parents=[build_makes_the_assigned_changes],
)
def augmented_assignments_add_up(lib, case):
    cursor, wanted = lib.cursor.cursor(case.tree), case.tree
    for _ in range(2):
        part = case.augmented(reached(cursor, case.path), case.operand(cursor))
        assign(cursor, case.path, part)
        value = case.plain(reached(wanted, case.path), case.operand(wanted))
        wanted = edited(wanted, [(case.path, value)])
    same(cursor.build(), wanted)


@law(
    "an operator or comparison of one or two parts of a cursor gives what it gives for their "
    "values, and so do `divmod`, `abs`, `round`, `len`, `str` and, for lists and tuples, `in`",
    # Quote: "Added magic methods to support more intuitive usage and updates of Cursor objects".
    source=_MAGIC,
    level="should",
    needs=NEEDS,
    case=cursor_operations(),
    weight=3,
)
def operators_answer_as_the_value(lib, case):
    same(case.operation(lib.cursor.cursor(case.tree)), case.operation(case.tree))


@law(
    "`bool(cursor)` is the truth of the part, if that has one",
    # No document mentions `bool`. Quote of the pull request: "Added magic methods to support more
    # intuitive usage and updates of Cursor objects".
    source=_MAGIC,
    level="observed",
    needs=NEEDS,
    case=cursor_truths(),
)
def a_cursor_is_as_true_as_its_value(lib, case):
    got = bool(reached(lib.cursor.cursor(case.tree), case.path))
    true(got is bool(reached(case.tree, case.path)), got, "the truth of the value")
