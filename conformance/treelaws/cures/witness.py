"""The nodes of users' classes in a witness, which can be built again and again."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator
from typing import Any

import jax.tree_util as jtu

from hypothesis_pytrees import Namespace, Recipe
from treelaws.comparison import places
from treelaws.comparison.contents import contents

from .methods import Method, watched

# Names that the cases of laws bind.
_ROOTS = ("node", "tree", "result", "other")
_BUILTIN = (list, tuple, dict, collections.OrderedDict, collections.defaultdict)
_BUILTIN += (collections.deque, type(None))
_MOST = 6


@dataclasses.dataclass(frozen=True)
class Part:
    """A node of a user's class in a witness.

    Args:
        recipe: the witness.
        namespace: the module of its classes; `None` for the installed libraries.
        root: the name of the tree that holds it.
        indices: the child to follow at each node of the tree.
    """

    recipe: Recipe
    namespace: Namespace | None
    root: str
    indices: tuple[int, ...]

    def build(self) -> Any:
        """Run the recipe again and return the new node, of which only the ancestors were read."""
        return places.at(self.recipe.run(self.namespace)[self.root], self.indices)


def parts_of(recipe: Recipe, namespace: Namespace | None) -> list[Part]:
    """Return the nodes of users' classes in a witness, outer nodes first; at most six."""
    found = []
    names = recipe.run(namespace)
    for root in (name for name in _ROOTS if name in names):
        found += [Part(recipe, namespace, root, path) for path in _nodes(names[root], ())]
    return sorted(found, key=lambda part: len(part.indices))[:_MOST]


def _nodes(tree: Any, indices: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    held = places.children(tree)
    if len(held) == 1 and held[0] is tree:
        return
    if type(tree) not in _BUILTIN:
        yield indices
    for index, child in enumerate(held):
        yield from _nodes(child, (*indices, index))


def one_level(node: Any) -> tuple[list[Any], Any]:
    """Return the children of a node, and the treedef that has them as leaves."""
    return jtu.tree_flatten(node, is_leaf=lambda part: part is not node)


def flatten_method(node: Any) -> Method | None:
    """Return the function of the user that flattens a node; `None` if JAX does it."""
    return _first(watched(lambda: one_level(node))[2])


def keys_method(node: Any) -> Method | None:
    """Return the function of the user that flattens a node with keys; `None` if JAX does it."""
    ran = watched(lambda: keyed_children(node))[2]
    return _first(ran)


def unflatten_method(node: Any) -> Method | None:
    """Return the function of the user that unflattens a node; `None` if JAX does it."""
    children, treedef = one_level(node)
    return _first(watched(lambda: treedef.unflatten(children))[2])


def keyed_children(node: Any) -> list[tuple[Any, Any]]:
    """Return the children of a node with their keys, as `tree_flatten_with_path` gives them."""
    pairs = jtu.tree_flatten_with_path(node, is_leaf=lambda part: part is not node)[0]
    return [(path[-1] if path else None, child) for path, child in pairs]


def _first(ran: list[Method]) -> Method | None:
    return next((method for method in ran if method.of_user), None)


def inside(value: Any) -> set[int]:
    """Return the ids of what an object holds, up to four levels deep; at most 2000."""
    found, level = {id(value)}, [value]
    for _ in range(4):
        below = [one for held in level for one in contents(held).values() if id(one) not in found]
        level = below[: max(0, 2000 - len(found))]
        found |= set(map(id, level))
    return found


def moved(node: Any, children: list[Any], back: Any, given: list[Any]) -> bool:
    """Return whether the children of two nodes of a class are in different attributes.

    Args:
        node: a node.
        children: its children.
        back: a node that unflatten made.
        given: the children that it was made of.
    """
    return any(
        places.attribute(node, children, index) != places.attribute(back, given, index)
        for index in range(len(given))
    )
