"""Tells in which edits an item is named by two indices, such as `cursor[1]` and `cursor[-1]`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from .cursors import Path, Step, edited, is_copied, plain, reached


@dataclasses.dataclass(frozen=True, eq=False)
class _Made:
    """An edit that was made.

    Args:
        path: its path as it is written.
        place: the same with positive indices and the names of fields.
        edit: the path and the value.
    """

    path: Path
    place: tuple[Step, ...]
    edit: tuple[Path, Any]

    def parting(self, other: _Made) -> int | None:
        """Return at which step two edits name the same item by two indices, or `None`."""
        for end, (one, two) in enumerate(zip(self.place, other.place, strict=False)):
            if one != two:
                return None
            # The fields of a named tuple are names in a place.
            if isinstance(one, list) and self.path[end] != other.path[end]:
                return end
        return None

    def covers(self, other: _Made) -> bool:
        """Return whether it replaces everything that another edit has changed."""
        return other.place[: len(self.place)] == self.place


def index_features(tree: Any, edits: Sequence[tuple[Path, Any]]) -> Iterator[str]:
    """Yield what is known of edits that name an item by two indices.

    `edits:two-indices` if an edit through one index stands beside, or comes after, an edit through
    the other one; not if the last edit replaces all that came through the other index.
    `edits:into-other-index` if a path leads into what only an edit through the other index has put
    there.

    Args:
        tree: the tree before the edits.
        edits: the edits, in order.
    """
    made: list[_Made] = []
    current = tree
    for path, value in edits:
        new = _Made(path, tuple(plain(current, path)), (path, value))
        others = {one: end for one in made if (end := one.parting(new)) is not None}
        if not all(new.covers(one) and _is_first(new, one, made, others[one]) for one in others):
            yield "edits:two-indices"
        if others and not _leads(tree, [one.edit for one in made if one not in others], path):
            yield "edits:into-other-index"
        replaced = [one for one in made if one not in others and new.covers(one)]
        at = made.index(replaced[0]) if replaced else len(made)
        made.insert(at, new)
        made = [one for one in made if one not in replaced]
        current = edited(current, [(path, value)])


def _is_first(new: _Made, other: _Made, made: Sequence[_Made], end: int) -> bool:
    """Return whether the index of an edit was not used before that of another one."""
    before = made[: made.index(other)]
    alike = [one for one in before if one.place[: end + 1] == new.place[: end + 1]]
    return all(one.path[end] != new.path[end] for one in alike)


def _leads(tree: Any, edits: Sequence[tuple[Path, Any]], path: Path) -> bool:
    """Return whether a value can be put at a path after these edits alone."""
    try:
        parent = reached(edited(tree, edits), path[:-1])
        # A change of any other value is lost without an error.
        if is_copied(parent):
            edited(parent, [(path[-1:], None)])
    except Exception:
        # Nodes refuse a missing step with any error.
        return False
    return True
