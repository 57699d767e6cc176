"""Finds arguments of an inferred call that go into the aux data, and gives them hashable values."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import jax

from hypothesis_pytrees import Kind, Recipe

from .trials import tried

# Children that show by their text whether they go into the aux data, and what stands there then.
_PROBES = {"'probe of aux data'": "probe of aux data", "np.float32([8191.25])": "8191.25"}
_STATIC = ("'static'", "float", "3", "None")
# Levels of nodes in which the probe is looked for; a flatten may give nodes without end.
_LEVELS = 4


def with_static_arguments(kind: Kind) -> Kind:
    """Return the kind with a hashable value in each place whose child goes into the aux data.

    JAX asks for aux data with a hash and a comparison, which most trees do not have.

    Args:
        kind: an inferred call that takes any tree in the place of its children.
    """
    if kind.takes == "array" or not kind.arity:
        return kind
    texts = tried(lambda: [_text(kind, place) for place in range(kind.arity)])
    if texts is None:
        return kind
    numbers = itertools.count()
    places = [f"${next(numbers)}" if text.startswith("$") else text for text in texts]
    return dataclasses.replace(kind, template=kind.text(places))


def _text(kind: Kind, place: int) -> str:
    """Return what stands in a place: a value that the constructor takes, or the child."""
    if any(_is_in_aux_data(kind, _row(kind, place, probe), _PROBES[probe]) for probe in _PROBES):
        for text in _STATIC:
            if _built(kind, _row(kind, place, text)) is not None:
                return text
    return f"${place}"


def _row(kind: Kind, place: int, text: str) -> list[str]:
    return [text if one == place else "1.0" for one in range(kind.arity)]


def _built(kind: Kind, row: Sequence[str]) -> Any:
    """Return an instance; `None` if its constructor rejects these children."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Recipe(kind.definitions, (), kind.text(row)).build()
    except Exception:
        # A constructor may reject its arguments with any error.
        return None


def _is_in_aux_data(kind: Kind, row: Sequence[str], mark: str) -> bool:
    """Return whether an instance prints a text in its aux data, and not in a leaf."""
    node = _built(kind, row)
    leaves, aux = _taken_apart(node, _LEVELS)
    return mark in repr(aux) and mark not in repr(leaves)


def _taken_apart(tree: Any, levels: int) -> tuple[list[Any], list[Any]]:
    """Return the leaves and the aux data of the upper levels of a tree."""
    found = jax.tree_util.default_registry.flatten_one_level(tree) if levels else None
    if found is None:
        return [tree], []
    leaves: list[Any] = []
    aux: list[Any] = [found[1]]
    for child in found[0]:
        below = _taken_apart(child, levels - 1)
        leaves += below[0]
        aux += below[1]
    return leaves, aux
