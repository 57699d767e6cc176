"""Mutants of `Shared`."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.tree_util as jtu
import numpy as np

from selftest.mutant import mutant

_ID = "equinox.shared."


def _shared(eqx: Any, name: str, call: Any = None, **methods: Any) -> dict[str, Any]:
    """Return `Shared` with another `__call__`, which takes the real one first."""
    real = eqx.nn.Shared
    if call is not None:
        methods["__call__"] = lambda self: call(functools.partial(real.__call__, self), self)
    cls = type(real)(name, (real,), {"__module__": __name__, "__qualname__": name, **methods})
    # Where pickle looks for it.
    globals()[name] = cls
    return {"nn.Shared": cls}


@mutant("equinox", kills=[_ID + "calling_puts_get_where_where_says"])
def the_first_of_several_is_tied(eqx):
    """Of several nodes the first value stands for all."""

    def call(real, self):
        values = self.get(self.pytree)
        if isinstance(values, tuple):
            values = tuple(jtu.tree_map(lambda leaf: 0 * leaf, value) for value in values[1:])
            values = (self.get(self.pytree)[0], *values)
        return eqx.tree_at(self.where, self.pytree, values)

    return _shared(eqx, "FirstTied", call)


@mutant("equinox", kills=[_ID + "tied_nodes_are_one_object"])
def tied_nodes_are_copies(eqx):
    """A call puts copies in the places of the duplicates."""

    def call(real, self):
        values = jtu.tree_map(lambda leaf: leaf.copy(), self.get(self.pytree))
        return eqx.tree_at(self.where, self.pytree, values)

    return _shared(eqx, "CopyingShared", call)


@mutant("equinox", kills=[_ID + "a_call_restores_the_structure"])
def a_call_gives_a_tuple(eqx):
    """A call gives a list back as a tuple."""

    def call(real, self):
        tree = real()
        return tuple(tree) if type(tree) is list else tree

    return _shared(eqx, "TupleShared", call)


@mutant("equinox", kills=[_ID + "the_duplicates_are_gone"])
def the_duplicates_stay(eqx):
    """The tree is kept whole, with the duplicates in it."""

    def __init__(self, pytree, where, get):
        self.pytree, self.where, self.get = pytree, where, get

    return _shared(eqx, "WholeShared", __init__=__init__)


@mutant("equinox", kills=[_ID + "a_change_shows_in_both_places"])
def the_value_is_that_of_the_start(eqx):
    """The places of where keep what get gave when the tree was tied."""

    def __init__(self, pytree, where, get):
        kept = get(pytree)
        eqx.nn.Shared.__init__(
            self, pytree, where, lambda tree: kept if _holds(tree) else get(tree)
        )

    return _shared(eqx, "StartShared", __init__=__init__)


def _holds(tree):
    return any(type(leaf).__name__ == "SharedNode" for leaf in jtu.tree_leaves(tree))


@mutant("equinox", kills=[_ID + "gradients_of_the_places_add_up"])
def no_gradient_flows_through_a_tie(eqx):
    """The duplicates count as constants."""

    def call(real, self):
        values = jtu.tree_map(jax.lax.stop_gradient, self.get(self.pytree))
        return eqx.tree_at(self.where, self.pytree, values)

    return _shared(eqx, "ConstantShared", call)


@mutant("equinox", kills=[_ID + "a_jitted_call_is_the_call"])
def a_call_looks_at_values(eqx):
    """A call takes the tied values to NumPy, which a trace does not allow."""

    def call(real, self):
        jtu.tree_map(np.asarray, self.get(self.pytree))
        return real()

    return _shared(eqx, "LookingShared", call)


@mutant("equinox", kills=[_ID + "nodes_that_differ_are_refused"])
def anything_is_tied(eqx):
    """Nodes are tied whatever their structures, shapes and dtypes."""

    def __init__(self, pytree, where, get):
        self.pytree = eqx.tree_at(where, pytree, replace_fn=lambda _: 0)
        self.where, self.get = where, get

    return _shared(eqx, "AnythingShared", __init__=__init__)


@mutant("equinox", kills=[_ID + "any_sequences_of_one_length_tie"])
def lists_are_not_tied(eqx):
    """A sequence of nodes must be a tuple."""

    def __init__(self, pytree, where, get):
        if isinstance(where(pytree), list):
            raise ValueError("where must return a tuple")
        eqx.nn.Shared.__init__(self, pytree, where, get)

    return _shared(eqx, "TuplesOnlyShared", __init__=__init__)


@mutant(
    "equinox",
    kills=[_ID + "new_arrays_do_not_retrace", _ID + "an_equal_one_does_not_retrace"],
)
def each_flattening_makes_a_placeholder(eqx):
    """What stands for a duplicate is made anew whenever the tree is flattened."""

    class Hole:
        pass

    class FreshShared:
        def __init__(self, pytree, where, get):
            real = eqx.nn.Shared(pytree, where, get)
            self.pytree, self.where, self.get = real.pytree, where, get

        def __call__(self):
            return eqx.tree_at(self.where, self.pytree, self.get(self.pytree))

    def flatten(node):
        fresh = lambda leaf: Hole() if _holds([leaf]) else leaf
        return (jtu.tree_map(fresh, node.pytree),), (node.where, node.get)

    def unflatten(aux, children):
        node = object.__new__(FreshShared)
        (node.pytree,), (node.where, node.get) = children, aux
        return node

    jtu.register_pytree_node(FreshShared, flatten, unflatten)
    return {"nn.Shared": FreshShared}


@mutant("equinox", kills=[_ID + "a_saved_shared_is_loaded"])
def loading_leaves_tied_trees_alone(eqx):
    """`tree_deserialise_leaves` gives a `Shared` of like back as it was."""

    def tree_deserialise_leaves(file, like, *args, **kwargs):
        loaded = eqx.tree_deserialise_leaves(file, like, *args, **kwargs)
        return like if isinstance(like, eqx.nn.Shared) else loaded

    return {"tree_deserialise_leaves": tree_deserialise_leaves}


@mutant("equinox", kills=[_ID + "a_tied_layer_has_one_state"])
def a_tied_index_is_another(eqx):
    """A call gives the index of a tied layer another key."""

    def renamed(node):
        if isinstance(node, eqx.nn.StateIndex):
            node = jtu.tree_map(lambda leaf: leaf, node)
            object.__setattr__(node, "marker", f"{node.marker}'")
        return node

    def call(real, self):
        is_index = lambda node: isinstance(node, eqx.nn.StateIndex)
        values = jtu.tree_map(renamed, self.get(self.pytree), is_leaf=is_index)
        return eqx.tree_at(self.where, self.pytree, values)

    return _shared(eqx, "RenamingShared", call)
