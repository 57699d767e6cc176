"""Finds functions in the fields of an instance that a copy or a pickle does not keep."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax

_DEEPEST = 4


def features_of(instance: Any) -> tuple[str, ...]:
    """Return features of an instance whose static functions have no equal copy.

    A compiled function such as `jax.nn.relu`, or a lambda, may be a default of a constructor. A
    copy of it is another function, whatever the class does, so laws about copies leave it out.

    Args:
        instance: a node; functions among its leaves do not count, since laws replace them.
    """
    leaves = {id(leaf) for leaf in jax.tree_util.tree_leaves(instance)}
    functions = [one for one in _functions(instance, _DEEPEST) if id(one) not in leaves]
    pickled = all(_keeps(lambda one: pickle.loads(pickle.dumps(one)), one) for one in functions)
    copied = all(_keeps(copy.deepcopy, one) for one in functions)
    return ("node:unpicklable",) * (not pickled) + ("node:identity-aux",) * (not copied)


def _functions(value: Any, depth: int) -> Iterator[Any]:
    """Yield the functions in the fields of a value, and in containers in them."""
    fields: Mapping[Any, Any] = {}
    if isinstance(value, Mapping):
        fields = value
    elif isinstance(value, (list, tuple)):
        fields = dict(enumerate(value))
    elif not jax.tree_util.all_leaves([value]) or dataclasses.is_dataclass(value):
        fields = getattr(value, "__dict__", {})
    for field in fields.values() if depth else ():
        is_node = not jax.tree_util.all_leaves([field])
        if callable(field) and not is_node and not isinstance(field, type):
            yield field
        else:
            yield from _functions(field, depth - 1)


def _keeps(copied: Callable[[Any], Any], function: Any) -> bool:
    try:
        return copied(function) == function
    except Exception:
        # Pickle and copy raise any error for what they cannot copy.
        return False
