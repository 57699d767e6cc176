"""Runs programs on a Flax NNX container and on the equivalent list or dict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax.tree_util as jtu

from treelaws.core.mismatch import Mismatch, first_line, shown

from ._model import same_graph


def run_program(
    lib: Any, steps: Iterable[Any], subject: Any, model: Any, *, same_error: bool = False
) -> Any:
    """Run each step on the subject and on its model, and check for equal outcomes and items.

    A step must return equal values on both, or raise an error on both. A step that is a string
    names a round trip, which only the subject makes. The items must be the same objects until the
    first round trip, and equal afterwards.

    Args:
        lib: the library under test.
        steps: functions of a container, or names of round trips.
        subject: the container under test.
        model: the equivalent list or dict.
        same_error: require that the two errors have the same type; default `False`.

    Returns:
        The subject, or the result of its last round trip.

    Raises:
        Mismatch: they differ; it names the first step after which they do.
    """
    agree = _identical
    _same_items(subject, model, agree, "the start")
    for index, step in enumerate(steps):
        if isinstance(step, str):
            subject, agree = round_trip(lib, step)(subject), _equal
        else:
            got, wanted = _outcome(step, subject), _outcome(step, model)
            if not same_error and "returned" not in (got[0], wanted[0]):
                continue
            _same_outcome(got, wanted, agree, f"step {index}")
        _same_items(subject, model, agree, f"step {index}")
    return subject


def round_trip(lib: Any, name: str) -> Callable[[Any], Any]:
    """Return the function for the name of a round trip."""
    return {
        "split-merge": lambda node: lib.merge(*lib.split(node)),
        "clone": lib.clone,
        "map": lambda node: jtu.tree_map(lambda leaf: leaf, node),
    }[name]


def _outcome(step: Callable[[Any], Any], container: Any) -> tuple[str, Any]:
    try:
        value = step(container)
    except Exception as raised:
        return type(raised).__name__, first_line(raised)
    return "returned", "the container" if value is container else value


def _same_outcome(got: Any, wanted: Any, agree: Callable[[Any, Any], bool], where: str) -> None:
    kind, value = wanted
    if got[0] != kind:
        raise Mismatch(where, "outcome", f"{got[0]}: {shown(got[1])}", f"{kind}: {shown(value)}")
    if kind == "returned" and not _alike(got[1], value, agree):
        raise Mismatch(where, "returned value", shown(got[1]), shown(value))


def _same_items(subject: Any, model: Any, agree: Callable[[Any, Any], bool], where: str) -> None:
    is_dict = isinstance(model, dict)
    got = list(subject.items()) if is_dict else list(subject)
    wanted = list(model.items()) if is_dict else model
    # A round trip sorts the keys of a Dict.
    if is_dict and agree is _equal:
        got, wanted = sorted(got, key=_key), sorted(wanted, key=_key)
    if len(subject) != len(model) or not _alike(got, wanted, agree):
        raise Mismatch(f"after {where}", "items", shown(got), shown(wanted))


def _key(pair: tuple[str, Any]) -> str:
    return pair[0]


def _alike(got: Any, wanted: Any, agree: Callable[[Any, Any], bool]) -> bool:
    """Compare lists and pairs item by item."""
    if type(wanted) in (list, tuple) and type(got) is type(wanted):
        pairs = zip(got, wanted, strict=False)
        return len(got) == len(wanted) and all(_alike(*pair, agree) for pair in pairs)
    return agree(got, wanted)


def _identical(got: Any, wanted: Any) -> bool:
    return got is wanted or (isinstance(wanted, (bool, int, str)) and _equal(got, wanted))


def _equal(got: Any, wanted: Any) -> bool:
    try:
        same_graph(got, wanted)
    except Mismatch:
        return False
    return True
