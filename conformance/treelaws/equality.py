"""Equality of PyTrees: structure, static values, then leaves by type, dtype and bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.tree_util as jtu

from .comparison.differences import equals, told_apart
from .comparison.leaf_equality import leaf_difference, number_types
from .comparison.places import at, child_indices, joined, place
from .comparison.static_data import (
    aux_data,
    node_at,
    retyped_node,
    static_difference,
    static_differs,
)
from .core.mismatch import Mismatch, message, shown, shown_beside
from .core.object_addresses import without_addresses


def same(got: Any, wanted: Any, *, identical: bool = False) -> None:
    """Raise `Mismatch` unless two values are equal as PyTrees.

    Treedefs must be equal and their static values of equal type; leaves must agree in type, dtype,
    shape, weak type and bytes, so that NaN equals NaN and `-0.0` differs from `0.0`.

    Args:
        got: the result of the subject.
        wanted: the expected result.
        identical: require that leaves are the same objects; default `False`.

    Raises:
        Mismatch: they differ; it names the first difference.
    """
    got_leaves, got_def = jtu.tree_flatten(got)
    wanted_leaves, wanted_def = jtu.tree_flatten(wanted)
    _same_structure(got, wanted, got_def, wanted_def)
    for index, (one, other) in enumerate(zip(got_leaves, wanted_leaves, strict=True)):
        if one is other:
            continue
        aspect = "identity" if identical else leaf_difference(one, other)
        if aspect is not None:
            where = place(wanted, child_indices(wanted_def, index)) or "the root"
            raise Mismatch(where, aspect, *told_apart(one, other))


def same_treedef(got: Any, wanted: Any, node: Any) -> None:
    """Raise `Mismatch` unless two treedefs are equal, and their static values of equal type.

    No node is made, so that it compares treedefs of nodes that refuse placeholders, too.

    Args:
        got: the treedef that the subject gives.
        wanted: the expected treedef.
        node: a node with the expected treedef, whose attributes name the place of a difference.

    Raises:
        Mismatch: they differ; it names the first difference.
    """
    _same_structure(node, node, got, wanted)


def differ(one: Any, other: Any, what: str = "the two values") -> None:
    """Raise `Mismatch` unless two values differ, both by `==` and by `!=`.

    Raises:
        Mismatch: they are equal.
    """
    if one == other or not (one != other):
        raise Mismatch("", f"{what} are equal", shown(one), f"something other than {shown(other)}")


def refuses(error: type[Exception] | tuple[type[Exception], ...], call: Callable[[], Any]) -> None:
    """Raise `Mismatch` unless a call raises the documented error.

    Raises:
        Mismatch: the call returns, or raises something else.
    """
    names = " or ".join(kind.__name__ for kind in (error if isinstance(error, tuple) else (error,)))
    try:
        value = call()
    except error:
        return
    except Exception as raised:
        got = f"{type(raised).__name__}: {message(raised, indent=10)}"
        raise Mismatch("", "another error", got, names) from raised
    raise Mismatch("", "no error", shown(value), names)


def equal(got: Any, wanted: Any) -> None:
    """Raise `Mismatch` unless two plain values are equal; for PyTrees use `same`.

    Numbers and arrays must be of one type, also within lists, tuples and mappings, since `1`,
    `True`, `1.0` and `np.int64(1)` are equal by `==`. The types of the containers may differ.

    Args:
        got: the result of the subject.
        wanted: the expected result.

    Raises:
        Mismatch: `got == wanted` is anything but `True`, or a number is of another type.
    """
    if (got == wanted) is not True:
        raise Mismatch("", "result", *told_apart(got, wanted))
    if number_types(got) != number_types(wanted):
        raise Mismatch("", "number type", *told_apart(got, wanted))


def true(fact: Any, got: Any, wanted: str) -> None:
    """Raise `Mismatch` unless a fact is exactly `True`.

    Args:
        fact: the fact.
        got: the result of the subject, for the report.
        wanted: the expected result, in words.

    Raises:
        Mismatch: `fact` is anything but `True`.
    """
    if fact is not True:
        raise Mismatch("", "fact", shown(got), wanted)


def _same_structure(got: Any, wanted: Any, got_def: Any, wanted_def: Any) -> None:
    try:
        agree = got_def == wanted_def
    except Exception as raised:
        text = f"{type(raised).__name__}: {message(raised, indent=10)}"
        indices = _deepest_difference(got_def, wanted_def)
        data, other = (aux_data(one, indices) for one in (got_def, wanted_def))
        found = static_difference(at(wanted, indices), data, other)
        where = joined(place(wanted, indices), found.place)
        raise Mismatch(where, "treedefs cannot be compared", text, "a bool") from raised
    if agree is not True:
        raise _structure_mismatch(got, wanted, got_def, wanted_def)
    # `==` on treedefs treats 1, True and 1.0 in a static field as equal; users do not.
    indices = retyped_node(got_def, wanted_def)
    if indices is not None:
        data, other = (aux_data(one, indices) for one in (got_def, wanted_def))
        found = static_difference(at(wanted, indices), data, other)
        where = joined(place(wanted, indices), found.place)
        raise Mismatch(where, "static value", found.one, found.other)


def _structure_mismatch(got: Any, wanted: Any, got_def: Any, wanted_def: Any) -> Mismatch:
    """Return the mismatch of the deepest nodes that differ, with their values."""
    indices = _deepest_difference(got_def, wanted_def)
    parts = [at(got, indices), at(wanted, indices)]
    defs = [node_at(got_def, indices), node_at(wanted_def, indices)]
    texts = [shown_beside(*defs), shown_beside(*reversed(defs))]
    values = [
        without_addresses(text) for text in (shown_beside(*parts), shown_beside(*parts[::-1]))
    ]
    if values[0] != values[1]:
        texts = [f"{text}\n      of  {value}" for text, value in zip(texts, values, strict=True)]
    if static_differs(*defs):
        data, other = (aux_data(one) for one in defs)
        found = static_difference(parts[1], data, other)
        texts[0] += f"\n          where {found.place} is {found.one}"
        texts[1] += f"\n          where {found.place} is {found.other}"
    return Mismatch(place(wanted, indices), "structure", *texts)


def _deepest_difference(got: Any, wanted: Any) -> list[int]:
    """Return the child indices of the deepest node that differs between two unequal treedefs."""
    data, other = got.node_data(), wanted.node_data()
    alike = data is not None and other is not None and data[0] is other[0]
    pairs = list(zip(got.children(), wanted.children(), strict=False))
    if not alike or len(got.children()) != len(wanted.children()) or static_differs(got, wanted):
        return []
    for index, pair in enumerate(pairs):
        if not equals(*pair):
            return [index, *_deepest_difference(*pair)]
    return []
