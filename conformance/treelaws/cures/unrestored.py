"""Cures of attributes that unflatten does not restore, since neither children nor aux data do."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import jax
import jax.tree_util as jtu

from treelaws.comparison.contents import contents
from treelaws.core.mismatch import Mismatch
from treelaws.equality import same

from .cure import Cure
from .witness import Part, flatten_method, one_level, unflatten_method

_LOST = (
    "node.flatten.unflatten_restores_every_attribute",
    "node.copies.copies_hold_the_same_attributes",
    "node.copies.pickle_after_unflatten_*",
)
_CHANGED = (
    "node.aux.unflatten_restores_the_configuration",
    "node.aux.different_configuration_gives_different_treedefs",
)
_ADDED = ("node.flatten.unflatten_adds_no_attribute",)


def cures(part: Part) -> Iterator[Cure]:
    """Yield the cure of attributes that were seen to be lost, changed or added by unflatten.

    Args:
        part: a node of the witness.
    """
    node = part.build()
    children, treedef = one_level(node)
    held = contents(node)
    back = treedef.unflatten(children)
    found = contents(back)
    lost = [name for name in held if name not in found and not hasattr(back, name)]
    if lost:
        text = _text(part, node, lost, "are not set by unflatten")
        yield Cure(text, (*_LOST, *_CHANGED), functools.partial(_names, lost))
    again = contents(part.build())
    stable = [name for name in held if name in again and _agree(held[name], again[name])]
    changed = [name for name in stable if name in found and not _agree(held[name], found[name])]
    unheld = [name for name in changed if not _is_held(held[name], children, treedef)]
    fresh = list(map(id, one_level(node)[0])) != list(map(id, children))
    # A child that flatten makes anew each time comes from an attribute, but is another object.
    if unheld and not fresh:
        yield Cure(_text(part, node, unheld, "have another value after unflatten"), _CHANGED)
    if added := [name for name in found if name not in held]:
        unflatten = unflatten_method(node)
        name = unflatten.described(part.recipe) if unflatten else "unflatten"
        text = (
            f"{name} sets {_listed(added)}, which the constructor of {type(node).__name__} does "
            "not set; set the same attributes in both"
        )
        yield Cure(text, _ADDED)


def _text(part: Part, node: Any, names: list[str], said: str) -> str:
    kind = type(node).__name__
    leaves = jtu.tree_leaves([contents(node)[name] for name in names])
    arrays = any(isinstance(leaf, jax.Array) for leaf in leaves)
    kept = "children, as it holds an array," if arrays else "aux data"
    methods = [flatten_method(part.build()), unflatten_method(part.build())]
    one, other = (
        method.described(part.recipe) if method else default
        for method, default in zip(methods, ("flatten", "unflatten"), strict=True)
    )
    subject = f"{_listed(names)} of {kind}"
    if len(names) == 1:
        said = said.replace("are ", "is ").replace("have ", "has ")
    if methods[1] is None:
        return f"{subject} {said}; declare it as a field of the class, static or not"
    it = "it" if len(names) == 1 else "them"
    return f"{subject} {said}; return {it} in the {kept} of {one}, and set {it} in {other}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name if name.startswith("[") else f".{name}" for name in names)


def _names(names: list[str], error: BaseException) -> bool:
    return isinstance(error, AttributeError) and error.name in names


def _is_held(value: Any, children: list[Any], treedef: Any) -> bool:
    """Return whether a child or an item of the aux data is a value."""
    data = treedef.node_data()
    aux = data[1] if data and isinstance(data[1], (tuple, list)) else data and [data[1]]
    return any(value is one for one in [*children, *(aux or [])])


def _agree(one: Any, other: Any) -> bool:
    try:
        same(one, other)
    except Mismatch:
        return False
    return True
