"""Mutants of `flax.cursor`."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np

from selftest.mutant import mutant

_ID = "flax.cursor."


def _cursors(flax, build=None, **methods):
    """Make cursors that have other methods, as the cursors of their parts have."""
    real = flax.cursor.Cursor

    def adopted(child):
        if type(child) is real:
            object.__setattr__(child, "__class__", kind)
        return child

    def build_adopted(self):
        for child in self._changes.values():
            adopted(child)
        return (build or real.build)(self)

    space = {
        "__getitem__": lambda self, key: adopted(real.__getitem__(self, key)),
        "__getattr__": lambda self, name: adopted(real.__getattr__(self, name)),
        "build": build_adopted,
        **methods,
    }
    kind = type("Cursor", (real,), space)
    return {"cursor.cursor": lambda obj: kind(obj, None)}


@mutant(
    "flax",
    kills=[
        _ID + "build_makes_the_assigned_changes",
        _ID + "set_copies_the_tree_with_the_value",
        _ID + "changes_accumulate_over_builds",
    ],
)
def none_is_no_change(flax):
    """`build` leaves out changes to None."""

    def build(self):
        kept = {name: child for name, child in self._changes.items() if child._obj is not None}
        vars(self)["_changes"] = kept
        return flax.cursor.Cursor.build(self)

    return _cursors(flax, build)


@mutant("flax", kills=[_ID + "set_copies_the_tree_with_the_value"])
def set_copies_the_part(flax):
    """`set` returns a copy of the node around the part, and not of the whole tree."""

    def set_value(self, value):
        flax.cursor.Cursor.set(self, value)
        return value if self._parent_key is None else self._parent_key.parent.build()

    return _cursors(flax, set=set_value)


@mutant(
    "flax",
    kills=[
        _ID + "elements_of_every_node_are_set",
        _ID + "build_makes_the_assigned_changes",
        _ID + "found_parts_are_changed",
    ],
)
def frozen_dicts_are_not_changed(flax):
    """`build` returns a FrozenDict as it was."""

    def build(self):
        frozen = isinstance(self._obj, flax.core.FrozenDict)
        return self._obj if frozen else flax.cursor.Cursor.build(self)

    return _cursors(flax, build)


@mutant(
    "flax",
    kills=[_ID + "changes_leave_the_original_alone", _ID + "updates_leave_the_original_alone"],
)
def build_works_in_place(flax):
    """`build` writes the changes of a list or dict into it."""

    def build(self):
        built = flax.cursor.Cursor.build(self)
        if type(self._obj) is list:
            self._obj[:] = built
        elif type(self._obj) is dict:
            self._obj.update(built)
        return built

    return _cursors(flax, build)


@mutant("flax", kills=[_ID + "changes_accumulate_over_builds"])
def build_forgets_the_changes(flax):
    """`build` starts again without changes."""

    def build(self):
        built = flax.cursor.Cursor.build(self)
        self._changes.clear()
        return built

    return _cursors(flax, build)


@mutant("flax", kills=[_ID + "reading_changes_nothing", _ID + "build_makes_the_assigned_changes"])
def ordered_dicts_become_dicts(flax):
    """`build` makes a plain dict of an OrderedDict or a defaultdict."""

    def build(self):
        built = flax.cursor.Cursor.build(self)
        return dict(built) if isinstance(built, dict) else built

    return _cursors(flax, build)


@mutant("flax", kills=[_ID + "iteration_gives_the_cursors_of_the_items"])
def iteration_begins_at_the_end(flax):
    """Iterating gives the last item first."""
    return _cursors(flax, __iter__=lambda self: flax.cursor.Cursor.__reversed__(self))


@mutant("flax", kills=[_ID + "changes_are_made_under_jit"])
def arrays_are_copied_by_numpy(flax):
    """`build` copies arrays through NumPy, which reads no traced array."""

    def build(self):
        built = flax.cursor.Cursor.build(self)
        return jax.device_put(np.array(built)) if isinstance(built, jax.Array) else built

    return _cursors(flax, build)


@mutant("flax", kills=[_ID + "augmented_assignments_add_up", _ID + "operators_answer_as_the_value"])
def subtraction_is_reversed(flax):
    """`cursor - x` gives `x - value`."""
    return _cursors(flax, __sub__=lambda self, other: other - self._obj)


@mutant("flax", kills=[_ID + "operators_answer_as_the_value"])
def two_cursors_make_a_cursor(flax):
    """`cursor + other` is a cursor if the other one is, too."""

    def add(self, other):
        both = isinstance(other, flax.cursor.Cursor)
        return type(self)(self._obj + other._obj, None) if both else self._obj + other

    return _cursors(flax, __add__=add)


@mutant("flax", kills=[_ID + "a_cursor_is_as_true_as_its_value"])
def cursors_are_true(flax):
    """Every cursor is true."""
    return _cursors(flax, __bool__=lambda self: True)


@mutant("flax", kills=[_ID + "reading_changes_nothing"])
def attributes_of_leaves_take_their_place(flax):
    """`build` gives the attribute of a leaf that was read in place of the leaf."""

    def build(self):
        built = flax.cursor.Cursor.build(self)
        nodes = (dict, list, tuple, flax.core.FrozenDict)
        if isinstance(self._obj, nodes) or dataclasses.is_dataclass(self._obj):
            return built
        return next((child.build() for child in self._changes.values()), built)

    return _cursors(flax, build)


@mutant("flax", kills=[_ID + "augmented_assignments_add_up"])
def operators_take_the_original_value(flax):
    """An operator of a changed part takes its value from the original tree."""

    def add(self, other):
        found = self._parent_key
        if found is None:
            return self._obj + other
        get = getattr if found.access_type.name == "ATTR" else lambda node, key: node[key]
        return get(found.parent._obj, found.key) + other

    return _cursors(flax, __add__=add)


@mutant(
    "flax",
    kills=[_ID + "updates_are_asked_for_each_part"],
)
def updates_are_asked_for_the_root(flax):
    """`apply_update` calls the function with the root, too."""

    def apply_update(self, update_fn):
        update_fn("", self._obj)
        return flax.cursor.Cursor.apply_update(self, update_fn)

    return _cursors(flax, apply_update=apply_update)


@mutant("flax", kills=[_ID + "updates_give_the_cursor_back"])
def updates_make_a_new_cursor(flax):
    """`apply_update` returns a cursor of the changed tree."""

    def apply_update(self, update_fn):
        changed = flax.cursor.Cursor.apply_update(self, update_fn)
        return type(self)(changed.build(), None)

    return _cursors(flax, apply_update=apply_update)


@mutant("flax", kills=[_ID + "updates_are_built"])
def the_first_update_is_the_last(flax):
    """`apply_update` records one change."""

    def apply_update(self, update_fn):
        changed = []

        def first(path, value):
            new = update_fn(path, value)
            changed.extend([path] if new is not value else [])
            return new if changed[:1] == [path] else value

        return flax.cursor.Cursor.apply_update(self, first)

    return _cursors(flax, apply_update=apply_update)


@mutant("flax", kills=[_ID + "searches_ask_for_each_part"])
def searches_begin_at_the_root(flax):
    """`find_all` calls the function with the root first."""

    def find_all(self, cond_fn):
        cond_fn("", self._obj)
        return flax.cursor.Cursor.find_all(self, cond_fn)

    return _cursors(flax, find_all=find_all)


@mutant("flax", kills=[_ID + "the_earliest_parts_are_found", _ID + "found_parts_are_changed"])
def the_last_part_is_not_found(flax):
    """`find_all` does not give the last of several parts."""

    def find_all(self, cond_fn):
        found = list(flax.cursor.Cursor.find_all(self, cond_fn))
        return iter(found[: max(1, len(found) - 1)])

    return _cursors(flax, find_all=find_all)


@mutant("flax", kills=[_ID + "found_parts_are_changed", _ID + "the_only_part_is_found"])
def found_parts_are_alone(flax):
    """`find_all` gives cursors that do not know their tree."""

    def find_all(self, cond_fn):
        for child in flax.cursor.Cursor.find_all(self, cond_fn):
            yield type(self)(child._obj, None)

    return _cursors(flax, find_all=find_all)


@mutant("flax", kills=[_ID + "find_refuses_none_and_several"])
def find_gives_the_first_of_several(flax):
    """`find` returns the first part that the function accepts."""

    def find(self, cond_fn):
        for child in self.find_all(cond_fn):
            return child
        raise flax.errors.CursorFindError

    return _cursors(flax, find=find)
