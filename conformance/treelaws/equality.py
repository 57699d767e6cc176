"""Equality of PyTrees: structure, static values, then leaves by type, dtype and bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.core
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from .core.mismatch import Mismatch, first_line, shown


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
    try:
        _same_structure(got_def, wanted_def)
    except Mismatch as mismatch:
        mismatch.add_values(shown(got), shown(wanted))
        raise
    for index, (one, other) in enumerate(zip(got_leaves, wanted_leaves, strict=True)):
        if one is other:
            continue
        aspect = "identity" if identical else leaf_difference(one, other)
        if aspect is not None:
            raise Mismatch(_path(wanted, index), aspect, shown(one), shown(other))


def same_treedef(got: Any, wanted: Any) -> None:
    """Raise `Mismatch` unless two treedefs are equal, and their static values of equal type.

    No node is made, so that it compares treedefs of nodes that refuse placeholders, too.

    Args:
        got: the treedef that the subject gives.
        wanted: the expected treedef.

    Raises:
        Mismatch: they differ; it names the first difference.
    """
    _same_structure(got, wanted)


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
        got = f"{type(raised).__name__}: {first_line(raised)}"
        raise Mismatch("", "another error", got, names) from raised
    raise Mismatch("", "no error", shown(value), names)


def equal(got: Any, wanted: Any) -> None:
    """Raise `Mismatch` unless two plain values are equal by `==`; for PyTrees use `same`.

    Args:
        got: the result of the subject.
        wanted: the expected result.

    Raises:
        Mismatch: `got == wanted` is anything but `True`.
    """
    if (got == wanted) is not True:
        raise Mismatch("", "result", shown(got), shown(wanted))


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


def leaf_difference(one: Any, other: Any) -> str | None:
    """Return the first aspect in which two leaves differ, or `None`."""
    if one is other:
        return None
    if type(one) is not type(other):
        return "type"
    if isinstance(one, (jax.Array, np.ndarray, np.generic)):
        return _array_difference(one, other)
    if isinstance(one, (float, complex)):
        return None if repr(one) == repr(other) else "value"
    if type(one).__eq__ is object.__eq__:
        return "identity"
    try:
        agree = bool(one == other)
    except Exception as raised:
        return f"identity (and == raises {type(raised).__name__})"
    return None if agree else "value"


def _array_difference(one: Any, other: Any) -> str | None:
    for aspect in ("dtype", "shape", "weak_type"):
        if getattr(one, aspect, None) != getattr(other, aspect, None):
            return aspect
    if isinstance(one, jax.core.Tracer):
        return "identity"
    if isinstance(one, jax.Array) and jnp.issubdtype(one.dtype, jax.dtypes.prng_key):
        one, other = jax.random.key_data(one), jax.random.key_data(other)
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype == object:
        pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
        return "value" if any(leaf_difference(a, b) for a, b in pairs) else None
    return None if one.tobytes() == other.tobytes() else "value"


def _same_structure(got: Any, wanted: Any, where: str = "") -> None:
    try:
        agree = got == wanted
    except Exception as raised:
        message = f"{type(raised).__name__}: {first_line(raised)}"
        raise Mismatch(where, "treedefs cannot be compared", message, "a bool") from raised
    if agree is not True:
        raise Mismatch(where, "structure", shown(got), shown(wanted))
    # `==` on treedefs treats 1, True and 1.0 in a static field as equal; users do not.
    got_data, wanted_data = got.node_data(), wanted.node_data()
    if got_data is None:
        return
    if _static_difference(got_data, wanted_data):
        raise Mismatch(where, "static value", shown(got_data), shown(wanted_data))
    for index, pair in enumerate(zip(got.children(), wanted.children(), strict=True)):
        _same_structure(*pair, f"{where}[child {index}]")


def _static_difference(one: Any, other: Any) -> bool:
    if one is other:
        return False
    if type(one) is not type(other):
        return True
    if isinstance(one, (tuple, list)):
        return any(map(_static_difference, one, other))
    if isinstance(one, dict):
        return any(_static_difference(one[key], other[key]) for key in one)
    return isinstance(one, (float, complex)) and repr(one) != repr(other)


def _path(tree: Any, index: int) -> str:
    path = jtu.tree_flatten_with_path(tree)[0][index][0]
    return jtu.keystr(path) or "the root"
