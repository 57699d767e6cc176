"""Flax: cursors, which copy a tree with changes."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.flax.cursor.cursors import assign, edited, reached
from hypothesis_pytrees.flax.cursor.nodes import cursor_elements
from hypothesis_pytrees.flax.cursor.trees import cursor_edits
from hypothesis_pytrees.flax.cursor.uses import (
    cursor_arrays,
    cursor_pairs,
    cursor_reads,
    cursor_sequences,
)
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

law = Topic("flax.cursor", "Flax: cursors", family="flax")
DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.cursor.html"
_BUILD = f"{DOCS}#flax.cursor.Cursor.build"
_SET = f"{DOCS}#flax.cursor.Cursor.set"
_CURSOR = f"{DOCS}#flax.cursor.cursor"
NEEDS = {"cursor.cursor"}


@law(
    "`build` returns a copy of the tree with the values that were assigned to items and attributes "
    "of the cursor, in order",
    # Quote: "Create and return a copy of the original object with accumulated changes."
    source=_BUILD,
    needs=NEEDS,
    case=cursor_edits(odd=True),
)
def build_makes_the_assigned_changes(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    for path, value in case.edits:
        assign(cursor, path, value)
    same(cursor.build(), edited(case.tree, case.edits))


@law(
    "`set(value)` of a part of a cursor returns a copy of the whole tree with the value there",
    # Quote: "return a copy of the original object, containing the new set value".
    source=_SET,
    needs=NEEDS,
    case=cursor_edits(most=1, new_keys=False, odd=True),
)
def set_copies_the_tree_with_the_value(lib, case):
    path, value = case.edits[0]
    got = reached(lib.cursor.cursor(case.tree), path).set(value)
    same(got, edited(case.tree, case.edits))


@law(
    "`set(7.0)` of an element of an array, or of an item or attribute of any node, returns a copy "
    "that has 7.0 there",
    # Quote: "Set a new value for an attribute, property, element or entry in the Cursor object and
    # return a copy of the original object, containing the new set value."
    source=_SET,
    level="should",
    needs=NEEDS,
    case=cursor_elements(),
    parents=[set_copies_the_tree_with_the_value],
)
def elements_of_every_node_are_set(lib, case):
    got = reached(lib.cursor.cursor(case.tree), case.path).set(7.0)
    equal(float(reached(got, case.path)), 7.0)


@law(
    "assignments, `build` and `set` leave the original tree as it was",
    # Quote: "return a copy of the original object".
    source=_BUILD,
    needs=NEEDS,
    case=cursor_edits(),
)
def changes_leave_the_original_alone(lib, case):
    leaves, treedef = jtu.tree_flatten(case.tree)
    cursor = lib.cursor.cursor(case.tree)
    for path, value in case.edits:
        assign(cursor, path, value)
    reached(cursor, path).set(value)
    cursor.build()
    same(jtu.tree_leaves(case.tree), leaves, identical=True)
    true(jtu.tree_structure(case.tree) == treedef, case.tree, "the structure from before")


@law(
    "assignments after a `build` add to those before it",
    # Quote: "The Cursor object keeps tracks of changes made to it and when `.build` is called,
    # generates a new object with the accumulated changes."
    source=DOCS,
    needs=NEEDS,
    case=cursor_edits(),
    parents=[build_makes_the_assigned_changes],
)
def changes_accumulate_over_builds(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    for count, (path, value) in enumerate(case.edits, start=1):
        assign(cursor, path, value)
        same(cursor.build(), edited(case.tree, case.edits[:count]))


@law(
    "reading items and public attributes of a cursor, also methods and properties, changes "
    "nothing: `build` returns an equal tree",
    # Quote: "Create and return a copy of the original object with accumulated changes."
    source=_BUILD,
    needs=NEEDS,
    case=cursor_reads(),
    parents=[build_makes_the_assigned_changes],
)
def reading_changes_nothing(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    for path in case.reads:
        reached(cursor, path)
    same(cursor.build(), case.tree)


@law(
    "iterating over the cursor of a list, tuple or named tuple gives the cursors of its items, in "
    "order",
    # Quote: "If the underlying `obj` is a `list` or `tuple`, iterating over the Cursor object to
    # get the child Cursors is also possible".
    source=_CURSOR,
    needs=NEEDS,
    case=cursor_sequences(),
    parents=[set_copies_the_tree_with_the_value],
)
def iteration_gives_the_cursors_of_the_items(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    edits = [(([index],), f"item {index}") for index in range(len(case.tree))]
    children = list(cursor)
    equal(len(children), len(edits))
    for child, (_, value) in zip(children, edits, strict=True):
        child.set(value)
    same(cursor.build(), edited(case.tree, edits))


@law(
    "assigning a part of a cursor to another place assigns the value of the part",
    # Quote: "The Cursor API allows for mutability of pytrees."
    source=DOCS,
    level="observed",
    needs=NEEDS,
    case=cursor_pairs(),
    parents=[build_makes_the_assigned_changes],
)
def an_assigned_cursor_stands_for_its_value(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    assign(cursor, case.to, reached(cursor, case.origin))
    same(cursor.build(), edited(case.tree, [(case.to, reached(case.tree, case.origin))]))


@law(
    "inside `jit`, `set(value)` of a part of a cursor puts the traced value there",
    # No document mentions `jit`. Quote: "The Cursor API allows for mutability of pytrees."
    source=DOCS,
    level="observed",
    needs=NEEDS,
    case=cursor_arrays(),
    parents=[set_copies_the_tree_with_the_value],
)
def changes_are_made_under_jit(lib, case):
    put = lambda tree, value: reached(lib.cursor.cursor(tree), case.path).set(value)
    wanted = lambda tree, value: edited(tree, [(case.path, value)])
    got, other = (jax.jit(change)(case.tree, 7.0) for change in (put, wanted))
    same(got, other)
