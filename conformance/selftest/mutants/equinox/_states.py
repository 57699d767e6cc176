"""An `eqx.nn.State` with some methods replaced, for mutants."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu


class Passing:
    """A state that passes everything on to a real one, which it holds as `inner`.

    Args:
        inner: the real state.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def get(self, item: Any) -> Any:
        return self.inner.get(item)

    def set(self, item: Any, value: Any) -> Any:
        return type(self)(self.inner.set(item, value))

    def substate(self, pytree: Any) -> Any:
        return type(self)(self.inner.substate(pytree))

    def update(self, substate: Any) -> Any:
        return type(self)(self.inner.update(getattr(substate, "inner", substate)))

    def flatten(self) -> tuple[Any, Any]:
        return (self.inner,), None

    @classmethod
    def unflatten(cls, aux: Any, children: Any) -> Any:
        state = object.__new__(cls)
        (state.inner,) = children
        return state

    def __repr__(self) -> str:
        return repr(self.inner)


def with_state(eqx: Any, name: str, **methods: Any) -> dict[str, Any]:
    """Patch what makes states so that theirs have other methods.

    Args:
        eqx: the real library.
        name: name of the class of these states, unique.
        methods: by name; each takes the state first, which holds the real one as `inner`.
    """
    cls: Any = type(name, (Passing,), {"__module__": __name__, "__qualname__": name, **methods})
    # Where pickle looks for it.
    globals()[name] = cls
    jtu.register_pytree_node(cls, cls.flatten, cls.unflatten)

    def make_with_state(make: Any) -> Any:
        def made(*args: Any, **kwargs: Any) -> Any:
            model, state = eqx.nn.make_with_state(make)(*args, **kwargs)
            return model, cls(state)

        return made

    return {
        "nn.make_with_state": make_with_state,
        "nn.State": lambda model: cls(eqx.nn.State(model)),
    }


def with_making(eqx: Any, change: Any) -> dict[str, Any]:
    """Patch `make_with_state` so that what it makes is changed.

    Args:
        eqx: the real library.
        change: takes the model and the state, and gives others.
    """

    def make_with_state(make: Any) -> Any:
        return lambda *args, **kwargs: change(*eqx.nn.make_with_state(make)(*args, **kwargs))

    return {"nn.make_with_state": make_with_state}


def indices_in(eqx: Any, tree: Any) -> list[Any]:
    """Return the indices of a tree, in order."""
    is_index = lambda node: isinstance(node, eqx.nn.StateIndex)
    return [node for node in jtu.tree_leaves(tree, is_leaf=is_index) if is_index(node)]


def values_of(state: Any) -> dict[Any, Any]:
    """Return the dictionary of a real state, to read and to write."""
    return vars(state)["_state"]


def cloned(tree: Any) -> Any:
    """Return a tree anew."""
    return jtu.tree_map(lambda leaf: leaf, tree)


def is_key(leaf: Any) -> bool:
    """Say whether an array holds keys of random numbers."""
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
