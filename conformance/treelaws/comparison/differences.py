"""What differs between two values: the place inside, by the names of the user, and both texts."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.tree_util as jtu
import numpy as np

from treelaws.comparison.contents import contents
from treelaws.core.mismatch import shown, shown_beside
from treelaws.core.object_addresses import without_addresses

from .leaf_equality import as_numpy, leaf_difference

_DEEPEST = 8
_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_ARRAYS = (jax.Array, np.ndarray, np.generic)


class Difference(NamedTuple):
    """A difference inside two values.

    Args:
        place: where it is, such as `".layers[0]"`; empty for the values themselves.
        one: the first value there, printed.
        other: the second value there, printed; never the same text.
    """

    place: str
    one: str
    other: str


def told_apart(got: Any, wanted: Any) -> tuple[str, str]:
    """Return both values as text; where they print the same, the text says what differs."""
    texts = shown_beside(got, wanted), shown_beside(wanted, got)
    if got is wanted:
        return texts[0], f"{texts[1]}, the same object, which does not equal itself"
    if without_addresses(texts[0]) != without_addresses(texts[1]):
        return texts
    found = difference(got, wanted)
    if found is None:
        return _marked(got, texts[0]), _marked(wanted, texts[1])
    if not found.place:
        return found.one, found.other
    if texts[0] != texts[1] and found.one in texts[0] and found.other in texts[1]:
        return texts
    return _where(texts[0], found.place, found.one), _where(texts[1], found.place, found.other)


def _where(text: str, place: str, inner: str) -> str:
    return f"{text}\n          where {place} is {inner}"


def difference(one: Any, other: Any, place: str = "") -> Difference | None:
    """Return the first difference inside two values, or `None` if they are one object.

    A difference in value comes before one in identity alone.

    Args:
        one: a value.
        other: the value to compare it with.
        place: where the two are, default `""`.
    """
    by_value = next(_differences(one, other, place, (), by_identity=False), None)
    return by_value or next(_differences(one, other, place, (), by_identity=True), None)


def equals(one: Any, other: Any) -> bool:
    """Return whether two objects are of one type and equal; `False` if `==` raises."""
    try:
        return bool(one == other) and type(one) is type(other)
    except Exception:
        # Objects whose comparison raises are told apart by identity.
        return False


def _differences(
    one: Any, other: Any, place: str, above: tuple[int, ...], *, by_identity: bool
) -> Iterator[Difference]:
    if one is other or id(one) in above or len(above) > _DEEPEST:
        return
    inside = functools.partial(_differences, above=(*above, id(one)), by_identity=by_identity)
    if type(one) is not type(other):
        yield Difference(place, *_by_type(one, other))
    elif isinstance(one, _ARRAYS):
        yield from _of_arrays(one, other, place)
    elif isinstance(one, _SCALARS):
        if leaf_difference(one, other):
            yield Difference(place, shown_beside(one, other), shown_beside(other, one))
    elif isinstance(one, types.MethodType):
        yield from _of_methods(one, other, place)
    else:
        mine, theirs = parts(one), parts(other)
        if list(mine) != list(theirs):
            yield Difference(place, *_names(one, mine, other, theirs))
        for name in [name for name in mine if name in theirs]:
            yield from inside(mine[name], theirs[name], f"{place}{name}")
    if by_identity and not equals(one, other):
        yield Difference(place, _marked(one), _marked(other))


def parts(value: Any) -> dict[str, Any]:
    """Return what a value is made of, each part under the text that reads it."""
    if isinstance(value, jtu.PyTreeDef):
        data = value.node_data()
        named = {f"[{i}]": child for i, child in enumerate(value.children())}
        return {} if data is None else {" type": data[0], " aux data": data[1], **named}
    if isinstance(value, functools.partial):
        return {".func": value.func, ".args": value.args, ".keywords": value.keywords}
    if isinstance(value, (type, types.FunctionType)):
        return {}
    if isinstance(value, (set, frozenset)):
        return {f" item {text}": None for text in sorted(map(shown, value))}
    held = contents(value)
    return {name if name.startswith("[") else f".{name}": held[name] for name in held}


def _of_arrays(one: Any, other: Any, place: str) -> Iterator[Difference]:
    aspect = leaf_difference(one, other)
    if aspect in ("dtype", "shape", "weak_type"):
        texts = (f"{getattr(array, aspect, None)}" for array in (one, other))
        yield Difference(f"{place}.{aspect}", *texts)
    elif aspect == "value":
        mine, theirs = as_numpy(one), as_numpy(other)
        index = np.unravel_index(_first_element(mine, theirs), mine.shape)
        name = f"{list(map(int, index))}" if index else ""
        if mine.dtype == object:
            found = difference(mine[index], theirs[index], f"{place}{name}")
            yield from () if found is None else (found,)
            return
        yield Difference(f"{place}{name}", *_elements(mine[index], theirs[index]))


def _first_element(one: np.ndarray, other: np.ndarray) -> int:
    """Return the flat index of the first element that differs in its bytes."""
    if one.dtype == object:
        pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
        return next(index for index, pair in enumerate(pairs) if leaf_difference(*pair))
    mine, theirs = (np.frombuffer(array.tobytes(), np.uint8) for array in (one, other))
    return int(np.argmax(mine != theirs)) // one.dtype.itemsize


def _elements(one: Any, other: Any) -> tuple[str, str]:
    texts = f"{np.asarray(one).item()!r}", f"{np.asarray(other).item()!r}"
    if texts[0] != texts[1]:
        return texts
    # Such as two NaN with other bits.
    one, other = (np.asarray(value).tobytes().hex() for value in (one, other))
    return f"{texts[0]} of bytes {one}", f"{texts[1]} of bytes {other}"


def _of_methods(one: Any, other: Any, place: str) -> Iterator[Difference]:
    if one.__func__ is not other.__func__:
        yield Difference(place, _marked(one.__func__), _marked(other.__func__))
    elif one.__self__ is not other.__self__:
        name = one.__func__.__qualname__
        texts = (f"{name} bound to {_marked(method.__self__)}" for method in (one, other))
        yield Difference(place, *texts)


def _by_type(one: Any, other: Any) -> tuple[str, str]:
    mine, theirs = type(one), type(other)
    names = mine.__qualname__, theirs.__qualname__
    if names[0] == names[1]:
        names = f"{mine.__module__}.{names[0]}", f"{theirs.__module__}.{names[1]}"
    if names[0] == names[1]:
        names = _marked(mine, names[0]), _marked(theirs, names[1])
    return f"{shown(one)} of type {names[0]}", f"{shown(other)} of type {names[1]}"


def _names(one: Any, mine: Any, other: Any, theirs: Any) -> tuple[str, str]:
    missing = [name for name in theirs if name not in mine], [n for n in mine if n not in theirs]
    if not any(missing):
        return f"in the order {', '.join(mine)}", f"in the order {', '.join(theirs)}"
    texts = [
        f"{shown(value)} without {', '.join(map(str.strip, names))}" if names else shown(value)
        for value, names in zip((one, other), missing, strict=True)
    ]
    return texts[0], texts[1]


def _marked(value: Any, text: str = "") -> str:
    """Print an object with its address, which a report replaces by #1, #2 and so on."""
    text = text or shown(value)
    return text if f"{id(value):x}" in text.lower() else f"{text} at 0x{id(value):06x}"
