"""What mutants of Flax NNX share: walks over modules, and classes registered in another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax.tree_util as jtu

from treelaws.compat import nnx as nnx_api
from treelaws.laws.nnx._model import kind_of, references, variables_of

Flatten = Callable[[Any], tuple[list[Any], Any]]


def attributes(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """Give each module of a graph with the name and the value of each of its attributes."""
    for _, node in references(module):
        if kind_of(type(node)) == "object":
            for name, value in list(vars(node).items()):
                if not name.startswith("_"):
                    yield node, name, value


def forget(module: Any, *names: str) -> Any:
    """Take metadata away from the Variables of a graph, in place, and give the graph."""
    for _, variable in variables_of(module):
        for name in names:
            if name in nnx_api.metadata(variable):
                variable.del_metadata(name)
    return module


def bare(node: Any) -> Any:
    """Return a State whose Variables are of the same type and value and without metadata."""
    return jtu.tree_map(_without_metadata, node, is_leaf=_is_variable)


def _is_variable(node: Any) -> bool:
    return kind_of(type(node)) == "variable"


def _without_metadata(node: Any) -> Any:
    return type(node)(nnx_api.raw_value(node)) if _is_variable(node) else node


def registered(
    base: type, flatten: Flatten | None, unflatten: Callable[..., Any], keyed: Flatten | None = None
) -> type:
    """Make a subclass of a State or a Variable that JAX flattens in another way.

    Args:
        base: the class.
        flatten: gives the children and what is static; `None` for a class that JAX does not know.
        unflatten: takes the class, what is static and the children.
        keyed: gives the children with keys; default with keys that count them.
    """

    def count(node: Any) -> tuple[list[Any], Any]:
        assert flatten is not None
        children, static = flatten(node)
        return [(jtu.SequenceKey(place), child) for place, child in enumerate(children)], static

    class Registered:
        def __init_subclass__(cls) -> None:
            # In place of what the base does for its subclasses.
            if flatten is not None:
                jtu.register_pytree_with_keys(
                    cls, keyed or count, partial(unflatten, cls), flatten_func=flatten
                )

    namespace = {} if kind_of(base) == "state" else {"__slots__": ()}
    return type(base)(base.__name__, (Registered, base), namespace)
