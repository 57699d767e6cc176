"""Trees whose root is of one family: containers(), nodes(), modules()."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.nodes.nodes import NODES

from .containers import CONTAINERS
from .trees import trees


def containers(
    leaves: st.SearchStrategy[Recipe] | None = None, *, max_leaves: int = 6, history: bool = False
) -> st.SearchStrategy[Recipe]:
    """Draw a tree whose root is a container that JAX registers itself.

    Args:
        leaves: strategy of leaf recipes; default `hypothesis_pytrees.leaves()`.
        max_leaves: leaf budget, at least 1; default 6.
        history: draw a prior operation on the tree (copy, pickle, a map); default `False`.

    Raises:
        ValueError: `max_leaves` is below 1.
    """
    return trees(leaves, roots=CONTAINERS, max_leaves=max_leaves, history=history)


def nodes(
    leaves: st.SearchStrategy[Recipe] | None = None, *, max_leaves: int = 6, history: bool = False
) -> st.SearchStrategy[Recipe]:
    """Draw a tree whose root is a node registered in one of the ways that JAX offers.

    Args:
        leaves: strategy of leaf recipes; default `hypothesis_pytrees.leaves()`.
        max_leaves: leaf budget, at least 1; default 6.
        history: draw a prior operation on the tree; default `False`.

    Raises:
        ValueError: `max_leaves` is below 1.
    """
    return trees(leaves, roots=NODES, max_leaves=max_leaves, history=history)


def modules(
    leaves: st.SearchStrategy[Recipe] | None = None, *, max_leaves: int = 6, history: bool = False
) -> st.SearchStrategy[Recipe]:
    """Draw a tree whose root is an `eqx.Module` of a generated class.

    Args:
        leaves: strategy of leaf recipes; default `hypothesis_pytrees.leaves()`.
        max_leaves: leaf budget, at least 1; default 6.
        history: draw a prior operation on the tree; default `False`.

    Raises:
        ValueError: `max_leaves` is below 1.
        RuntimeError: equinox is not installed, or supports none of the classes.
    """
    return trees(leaves, roots=MODULES, max_leaves=max_leaves, history=history)
