"""Trials of an unflatten: what is put in the place of children, and the laws that do so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax

# The laws that put the leaves of the node itself, objects, or any value in the place of leaves.
OWN = (
    "node.flatten.unflatten_undoes_flatten*",
    "node.flatten.identity_map_*",
    "node.flatten.equal_builds_map_together",
    "node.keys.identity_map_*",
    "node.keys.paths_depend_on_no_leaf",
    "node.aux.unflatten_restores_the_configuration",
    "node.transforms.*",
    "node.copies.*keeps_the_structure",
    "node.copies.pickle_after_unflatten_*",
)
OBJECTS = (
    "node.flatten.unflatten_accepts_documented_placeholders",
    "node.flatten.replacing_one_leaf_keeps_the_others",
    "node.flatten.map_of_a_composition_is_the_composition",
    "node.aux.treedef_depends_on_no_leaf",
    "node.transforms.*",
)
VALUES = ("node.flatten.unflatten_accepts_any_leaf", "node.transforms.*")


class Trial(NamedTuple):
    """One kind of children to unflatten with.

    Args:
        laws: the laws that unflatten with such children.
        given: returns the children, from the node and its own children.
        done: names them, for the text of the cure.
    """

    laws: tuple[str, ...]
    given: Callable[[Any, list[Any]], list[Any]]
    done: str


def _all(make: Callable[[], Any]) -> Callable[[Any, list[Any]], list[Any]]:
    """Return what puts a new value in the place of each child, since a class may write into it."""
    return lambda _, children: [make() for _ in children]


TRIALS = (
    Trial(OWN, lambda _, children: children, "the node's own children"),
    Trial(OBJECTS, _all(object), "object() in the place of its children"),
    Trial(OBJECTS, _all(lambda: None), "None in the place of its children"),
    Trial(OBJECTS, lambda node, children: [node] * len(children), "a node as its child"),
    *(
        Trial(VALUES, _all(make), f"{text} in the place of its children")
        for make, text in (
            (lambda: "text", "a text"),
            (tuple, "()"),
            (dict, "a dict"),
            (bool, "False"),
            (lambda: jax.ShapeDtypeStruct((2,), int), "a jax.ShapeDtypeStruct"),
        )
    ),
)
