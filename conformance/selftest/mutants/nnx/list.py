"""Mutants of `nnx.List` and `nnx.Sequential`."""

from __future__ import annotations

from typing import Any

from selftest.mutant import mutant

_ID = "nnx.list."


def _list(nnx: Any, **methods: Any) -> dict[str, Any]:
    """Return a List with some methods replaced; nothing where the release has no List."""
    return {"List": type("List", (nnx.List,), methods)} if hasattr(nnx, "List") else {}


@mutant(
    "nnx",
    kills=[_ID + "a_program_does_what_it_does_to_a_list", _ID + "bad_indices_are_refused"],
)
def negative_indices_are_out_of_range(nnx):
    """A List takes no negative index."""

    def get(self, index):
        if isinstance(index, int) and index < 0:
            raise ValueError("Index out of bounds")
        return super(broken["List"], self).__getitem__(index)

    broken = _list(nnx, __getitem__=get)
    return broken


@mutant("nnx", kills=[_ID + "errors_are_those_of_a_list", _ID + "an_index_is_an_integer"])
def bad_indices_are_value_errors(nnx):
    """A List raises ValueError for each index that it does not take."""

    def get(self, index):
        try:
            return super(broken["List"], self).__getitem__(index)
        except (IndexError, TypeError) as error:
            raise ValueError("bad index") from error

    broken = _list(nnx, __getitem__=get)
    return broken


@mutant("nnx", kills=[_ID + "a_program_does_what_it_does_to_a_list"])
def insert_appends(nnx):
    """`insert` adds at the end, wherever it is told to."""
    return _list(nnx, insert=lambda self, index, value: self.append(value))


@mutant("nnx", kills=[_ID + "a_program_does_what_it_does_to_a_list"])
def extend_stops_after_one(nnx):
    """`extend` adds the first item alone."""

    def extend(self, values):
        super(broken["List"], self).extend(list(values)[:1])

    broken = _list(nnx, extend=extend)
    return broken


@mutant("nnx", kills=[_ID + "a_round_trip_keeps_the_items"])
def copies_drop_static_items(nnx):
    """`clone` and `merge` of a List keep its data alone."""

    def drop(back):
        if hasattr(nnx, "List") and isinstance(back, nnx.List):
            return type(back)(item for item in back if nnx.is_data(item))
        return back

    return {
        "merge": lambda *args, **options: drop(nnx.merge(*args, **options)),
        "clone": lambda node, **options: drop(nnx.clone(node, **options)),
    }


@mutant("nnx", kills=[_ID + "long_lists_keep_their_order"])
def positions_are_sorted_as_text(nnx):
    """`merge` and `clone` put item 10 before item 9."""

    def sort(back):
        if hasattr(nnx, "List") and isinstance(back, nnx.List):
            order = sorted(range(len(back)), key=str)
            return type(back)(back[index] for index in order)
        return back

    return {
        "merge": lambda *args, **options: sort(nnx.merge(*args, **options)),
        "clone": lambda node, **options: sort(nnx.clone(node, **options)),
    }


@mutant(
    "nnx",
    kills=[_ID + "leaves_are_those_of_the_items", _ID + "structure_depends_on_the_items_alone"],
)
def pop_keeps_the_attribute(nnx):
    """`pop` makes the List shorter and leaves the item where it was."""

    def pop(self, index=-1):
        if index in (-1, len(self) - 1) and len(self):
            item = self[-1]
            self._length -= 1
            return item
        return super(broken["List"], self).pop(index)

    broken = _list(nnx, pop=pop)
    return broken


@mutant("nnx", kills=[_ID + "marked_items_are_data_or_static"])
def marks_are_dropped(nnx):
    """`data` marks nothing."""
    return {"data": lambda value: value}


@mutant("nnx", kills=[_ID + "the_path_to_an_item_is_its_position"])
def items_are_kept_in_reverse(nnx):
    """A List numbers its items from the end, so that paths lead to other items."""

    def get(self, index):
        if isinstance(index, int) and 0 <= index < len(self):
            index = len(self) - 1 - index
        return super(broken["List"], self).__getitem__(index)

    broken = _list(nnx, __getitem__=get)
    return broken


@mutant(
    "nnx",
    kills=[
        _ID + "sequential_applies_its_layers_in_order",
        _ID + "sequential_iterates_over_its_layers",
    ],
)
def sequential_begins_at_the_end(nnx):
    """`Sequential` keeps its layers in reverse."""
    return {"Sequential": lambda *layers: nnx.Sequential(*reversed(layers))}


@mutant("nnx", kills=[_ID + "sequential_without_layers_is_the_identity"])
def sequential_without_layers_gives_none(nnx):
    """An empty `Sequential` returns `None`."""

    def sequential(*layers):
        return nnx.Sequential(*layers) if layers else nnx.Sequential(lambda *args: None)

    return {"Sequential": sequential}


@mutant("nnx", kills=[_ID + "static_items_among_data_are_no_leaves"])
def appended_items_are_data(nnx):
    """`append` marks what it appends as data."""

    def append(self, value):
        super(broken["List"], self).append(nnx.data(value))

    broken = _list(nnx, append=append)
    return broken
