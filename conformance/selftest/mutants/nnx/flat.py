"""Mutants of flat states."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "nnx.flat."


def _texts(tree):
    if not isinstance(tree, dict):
        return tree
    return {str(key): _texts(value) for key, value in tree.items()}


@mutant("nnx", kills=[_ID + "a_state_comes_back_from_its_flat_form"])
def flat_keys_come_back_as_texts(nnx):
    """`from_flat_state` makes texts of keys."""

    def from_flat_state(flat, **options):
        pairs = flat.items() if isinstance(flat, dict) else flat
        named = {tuple(map(str, path)): leaf for path, leaf in pairs}
        return nnx.from_flat_state(named, **options)

    return {"from_flat_state": from_flat_state}


@mutant("nnx", kills=[_ID + "a_flat_path_leads_to_its_leaf"])
def flat_paths_are_turned_around(nnx):
    """`to_flat_state` gives each path from its leaf to the root."""

    def to_flat_state(state):
        pairs = [(path[::-1], leaf) for path, leaf in nnx.to_flat_state(state)]
        return nnx.FlatState(pairs, sort=False)

    return {"to_flat_state": to_flat_state}


@mutant("nnx", kills=[_ID + "a_flat_state_is_a_sequence"])
def flat_states_are_not_sorted(nnx):
    """`to_flat_state` gives the last path first."""

    def to_flat_state(state):
        return nnx.FlatState(list(nnx.to_flat_state(state))[::-1], sort=False)

    return {"to_flat_state": to_flat_state}


@mutant("nnx", kills=[_ID + "a_flat_state_is_a_tree"])
def a_flat_state_is_a_list(nnx):
    """`to_flat_state` gives a list of pairs."""

    def to_flat_state(state):
        return list(nnx.to_flat_state(state))

    return {"to_flat_state": to_flat_state}


@mutant("nnx", kills=[_ID + "mappings_come_back_from_their_flat_form"])
def empty_mappings_are_dropped(nnx):
    """`flatten_mapping` drops empty mappings, whatever `keep_empty_nodes` is."""

    def flatten_mapping(xs, /, *, keep_empty_nodes=False, **options):
        return nnx.traversals.flatten_mapping(xs, **options)

    return {"traversals.flatten_mapping": flatten_mapping}


@mutant("nnx", kills=[_ID + "what_a_module_is_split_into_is_copied"])
def a_copied_state_is_empty(nnx):
    """A copy of the State of a module is empty."""

    class State(nnx.State):
        def __copy__(self):
            return type(self)({})

    return {"state": lambda node, *filters: State(nnx.state(node, *filters).raw_mapping)}


def _with(nnx, **methods):
    """Return a mutant whose flat states have other methods."""
    flat_state = type("FlatState", (nnx.FlatState,), {"__slots__": (), **methods})

    def to_flat_state(state):
        return flat_state(list(nnx.to_flat_state(state)), sort=False)

    return {"to_flat_state": to_flat_state, "FlatState": flat_state}


@mutant("nnx", kills=[_ID + "a_flat_state_is_grouped_as_the_state"])
def a_part_of_a_flat_state_lacks_a_pair(nnx):
    """`FlatState.split` drops the first pair of the last part."""

    def split(self, *filters):
        parts = nnx.FlatState.split(self, *filters)
        if type(parts) is not tuple:
            return nnx.FlatState(list(parts)[1:], sort=False)
        return (*parts[:-1], nnx.FlatState(list(parts[-1])[1:], sort=False))

    return _with(nnx, split=split)


@mutant("nnx", kills=[_ID + "merge_undoes_split_of_a_flat_state"])
def merged_flat_states_are_not_sorted(nnx):
    """`FlatState.merge` appends the pairs of each part to those before."""

    def merge(self, *parts):
        return nnx.FlatState([pair for part in (self, *parts) for pair in part], sort=False)

    return _with(nnx, merge=merge)


@mutant("nnx", kills=[_ID + "flatten_is_a_flat_split"])
def flatten_gives_a_list(nnx):
    """`flatten` gives a list of pairs."""
    if not hasattr(nnx, "flatten"):
        return {}

    def flatten(node, *args, **options):
        graphdef, flat, *more = nnx.flatten(node, *args, **options)
        return graphdef, list(flat), *more

    return {"flatten": flatten}


@mutant("nnx", kills=[_ID + "a_state_is_of_the_class_asked_for"])
def merged_states_are_of_one_class(nnx):
    """`merge_state` gives a State, whatever `cls` is."""
    return {"merge_state": lambda *states, cls=None: nnx.merge_state(*states)}


@mutant("nnx", kills=[_ID + "an_index_keeps_what_is_shared"])
def unflatten_begins_an_index(nnx):
    """`unflatten` does not look at `index_ref`."""
    if not hasattr(nnx, "unflatten"):
        return {}
    return {"unflatten": lambda *parts, index_ref=None, **more: nnx.unflatten(*parts, **more)}
