"""Flax: `apply_update`, `find` and `find_all` of cursors."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.flax.cursor.cursors import assign, earliest, edited, places, text_of
from hypothesis_pytrees.flax.cursor.uses import cursor_choices
from treelaws.equality import refuses, same, true

from .cursor import DOCS, NEEDS, law

_UPDATE = f"{DOCS}#flax.cursor.Cursor.apply_update"
_FIND = f"{DOCS}#flax.cursor.Cursor.find"
_FIND_ALL = f"{DOCS}#flax.cursor.Cursor.find_all"


@law(
    "`apply_update(f)` calls `f` once with the path and the value of each part that is not below "
    "one that `f` changed, and not with the root",
    # Quotes: "The input arguments are the current key path (in the form of a string delimited by
    # '/') and value at that current key path"; "If the update_fn returns a modified value, this
    # method will not recurse any further down that branch"; "WILL NOT call the update_fn to the
    # value at the top-most level".
    source=_UPDATE,
    needs=NEEDS,
    case=cursor_choices(odd=True),
)
def updates_are_asked_for_each_part(lib, case):
    calls = {}

    def update(path, value):
        true(path not in calls, path, "each path once")
        calls[path] = value
        return case.new if path in case.chosen else value

    lib.cursor.cursor(case.tree).apply_update(update)
    same(calls, {text_of(path): value for path, value in places(case.tree, until=case.chosen)})


@law(
    "`find_all(f)` calls `f` once with the path and the value of each part that is not below an "
    "accepted one, and not with the root",
    # Quotes: "The input arguments are the current key path (in the form of a string delimited by
    # '/') and value at that current key path"; "this method will not recurse any further down that
    # branch"; "WILL NOT search the value at the top-most level of the pytree".
    source=_FIND_ALL,
    needs=NEEDS,
    case=cursor_choices(),
)
def searches_ask_for_each_part(lib, case):
    calls = {}

    def accept(path, value):
        true(path not in calls, path, "each path once")
        calls[path] = value
        return path in case.chosen

    list(lib.cursor.cursor(case.tree).find_all(accept))
    same(calls, {text_of(path): value for path, value in places(case.tree, until=case.chosen)})


@law(
    "`apply_update(f).build()` is a copy of the tree with the values that `f` returned",
    # Quote: "The current Cursor object with the recorded conditional changes specified by the
    # update_fn. To generate a copy of the original object with the accumulated changes, call the
    # .build method after calling .apply_update."
    source=_UPDATE,
    needs=NEEDS,
    case=cursor_choices(matches=("one", "several"), odd=True),
)
def updates_are_built(lib, case):
    update = lambda path, value: case.new if path in case.chosen else value
    got = lib.cursor.cursor(case.tree).apply_update(update).build()
    same(got, edited(case.tree, _changes(case)))


@law(
    "`apply_update` returns the cursor that it was called on",
    # Quote: "The current Cursor object with the recorded conditional changes".
    source=_UPDATE,
    needs=NEEDS,
    case=cursor_choices(),
)
def updates_give_the_cursor_back(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    got = cursor.apply_update(lambda path, value: case.new if path in case.chosen else value)
    true(got is cursor, got, "the same cursor")


@law(
    "`apply_update(f).build()` leaves the original tree as it was",
    # Quote, from the example: "make sure original params are unchanged".
    source=_UPDATE,
    needs=NEEDS,
    case=cursor_choices(matches=("one", "several")),
)
def updates_leave_the_original_alone(lib, case):
    leaves, treedef = jtu.tree_flatten(case.tree)
    update = lambda path, value: case.new if path in case.chosen else value
    lib.cursor.cursor(case.tree).apply_update(update).build()
    same(jtu.tree_leaves(case.tree), leaves, identical=True)
    true(jtu.tree_structure(case.tree) == treedef, case.tree, "the structure from before")


@law(
    "`find_all(f)` gives the cursors of the parts that `f` accepts and that are below no other one",
    # Quote: "this method will find and return the 'earliest' child nodes that fulfill the condition
    # in cond_fn in a particular key path".
    source=_FIND_ALL,
    needs=NEEDS,
    case=cursor_choices(),
)
def the_earliest_parts_are_found(lib, case):
    accepted = []
    accept = lambda path, value: path in case.chosen and not accepted.append(path)
    found = [child.build() for child in lib.cursor.cursor(case.tree).find_all(accept)]
    wanted = {text_of(path): value for path, value in earliest(case.tree, case.chosen)}
    same(dict(zip(accepted, found, strict=True)), wanted)


@law(
    "changes of the cursors that `find_all` gives are built by the cursor that it was called on",
    # Quote, from the example: `for dense_params in c.find_all(cond_fn): dense_params['bias'] += 1`,
    # then `new_params = c.build()`.
    source=_FIND_ALL,
    needs=NEEDS,
    case=cursor_choices(matches=("one", "several")),
)
def found_parts_are_changed(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    for child in cursor.find_all(lambda path, value: path in case.chosen):
        child.set(case.new)
    same(cursor.build(), edited(case.tree, _changes(case)))


@law(
    "`find(f)` gives the cursor of the only part that `f` accepts",
    # Quote: "A child Cursor object that fulfills the condition in the cond_fn."
    source=_FIND,
    needs=NEEDS,
    case=cursor_choices(matches=("one",)).filter(lambda one: "chosen:one" in one.features),
    parents=[the_earliest_parts_are_found],
)
def the_only_part_is_found(lib, case):
    found = lib.cursor.cursor(case.tree).find(lambda path, value: path in case.chosen)
    same(found.set(case.new), edited(case.tree, _changes(case)))


@law(
    "`find(f)` raises CursorFindError if `find_all(f)` finds no part or several",
    # Quote: "Raises a CursorFindError if no object or more than one object is found that fulfills
    # the condition of the cond_fn."
    source=_FIND,
    needs={*NEEDS, "errors.CursorFindError"},
    case=cursor_choices(matches=("several", "several", "none")).filter(
        lambda one: "chosen:one" not in one.features
    ),
)
def find_refuses_none_and_several(lib, case):
    cursor = lib.cursor.cursor(case.tree)
    find = lambda: cursor.find(lambda path, value: path in case.chosen)
    refuses(lib.errors.CursorFindError, find)


@law(
    "`apply_update(f)` after an assignment calls `f` with the assigned value",
    # Quotes: "Traverse the Cursor object and record conditional changes recursively via an
    # update_fn"; and of that object: "The Cursor object keeps tracks of changes made to it and when
    # .build is called, generates a new object with the accumulated changes."
    source=_UPDATE,
    level="should",
    needs=NEEDS,
    case=cursor_choices(matches=("one",), taken=False).filter(
        lambda one: "chosen:one" in one.features
    ),
    parents=[updates_are_asked_for_each_part],
)
def updates_see_earlier_assignments(lib, case):
    cursor, calls, edits = lib.cursor.cursor(case.tree), {}, _changes(case)
    for path, value in edits:
        assign(cursor, path, value)
    cursor.apply_update(lambda path, value: calls.setdefault(path, value))
    wanted = places(edited(case.tree, edits))
    same(calls, {text_of(path): value for path, value in wanted})


def _changes(case):
    return [(path, case.new) for path, _ in earliest(case.tree, case.chosen)]
