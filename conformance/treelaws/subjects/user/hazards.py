"""Tries a node in a child process, before its flatten runs in the process of the laws."""

from __future__ import annotations

import contextlib
import copy
import gc
import itertools
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import jax

from treelaws.children import processes
from treelaws.children.processes import ChildEnded, Send
from treelaws.core import settings
from treelaws.core.limits.time_limit import Expired, limited, not_counted

from .trials import tried

_T = TypeVar("_T")


class _Told(str):
    """What a node does to the process, unlike a text that it returns."""


# JAX and CPython follow about 1000 levels.
DEEPEST = 200
_DEEP = f"flatten has more than {DEEPEST} levels of children, perhaps without end"
# Seconds of one step; a step of a small node takes a millisecond.
_SECONDS = 1.0
# After this many steps that did not end, the laws report the rest.
_MOST_ENDLESS = 2


def hazard_of(instance: Any) -> str:
    """Return what a node does to the process that uses it; empty if it does no harm.

    Args:
        instance: the node, which nothing has flattened yet.
    """
    if not can_be_tried():
        # Here it could not be tried apart, so only the children are followed.
        return tried(lambda: _follow(instance)) or ""
    with not_counted():
        told = _tried(instance)
        # A child that ends for another reason, such as a lock, says nothing about the node.
        if told and not _tried({"sound": 1.0}):
            return _tried(instance)
    return ""


def can_be_tried() -> bool:
    """Return whether child processes can use nodes: they cannot use another device than the CPU."""
    return processes.are_possible() and jax.default_backend() == "cpu"


def tried_apart(look: Callable[[], _T]) -> _T | None:
    """Return the result of a function that uses a node with a hazard; `None` if it has none.

    Args:
        look: the function, which runs in a child process.
    """
    if not can_be_tried():
        return None
    with contextlib.suppress(ChildEnded, RuntimeError), not_counted():
        return processes.copied(lambda send: look())
    return None


def _tried(instance: Any) -> str:
    try:
        return processes.copied(lambda send: _exercised(send, instance))
    except ChildEnded as ended:
        return f"{ended.last or 'its use'} {ended.told}"
    except RuntimeError as raised:
        return f"its use leaves Python unusable: {raised}"


def _exercised(send: Send, instance: Any) -> str:
    """In the child: use the node in each way that laws do, and return what it changes."""
    # Freeing what the parent has computed needs its threads.
    gc.disable()
    warnings.simplefilter("ignore")
    told = ""

    def use() -> None:
        nonlocal told
        told = next(filter(None, _steps(send, instance)), "")

    # Under a trace, JAX computes nothing, which it could not do in a copy of a process.
    jax.make_jaxpr(use)()
    return told


def _steps(send: Send, instance: Any) -> Iterator[str]:
    before, endless = _shared(), 0
    for name, use in _USES.items():
        send(name)
        found: Any = None
        try:
            with limited(min(_SECONDS, settings.case_seconds)):
                found = use(instance)
        except Expired:
            endless += 1
        except BaseException:
            # The laws report it.
            found = None
        if isinstance(found, _Told):
            yield found
        yield from (f"{name} changes {what}" for what in _changed(before))
        if endless == _MOST_ENDLESS:
            return


def _shared() -> Mapping[str, Any]:
    """Return the state that all code of a process shares, by its name."""
    return {
        "the current folder": os.getcwd(),
        "the environment variables": dict(os.environ),
        "the recursion limit of Python": sys.getrecursionlimit(),
        "the filters of warnings": list(warnings.filters),
        "the path of imports": list(sys.path),
        "the garbage collector": gc.isenabled(),
        "the configuration of JAX": {**jax.config.values},
        "the threads of the process": {one.ident for one in threading.enumerate()},
    }


def _changed(before: Mapping[str, Any]) -> Iterator[str]:
    now = _shared()
    yield from (what for what in before if before[what] != now[what])


def _follow(node: Any) -> Any:
    """Follow the children; JAX does so recursively, which may crash the process.

    Each time, the last child that has children is followed.
    """
    inner = [node]
    for _ in range(DEEPEST):
        children = [child for one in inner[-1:] for child in _children(one)]
        inner = [child for child in children if not jax.tree_util.all_leaves([child])]
        if not inner:
            return None
    return _Told(_DEEP)


def _children(node: Any) -> list[Any]:
    asked = itertools.count()
    return jax.tree_util.tree_leaves(node, is_leaf=lambda _: next(asked) > 0)


def _unflatten(node: Any) -> None:
    leaves, treedef = jax.tree_util.tree_flatten(node)
    treedef.unflatten(leaves)
    treedef.unflatten([object() for _ in leaves])


def _compare(node: Any) -> None:
    again = jax.tree_util.tree_map(lambda leaf: leaf, node)
    _ = node == again, jax.tree_util.tree_structure(node) == jax.tree_util.tree_structure(again)


def _hash(node: Any) -> None:
    hash(jax.tree_util.tree_structure(node))
    hash(node)


def _attributes(node: Any) -> None:
    for name in dir(node):
        with contextlib.suppress(Exception):
            getattr(node, name)


# By the words of a report: how laws use a node.
_USES: Mapping[str, Callable[[Any], Any]] = {
    "flatten": _follow,
    "unflatten": _unflatten,
    "flatten with keys": jax.tree_util.tree_flatten_with_path,
    "comparing": _compare,
    "hashing": _hash,
    "printing": repr,
    "its truth": bool,
    "copying": copy.copy,
    "deep copying": copy.deepcopy,
    "pickling": lambda node: pickle.loads(pickle.dumps(node)),
    "reading its attributes": _attributes,
}
