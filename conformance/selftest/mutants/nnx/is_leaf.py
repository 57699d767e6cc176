"""Mutants of how Variables and states meet `is_leaf`."""

from __future__ import annotations

from selftest.mutant import mutant
from treelaws.compat import nnx as nnx_api

from ._patching import registered

_ID = "nnx.is_leaf."


@mutant("nnx", kills=[_ID + "only_a_selected_variable_is_handed_over"])
def a_variable_is_no_tree(nnx):
    """JAX does not know Params, as up to flax 0.10.6."""
    return {"Param": registered(nnx.Param, None, lambda *args: None)}


@mutant("nnx", kills=[_ID + "is_leaf_filters_nothing"])
def a_variable_is_flattened_once(nnx):
    """A Param gives its value away when it is flattened for the first time."""

    def flatten(variable):
        metadata = tuple(sorted(variable.get_metadata().items()))
        value = variable.get_raw_value()
        variable.set_raw_value((), _unsafe_bypass_check=True)
        return [value], metadata

    def unflatten(cls, metadata, children):
        return cls.from_metadata(children[0], dict(metadata))

    return {"Param": registered(nnx.Param, flatten, unflatten)}


@mutant("nnx", kills=[_ID + "every_function_stops_at_the_same_nodes"])
def key_paths_turn_states_around(nnx):
    """Flattened with key paths, a State gives its items in the reverse order."""

    def flatten(state):
        pairs = sorted(state.raw_mapping.items())
        return [value for _, value in pairs], tuple(key for key, _ in pairs)

    def keyed(state):
        pairs = sorted(state.raw_mapping.items(), reverse=True)
        return [(key, value) for key, value in pairs], tuple(key for key, _ in pairs)

    def unflatten(cls, keys, children):
        return cls(zip(keys, children, strict=True))

    return {"State": registered(nnx.State, flatten, unflatten, keyed)}


@mutant("nnx", kills=[_ID + "selected_variables_keep_their_metadata"])
def replace_forgets_metadata(nnx):
    """`replace` makes a Param without metadata."""

    def replace(self, value):
        return type(self)(value)

    slots = {"__slots__": (), "replace": replace}
    return {"Param": type(nnx.Param)("Param", (nnx.Param,), slots)}


@mutant("nnx", kills=[_ID + "as_pure_maps_variables_to_values"])
def as_pure_knows_params_alone(nnx):
    """`as_pure` leaves Variables that are no Params."""

    def as_pure(tree):
        import jax

        def pure(node):
            return nnx_api.raw_value(node) if isinstance(node, nnx.Param) else node

        return jax.tree.map(pure, tree, is_leaf=lambda node: isinstance(node, nnx.Variable))

    return {"as_pure": as_pure} if hasattr(nnx, "as_pure") else {}


@mutant("nnx", kills=[_ID + "flatten_mapping_stops_where_it_is_told"])
def flatten_mapping_goes_on(nnx):
    """`flatten_mapping` does not look at `is_leaf`."""

    def flatten_mapping(xs, /, *, is_leaf=None, **options):
        return nnx.traversals.flatten_mapping(xs, **options)

    return {"traversals.flatten_mapping": flatten_mapping}
