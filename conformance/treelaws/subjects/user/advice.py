"""Advice on how to fix a node type that breaks a law, from the calls of its unflatten."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import jax

from hypothesis_pytrees import Namespace, Recipe
from treelaws.laws._watch import hooks_run

_WIDTH = 96
# "the __init__() and __new__() methods of custom pytree classes should generally avoid doing any
# array conversion or other input validation, or else anticipate and handle these special cases"
_ADVICE = (
    "fix: {hooks} runs whenever JAX unflattens a {kind}, with any object in place of a leaf; "
    "let unflatten create the instance with object.__new__({kind}) and set its attributes, which "
    "runs no constructor (https://docs.jax.dev/en/latest/custom_pytrees.html)"
)


def advice(recipe: Recipe, namespace: Namespace | None) -> Iterator[str]:
    """Yield advice for a node type whose unflatten runs a constructor; nothing for others.

    Args:
        recipe: an input that breaks a law; the node is bound to `node` or `tree`, or its value.
        namespace: the module of its classes; `None` for the installed libraries.
    """
    node = _node(recipe, namespace)
    leaves, treedef = jax.tree_util.tree_flatten(node)

    def unflatten() -> None:
        try:
            treedef.unflatten(leaves)
        except Exception:
            # Only the hooks that ran matter; the law reports the error.
            return

    hooks = hooks_run(unflatten)
    if hooks:
        kind = hooks[0].partition(".")[0]
        yield textwrap.fill(_ADVICE.format(hooks=" and ".join(hooks), kind=kind), _WIDTH)


def _node(recipe: Recipe, namespace: Namespace | None) -> Any:
    try:
        names = recipe.run(namespace)
    except Exception:
        # An input that cannot be built has no node.
        return None
    return next((names[name] for name in ("node", "tree", "result") if name in names), None)
