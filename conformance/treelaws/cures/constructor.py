"""Cure of a constructor that runs in unflatten, and of an unflatten that converts its children."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from typing import Any

import jax.tree_util as jtu

from treelaws.comparison.places import attribute
from treelaws.laws import _watch as watch

from .cure import Cure
from .methods import Method, passed_through, raised_in, watched
from .trials import OBJECTS, OWN, TRIALS
from .witness import Part, inside, moved, one_level, unflatten_method

_URL = "https://docs.jax.dev/en/latest/custom_pytrees.html"
_LOOKS = ("node.flatten.*_looks_at_no_leaf",)
_WRITES = ("node.flatten.unflatten_writes_into_no_leaf", *OWN[:3])
_EFFECTS = ("node.flatten.unflatten_has_no_outside_effect",)
_RUNS = ("node.flatten.unflatten_runs_no_constructor",)


def cures(part: Part) -> Iterator[Cure]:
    """Yield the cure of a constructor or a conversion that was seen to fail or to change a child.

    Args:
        part: a node of the witness.
    """
    keeps_objects = False
    for trial in TRIALS:
        node = part.build()
        children, treedef = one_level(node)
        given = trial.given(node, children)
        before = jtu.tree_structure(given)
        back, error, ran = watched(functools.partial(treedef.unflatten, given))
        if error is not None:
            if hooks := [one for one in raised_in(error) if _is_hook(one)]:
                said = f"raised {type(error).__name__} for {trial.done}"
                raises = functools.partial(passed_through, hooks[-1])
                yield Cure(_text(part, hooks[-1:], said), trial.laws, raises)
            continue
        kept = _kept(back, given)
        keeps_objects |= kept and trial.laws is OBJECTS
        lost = not kept and (keeps_objects or _replaced(back, given))
        if lost or jtu.tree_structure(given) != before:
            yield Cure(_text(part, _hooks(ran), f"did not keep {trial.done}"), trial.laws)
        elif (
            trial.laws is OWN
            and not kept
            and _located(node, children)
            and moved(node, children, back, given)
        ):
            said = f"put {trial.done} into other attributes"
            yield Cure(_text(part, _hooks(ran), said), trial.laws)
        elif trial.laws is OWN and _hooks(ran) and _remade(node, back):
            laws = (*OWN, *OBJECTS)
            yield Cure(_text(part, _hooks(ran), "made other aux data"), laws)
    yield from _side_effects(part)


def _side_effects(part: Part) -> Iterator[Cure]:
    """Yield the cure of a constructor that looks at leaves, writes into them or elsewhere."""
    node = part.build()
    children, treedef = one_level(node)
    leaves = [watch.WatchedLeaf() for _ in children]
    _, _, ran = watched(lambda: treedef.unflatten(leaves))
    looks = [look for leaf in leaves for look in leaf.looks]
    if looks and (hooks := _hooks(ran)):
        yield Cure(_text(part, hooks, f"used a child: {looks[0]}"), _LOOKS)
    given = [{"original": index} for index in range(len(children))]
    _, error, ran = watched(lambda: treedef.unflatten(given))
    changed = given != [{"original": index} for index in range(len(children))]
    if error is None and changed and (hooks := _hooks(ran)):
        yield Cure(_text(part, hooks, "wrote into a dict that was its child"), _WRITES)
    again = functools.partial(treedef.unflatten, children)
    effects, error, _ = watched(lambda: watch.effects_of(again, node))
    hooks = _hooks(watched(again)[2])
    if hooks:
        yield Cure(_text(part, hooks, "ran for this input"), _RUNS)
    if error is None and effects and hooks:
        yield Cure(_text(part, hooks, f"had an effect outside: {effects[0]}"), _EFFECTS)


def _text(part: Part, hooks: list[Method], said: str) -> str:
    node = part.build()
    kind, unflatten = type(node).__name__, unflatten_method(node)
    if not hooks:
        name = unflatten.described(part.recipe) if unflatten else f"the unflatten of {kind}"
        return (
            f"{name} {said}; let it set each attribute to the very object that flatten took from "
            f"it ({_URL})"
        )
    names = " and ".join(dict.fromkeys(hook.name for hook in hooks))
    start = f"{names} run{'' if ' and ' in names else 's'} whenever JAX unflattens a {kind}, and "
    places = ", ".join(filter(None, (hook.place(part.recipe) for hook in hooks)))
    start += f"{said}{f' ({places})' if places else ''}; "
    if unflatten is None or _is_hook(unflatten):
        return f"{start}move its checks and conversions into a classmethod that users call ({_URL})"
    return (
        f"{start}let {unflatten.described(part.recipe)} create the instance with "
        f"object.__new__({kind}) and set its attributes, which runs no constructor ({_URL})"
    )


def _hooks(ran: list[Method]) -> list[Method]:
    return [method for method in ran if _is_hook(method)]


def _is_hook(method: Method) -> bool:
    return method.code.co_name in watch.HOOKS and method.owner is not None and method.of_user


def _kept(back: Any, given: list[Any]) -> bool:
    held, error, _ = watched(lambda: one_level(back)[0])
    same = error is None and len(held) == len(given)
    return same and all(map(operator.is_, held, given))


def _replaced(back: Any, given: list[Any]) -> bool:
    """Return whether unflatten, and not flatten, put something else in the place of a child."""
    reachable = inside(back)
    return any(id(one) not in reachable for one in given)


def _located(node: Any, children: list[Any]) -> bool:
    """Return whether each child is found in one attribute of the node."""
    return all(attribute(node, children, index) for index in range(len(children)))


def _remade(node: Any, back: Any) -> bool:
    """Return whether an item of the aux data is another one after unflatten, and unequal."""
    data, other = (one_level(one)[1].node_data() for one in (node, back))
    if data is None or other is None:
        return False
    mine, theirs = (one[1] if isinstance(one[1], tuple) else (one[1],) for one in (data, other))
    return len(mine) == len(theirs) and any(map(_differ, mine, theirs))


def _differ(one: Any, other: Any) -> bool:
    try:
        return one is not other and bool(one != other)
    except Exception:
        # Such as two arrays: the aux data is at fault, not the constructor.
        return False
