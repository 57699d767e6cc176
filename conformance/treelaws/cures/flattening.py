"""Cures of a flatten that makes new children, gives others each time, or changes the node."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np

from treelaws.comparison.contents import contents
from treelaws.comparison.leaf_equality import leaf_difference
from treelaws.laws import _watch as watch

from .cure import Cure
from .methods import passed_through
from .witness import Part, flatten_method, moved, one_level

_LAWS = (
    "node.flatten.flatten_twice_*",
    "node.flatten.unflatten_undoes_flatten*",
    "node.flatten.unflatten_accepts_*",
    "node.flatten.*map*",
    "node.flatten.leaves_of_the_children_*",
    "node.flatten.replacing_one_leaf_*",
    "node.keys.flatten_with_path_*",
    "node.keys.identity_map_*",
    "node.keys.one_level_*",
    "node.keys.path_leads_*",
    "node.copies.copy_keeps_*",
    "node.copies.*keeps_the_structure",
)
_CHANGES = ("node.flatten.flatten_changes_*", "node.copies.deepcopy_changes_*")


def cures(part: Part) -> Iterator[Cure]:
    """Yield the cure of what a flatten was seen to do beside returning children.

    Args:
        part: a node of the witness.
    """
    node = part.build()
    name = f"the flatten of {type(node).__name__}"
    if flatten := flatten_method(part.build()):
        name = flatten.described(part.recipe)
    raises = functools.partial(passed_through, flatten)
    held = contents(node)
    once, again = (jtu.tree_leaves(one_level(node)[0]) for _ in range(2))
    if spent := [key for key, value in held.items() if hasattr(value, "__next__")]:
        if len(once) != len(again):
            text = (
                f"{name} reads the iterator .{spent[0]}, which is empty the second time; keep a "
                "list or a tuple in the attribute"
            )
            yield Cure(
                text,
                (*_LAWS, "node.flatten.flatten_changes_*", "node.keys.*", "node.aux.*"),
                _miscounted,
            )
    elif len(once) != len(again) or any(map(_unlike, once, again)):
        text = (
            f"{name} returned other children when it was called again; return the same attributes "
            "in the same order each time"
        )
        yield Cure(text, (*_LAWS, "node.keys.*"), _miscounted)
    elif made := [one for one, other in zip(once, again, strict=True) if one is not other]:
        where = _converted(node, made)
        text = f"{name} makes a new object of {where} each time; return the attribute itself"
        yield Cure(text, (*_LAWS, "node.flatten.flatten_looks_at_no_leaf"), raises)
    else:
        yield from _converting(part, name, raises)
    yield from _changing(part, name)


def _miscounted(error: BaseException) -> bool:
    """Return whether an error may come from a wrong number of children."""
    return isinstance(error, (ValueError, TypeError, IndexError))


def _unlike(one: Any, other: Any) -> bool:
    return leaf_difference(one, other) not in (None, "identity")


def _converted(node: Any, leaves: list[Any]) -> str:
    """Return which attribute a new leaf was made of: an equal one, or a number or an array."""
    held = {name: jtu.tree_leaves(value) for name, value in contents(node).items()}
    for alike in (_are_equal, _are_numbers):
        for name, inside in held.items():
            if any(alike(leaf, one) for leaf in leaves for one in inside):
                return f".{name}"
    return "a child"


def _are_equal(one: Any, other: Any) -> bool:
    return leaf_difference(one, other) is None


def _are_numbers(one: Any, other: Any) -> bool:
    """Return whether an array may have been made of a number, or of another array."""
    numbers = (jax.Array, np.ndarray, np.generic, int, float, complex)
    return isinstance(one, numbers) and isinstance(other, numbers)


def _converting(part: Part, name: str, raises: Callable[[BaseException], bool]) -> Iterator[Cure]:
    """Yield the cure of a flatten that keeps the leaves of this node, but converts an object."""
    node = part.build()
    children, treedef = one_level(node)
    given = [object() for _ in children]
    back = treedef.unflatten(given)
    if moved(node, children, back, given):
        return
    try:
        held = one_level(back)[0]
    except Exception as raised:
        # The conversion of an object may raise any error.
        said = f"raised {type(raised).__name__} for an object() in an attribute"
    else:
        if len(held) == len(given) and all(map(operator.is_, held, given)):
            return
        said = "returned another child for an object() in an attribute"
    text = f"{name} {said}; return the attributes themselves, without using them"
    laws = (*_LAWS, "node.flatten.*_looks_at_no_leaf", "node.aux.treedef_depends_on_no_leaf")
    yield Cure(text, laws, raises)


def _changing(part: Part, name: str) -> Iterator[Cure]:
    node = part.build()
    taken = watch.snapshot(node)
    jtu.tree_flatten_with_path(node)
    if changes := watch.changes_since(taken):
        text = (
            f"{name} changed the node: {changes[0]}; let it only read, and compute what it stores "
            "in the constructor"
        )
        yield Cure(text, _CHANGES)
