"""What a program does for each index, put together along axes as lifted transforms do."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import jax.tree_util as jtu


def at(axes: Any, tree: Any, index: int) -> Any:
    """Return the part of a tree that belongs to an index.

    Args:
        axes: the axes of its leaves, or of whole subtrees; a part without an integer is taken
            whole.
        tree: the tree of all indices.
        index: the index.
    """

    def part(axis, held):
        if not isinstance(axis, int):
            return held
        return jtu.tree_map(lambda leaf: jnp.take(leaf, index, axis), held)

    return jtu.tree_map(part, axes, tree, is_leaf=_is_none)


def together(axes: Any, trees: list[Any]) -> Any:
    """Return the tree of all indices, whose parts have new axes, or are the same for all."""

    def join(axis, *parts):
        if not isinstance(axis, int):
            return parts[0]
        return jtu.tree_map(lambda *leaves: _stacked(axis, leaves), *parts, is_leaf=_is_box)

    return jtu.tree_map(join, axes, *trees, is_leaf=_is_none)


def stacked(lengths: tuple[int, ...], trees: list[Any]) -> Any:
    """Return the tree of all trees, along a leading axis for each of the lengths."""

    def stack(*leaves):
        return jnp.stack(leaves).reshape(*lengths, *leaves[0].shape)

    return jtu.tree_map(stack, *trees)


def named(axes: Any, variables: Any) -> Any:
    """Return variables whose boxes have the name `stack` at the axis of their collection."""

    def name(axis, held):
        return jtu.tree_map(lambda box: _named(axis, box), held, is_leaf=_is_box)

    return {key: name(axes.get(key), held) for key, held in variables.items()}


def _named(axis: int | None, box: Any) -> Any:
    if axis is None or not _is_box(box):
        return box
    names = (*box.names, *[None] * (axis - len(box.names)))
    return box.replace(names=(*names[:axis], "stack", *names[axis:]))


def variables_together(case: Any, each: list[Any]) -> Any:
    """Return the variables of all indices, with those of the first if indices share them."""
    return {name: together(case.axis_of[name], [one[name] for one in each]) for name in each[0]}


def variables_of(case: Any, index: int) -> Any:
    """Return the variables of an index."""
    shared = {name for name, axis in case.axis_of.items() if not isinstance(axis, int)}
    held = case.each[index]
    return {name: case.each[0][name] if name in shared else held[name] for name in held}


def mapped(case: Any) -> Any:
    """Return the results and the variables of separate calls for each index."""
    indices = range(len(case.each))
    args = [at(case.in_axes, case.args, index) for index in indices]
    runs = [case.plain.apply(variables_of(case, i), *args[i], **case.call) for i in indices]
    results = together(case.out_axes, [result for result, _ in runs])
    return results, variables_together(case, [changed for _, changed in runs])


def scanned(case: Any) -> Any:
    """Return the results and the variables of calls in order, each with what the last one left."""
    (carry, *args), carried = case.args, {}
    results, changes = [None] * len(case.each), [{}] * len(case.each)
    for i in case.order:
        part = at(case.in_axes, tuple(args), i)
        variables = {**variables_of(case, i), **carried}
        (carry, results[i]), changes[i] = case.plain.apply(variables, carry, *part, **case.call)
        carried |= {key: held for key, held in changes[i].items() if case.axis_of[key] == "carry"}
    return (carry, together(case.out_axes, results)), variables_together(case, changes) | carried


def _is_none(node: Any) -> bool:
    return node is None


def _is_box(node: Any) -> bool:
    return hasattr(node, "names")


def _stacked(axis: int, parts: Any) -> Any:
    """Stack arrays, or boxes with arrays, which get the name of the new axis."""
    if not _is_box(parts[0]):
        return jnp.stack(parts, axis)
    names = parts[0].names
    value = jnp.stack([part.value for part in parts], axis)
    return parts[0].replace(value=value, names=(*names[:axis], "stack", *names[axis:]))
