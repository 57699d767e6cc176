"""Faults of the answer of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax.core import Tracer

from . import leaves
from .fault import Call, fault
from .leaves import KEPT


def _of_answer(call: Call, change: Callable[[Any], Any]) -> Any:
    answer = call.real()
    if answer is None:
        return answer
    changed = change(answer)
    if changed is KEPT:
        return answer
    call.shown()
    return changed


def _perturbed(answer: Any) -> Any:
    return leaves.change_leaves(answer, leaves.other, most=1)


@fault("value", "one leaf has another value")
def _value(call: Call) -> Any:
    return _of_answer(call, _perturbed)


@fault("last value", "the last leaf has another value")
def _last_value(call: Call) -> Any:
    def change(answer: Any) -> Any:
        found, treedef = leaves.flatten(answer)
        made = leaves.other(found[-1]) if len(found) > 1 else KEPT
        return KEPT if made is KEPT else treedef.unflatten([*found[:-1], made])

    return _of_answer(call, change)


@fault("swapped", "two leaves are exchanged")
def _swapped(call: Call) -> Any:
    return _of_answer(call, leaves.swapped)


@fault("dropped", "a leaf is missing: `None` is in its place")
def _dropped(call: Call) -> Any:
    return _of_answer(call, lambda answer: leaves.change_leaves(answer, lambda _: None, most=1))


@fault("added", "there is one leaf more: a pair in place of a leaf")
def _added(call: Call) -> Any:
    def pair(leaf: Any) -> Any:
        return (leaf, leaf)

    return _of_answer(call, lambda answer: leaves.change_leaves(answer, pair, most=1))


@fault("zeros", "all numbers are zero")
def _zeros(call: Call) -> Any:
    return _of_answer(call, lambda answer: leaves.change_leaves(answer, leaves.zero))


@fault("dtype", "one leaf has another dtype")
def _dtype(call: Call) -> Any:
    return _of_answer(call, lambda answer: leaves.change_leaves(answer, leaves.other_dtype, most=1))


@fault("weak type", "one array is weakly typed that should not be, or the other way round")
def _weak_type(call: Call) -> Any:
    return _of_answer(
        call, lambda answer: leaves.change_leaves(answer, leaves.other_weakness, most=1)
    )


@fault("copy", "the leaves are copies")
def _copy(call: Call) -> Any:
    return _of_answer(call, lambda answer: leaves.change_leaves(answer, leaves.copied))


@fault("same object", "an argument comes back in place of an equal new object")
def _same_object(call: Call) -> Any:
    def change(answer: Any) -> Any:
        given = (*call.args, *call.kwargs.values())
        equal = [one for one in given if one is not answer and leaves.alike(one, answer)]
        return equal[0] if equal else KEPT

    return _of_answer(call, change)


@fault("argument", "the first argument comes back")
def _argument(call: Call) -> Any:
    def change(answer: Any) -> Any:
        if not call.args or leaves.alike(call.args[0], answer):
            return KEPT
        return call.args[0]

    return _of_answer(call, change)


@fault("first answer", "every later call gives the answer of the first")
def _first_answer(call: Call) -> Any:
    def change(answer: Any) -> Any:
        call.earlier.append(answer)
        return KEPT if leaves.alike(call.earlier[0], answer) else call.earlier[0]

    return _of_answer(call, change)


@fault("second call", "one leaf has another value in the second call of a case")
def _second_call(call: Call) -> Any:
    return _of_answer(call, _perturbed) if call.number == 2 else call.real()


@fault("trace", "one leaf has another value if arrays are traced")
def _trace(call: Call) -> Any:
    given, _ = leaves.flatten((call.args, dict(call.kwargs)))
    traced = any(isinstance(leaf, Tracer) for leaf in given)
    return _of_answer(call, _perturbed) if traced else call.real()
