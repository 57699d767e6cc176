"""Conditions of laws about copies and equal builds: which parts of an instance can be copied."""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from treelaws.core.law import Case
from treelaws.core.mismatch import shown
from treelaws.equality import leaf_difference
from treelaws.laws import _watch as watch

from ._conditions import node_of

# Features of kinds whose copies differ.
_NO_DEEPCOPY = ("identity-aux", "deepcopy-differs")


def leaves_can_be_pickled(lib: Any, case: Case) -> str:
    """Say which leaf of the instance pickle cannot restore by itself.

    If it can restore each leaf and each static value, but not the node, the fault is the node's.
    """
    return _changed(lib.tree_util.tree_leaves(node_of(case)), "pickle", _pickled)


def leaves_can_be_deepcopied(lib: Any, case: Case) -> str:
    """Say which leaf of the instance `copy.deepcopy` cannot copy by itself."""
    return _changed(lib.tree_util.tree_leaves(node_of(case)), "copy.deepcopy", copy.deepcopy)


def static_values_can_be_pickled(lib: Any, case: Case) -> str:
    """Say which static value of the instance, or function in one, pickle cannot restore by itself.

    Pickle finds functions and classes by their names, which fails for local ones. A kind of node
    may also declare that its instances cannot be pickled.
    """
    return _declared(case, *_NO_DEEPCOPY, "unpicklable") or _uncopiable(
        lib, node_of(case), "pickle", _pickled
    )


def static_values_can_be_deepcopied(lib: Any, case: Case) -> str:
    """Say which static value of the instance, or function in one, cannot be copied by itself.

    A copy of a compiled function or a `functools.partial` is another function. A kind of node may
    also declare that a copy of an instance differs.
    """
    return _declared(case, *_NO_DEEPCOPY) or _uncopiable(
        lib, node_of(case), "copy.deepcopy", copy.deepcopy
    )


def pickle_keeps_the_structure(lib: Any, case: Case) -> str:
    """Say whether a pickled and loaded instance has another structure than the instance."""
    return _restructured(lib, node_of(case), _pickled)


def deepcopy_keeps_the_structure(lib: Any, case: Case) -> str:
    """Say whether a deep copy of the instance has another structure than the instance."""
    return _restructured(lib, node_of(case), copy.deepcopy)


def has_the_same_functions_when_rebuilt(lib: Any, case: Case) -> str:
    """Say which function in the static values of the instance a second build gives it anew.

    A factory that writes `Box(lambda x: x)` gives each instance another static value. A function
    that the constructor of the class makes is the class's own, and no reason.
    """
    again: list[Any] = []
    kind = type(node_of(case))
    arguments = watch.constructor_arguments(lambda: again.append(node_of(case.rebuild())), kind)
    given = [function for part in arguments for function in _functions_in(lib, part)]
    one, other = (
        [function for part in _static_values(lib, node) for function in _functions_in(lib, part)]
        for node in (node_of(case), *again)
    )
    for mine, theirs in itertools.zip_longest(one, other):
        own = arguments and not any(theirs is function for function in given)
        if mine is not theirs and (mine == theirs) is not True and not own:
            return f"each instance holds another function {_named(mine)}"
    return ""


def _declared(case: Case, *tags: str) -> str:
    features = {f"{prefix}:{tag}" for tag in tags for prefix in ("node", "module")}
    declared = sorted(features & case.recipe.features)
    return f"it has the feature {declared[0]}" if declared else ""


def _uncopiable(lib: Any, node: Any, name: str, duplicate: Callable[[Any], Any]) -> str:
    static = list(_static_values(lib, node))
    functions = [function for part in static for function in _functions_in(lib, part)]
    declared = [one for part in static for one in lib.tree_util.tree_leaves(part) if _by_id(one)]
    if reason := _changed([*functions, *declared], name, duplicate):
        return reason
    errors = ((part, _error(part, duplicate)) for part in static)
    refused = (
        f"{name} cannot copy the static value {_named(part)} ({error})"
        for part, error in errors
        if error
    )
    return next(refused, "")


def _by_id(part: Any) -> bool:
    """Return whether a dataclass declares with `eq=False` that instances compare by identity."""
    parameters = getattr(type(part), "__dataclass_params__", None)
    return parameters is not None and not parameters.eq


def _error(part: Any, duplicate: Callable[[Any], Any]) -> str:
    # A static value may refuse to be copied with any error.
    try:
        duplicate(part)
    except Exception as raised:
        return type(raised).__name__
    return ""


def _restructured(lib: Any, node: Any, duplicate: Callable[[Any], Any]) -> str:
    wanted = lib.tree_util.tree_structure(node)
    kept = lib.tree_util.tree_structure(duplicate(node)) == wanted
    return "" if kept is True else "a copy has another structure"


def _changed(parts: Iterable[Any], name: str, duplicate: Callable[[Any], Any]) -> str:
    lost = (part for part in parts if not _equals_its_copy(part, duplicate))
    return next((f"{name} restores no equal {_named(part)}" for part in lost), "")


def _named(part: Any) -> str:
    """Name a function or a class; print anything else, without the address of an object."""
    text = getattr(part, "__qualname__", "0x") if callable(part) else shown(part)
    return f"object of type {type(part).__name__}" if "0x" in text else text


def _equals_its_copy(part: Any, duplicate: Callable[[Any], Any]) -> bool:
    # An object may refuse to be copied with any error.
    try:
        copied = duplicate(part)
    except Exception:
        return False
    return leaf_difference(copied, part) is None


def _pickled(part: Any) -> Any:
    return pickle.loads(pickle.dumps(part))


def _static_values(lib: Any, node: Any) -> Iterator[Any]:
    """Yield the types of the nodes of a tree, which pickle finds by name, and their aux data."""
    pending = [lib.tree_util.tree_structure(node)]
    while pending:
        treedef = pending.pop()
        yield from treedef.node_data() or ()
        pending.extend(treedef.children())


def _functions_in(lib: Any, part: Any) -> list[Any]:
    """Return the functions, classes and callable objects that pickle meets in a static value."""
    finder = _Finder(lib)
    with contextlib.suppress(Exception):  # Pickling may raise any error; what it met counts.
        finder.dump(part)
    return finder.found


class _Finder(pickle.Pickler):
    """Collects the callable objects that it meets, and does not pickle them."""

    def __init__(self, lib: Any) -> None:
        super().__init__(io.BytesIO())
        self.found: list[Any] = []
        self._lib = lib

    def persistent_id(self, obj: Any) -> str | None:
        """Return an id for a callable object that is not a node; pickle saves it as this id."""
        if not callable(obj) or not self._lib.tree_util.all_leaves([obj]):
            return None
        self.found.append(obj)
        return "function"
