"""Cures of key paths that disagree with flatten, or with the attributes of the node."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax.tree_util as jtu

from treelaws.comparison.places import attribute

from .cure import Cure
from .methods import passed_through
from .witness import Part, flatten_method, keyed_children, keys_method, one_level

_CHILDREN = (
    "node.keys.flatten_with_path_*",
    "node.keys.identity_map_*",
    "node.keys.one_level_with_keys_*",
    "node.keys.path_leads_*",
)
_KEYS = ("node.keys.path_leads_to_the_leaf",)


def cures(part: Part) -> Iterator[Cure]:
    """Yield the cure of keys that were seen to come with other children than those of flatten.

    Args:
        part: a node of the witness.
    """
    node = part.build()
    children = one_level(node)[0]
    method, flatten = keys_method(node), flatten_method(node)
    if method is None:
        return  # JAX or a library writes the keys.
    name = method.described(part.recipe)
    pairs = keyed_children(node)
    keyed = [child for _, child in pairs]
    if list(map(id, keyed)) != list(map(id, children)):
        if list(map(id, one_level(node)[0])) != list(map(id, children)):
            return  # The children of flatten are new each time, with keys or without.
        among = {id(child) for child in children}
        same = len(keyed) == len(children) and all(id(child) in among for child in keyed)
        said = "the children in another order" if same else "other children"
        other = flatten.described(part.recipe) if flatten else "flatten"
        text = (
            f"{name} returns {said} than {other}; return the same children in the same order, such "
            "as from one method that both call"
        )
        yield Cure(text, _CHILDREN, functools.partial(passed_through, method))
        return
    yield from _misnamed(part, node, pairs, name)


def _misnamed(part: Part, node: Any, pairs: list[tuple[Any, Any]], name: str) -> Iterator[Cure]:
    children = [child for _, child in pairs]
    for index, (key, child) in enumerate(pairs):
        if not isinstance(key, jtu.GetAttrKey) or getattr(node, key.name, None) is child:
            continue
        held = attribute(node, children, index)
        where = f"; the child is {type(node).__name__}{held}" if held else ""
        text = f"{name} names a child GetAttrKey({key.name!r}), which leads elsewhere{where}"
        cure = "name the attribute that holds the child"
        yield Cure(f"{text}; {cure}", _KEYS, lambda raised: isinstance(raised, AttributeError))
