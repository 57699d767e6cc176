"""Mutants of states that are stored."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.optax.transformations import NAMES
from selftest.mutant import mutant

_ID = "optax.carried."


class _Twins:
    """A node whose children have one key."""

    def __init__(self, *parts):
        self.parts = parts


jtu.register_pytree_with_keys(
    _Twins,
    lambda node: ([(jtu.GetAttrKey("part"), part) for part in node.parts], len(node.parts)),
    lambda _, parts: _Twins(*parts),
)


class _Forgetful:
    """A node that pickle makes without its last part."""

    def __init__(self, *parts):
        self.parts = parts

    def __reduce__(self):
        return _Forgetful, self.parts[:1]


jtu.register_pytree_node(
    _Forgetful, lambda node: (node.parts, None), lambda _, parts: _Forgetful(*parts)
)


def _holding(optax, node):
    """Return all functions that make a transformation, with such a node in their states."""

    def changed(make):
        def made(*args, **named):
            tx = make(*args, **named)
            held = lambda params: (tx.init(params), node(jax.numpy.ones(2), jax.numpy.zeros(2)))
            return optax.GradientTransformationExtraArgs(held, tx.update)

        return made

    found = {name: getattr(optax, name, None) for name in NAMES if "." not in name}
    return {name: changed(make) for name, make in found.items() if make is not None}


@mutant("optax", kills=[_ID + "states_are_found_by_their_paths"])
def two_parts_of_a_state_have_one_path(optax):
    """The state holds two arrays under one key path."""
    return _holding(optax, _Twins)


@mutant("optax", kills=[_ID + "pickled_states_are_equal"])
def a_part_of_a_state_is_not_pickled(optax):
    """A pickled state lacks an array."""
    return _holding(optax, _Forgetful)
