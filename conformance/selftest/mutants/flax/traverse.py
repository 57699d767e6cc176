"""Mutants of `flax.traverse_util`."""

from __future__ import annotations

import warnings

from selftest.mutant import mutant

_ID = "flax.traverse."


def _identity(flax, **methods):
    """Make an identity traversal with other methods."""
    kind = type("TraverseId", (flax.traverse_util.TraverseId,), methods)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return {"traverse_util.t_identity": kind()}


@mutant("flax", kills=[_ID + "unflatten_undoes_flatten"])
def unflatten_drops_empty_nodes(flax):
    """`unflatten_dict` leaves out empty nodes."""
    util = flax.traverse_util

    def unflatten_dict(xs, sep=None):
        kept = {key: value for key, value in xs.items() if value is not util.empty_node}
        return util.unflatten_dict(kept, sep=sep)

    return {"traverse_util.unflatten_dict": unflatten_dict}


@mutant("flax", kills=[_ID + "empty_dicts_are_ignored"])
def empty_nodes_are_always_kept(flax):
    """`flatten_dict` keeps empty dicts, asked or not."""
    util = flax.traverse_util

    def flatten_dict(xs, keep_empty_nodes=False, is_leaf=None, sep=None):
        return util.flatten_dict(xs, True, is_leaf, sep)

    return {"traverse_util.flatten_dict": flatten_dict}


@mutant("flax", kills=[_ID + "flat_keys_lead_to_the_leaves"])
def flat_keys_are_text(flax):
    """`flatten_dict` makes text of the keys."""
    util = flax.traverse_util

    def flatten_dict(xs, keep_empty_nodes=False, is_leaf=None, sep=None):
        flat = util.flatten_dict(xs, keep_empty_nodes, is_leaf, sep)
        return flat if sep else {tuple(map(str, path)): leaf for path, leaf in flat.items()}

    return {"traverse_util.flatten_dict": flatten_dict}


@mutant("flax", kills=[_ID + "flatten_keeps_the_order"])
def flatten_turns_the_order_around(flax):
    """`flatten_dict` begins at the last entry."""
    util = flax.traverse_util

    def flatten_dict(xs, keep_empty_nodes=False, is_leaf=None, sep=None):
        return dict(reversed(util.flatten_dict(xs, keep_empty_nodes, is_leaf, sep).items()))

    return {"traverse_util.flatten_dict": flatten_dict}


@mutant("flax", kills=[_ID + "separator_joins_and_parts_the_keys"])
def keys_are_parted_once(flax):
    """`unflatten_dict` parts a key at the first separator alone."""
    util = flax.traverse_util

    def unflatten_dict(xs, sep=None):
        if sep is not None:
            xs = {tuple(key.split(sep, 1)): value for key, value in xs.items()}
        return util.unflatten_dict(xs)

    return {"traverse_util.unflatten_dict": unflatten_dict}


@mutant("flax", kills=[_ID + "is_leaf_stops_the_descent"])
def is_leaf_is_ignored_here(flax):
    """`flatten_dict` goes on below what `is_leaf` accepts."""
    util = flax.traverse_util

    def flatten_dict(xs, keep_empty_nodes=False, is_leaf=None, sep=None):
        return util.flatten_dict(xs, keep_empty_nodes, None, sep)

    return {"traverse_util.flatten_dict": flatten_dict}


@mutant("flax", kills=[_ID + "flattening_leaves_the_dict_alone"])
def unflatten_consumes_the_flat_form(flax):
    """`unflatten_dict` takes the entries out of the flat form."""
    util = flax.traverse_util

    def unflatten_dict(xs, sep=None):
        taken = {key: xs.pop(key) for key in list(xs)}
        return util.unflatten_dict(taken, sep=sep)

    return {"traverse_util.unflatten_dict": unflatten_dict}


@mutant("flax", kills=[_ID + "empty_nodes_survive_a_tree_map", _ID + "unflatten_undoes_flatten"])
def falsy_leaves_are_empty_nodes(flax):
    """`unflatten_dict` asks whether a value is true, not whether it is the empty node."""
    util = flax.traverse_util

    def unflatten_dict(xs, sep=None):
        return util.unflatten_dict({key: value or {} for key, value in xs.items()}, sep=sep)

    return {"traverse_util.unflatten_dict": unflatten_dict}


@mutant("flax", kills=[_ID + "path_aware_map_knows_the_path"])
def map_gets_the_last_key(flax):
    """`path_aware_map` gives the function the last key in the place of the path."""
    util = flax.traverse_util

    def path_aware_map(f, nested_dict):
        return util.path_aware_map(lambda path, leaf: f(path[-1:], leaf), nested_dict)

    return {"traverse_util.path_aware_map": path_aware_map}


@mutant("flax", kills=[_ID + "path_aware_map_knows_the_path"])
def map_drops_empty_dicts(flax):
    """`path_aware_map` leaves out empty dicts."""
    util = flax.traverse_util

    def path_aware_map(f, nested_dict):
        flat = util.flatten_dict(nested_dict)
        return util.unflatten_dict({path: f(path, leaf) for path, leaf in flat.items()})

    return {"traverse_util.path_aware_map": path_aware_map}


@mutant(
    "flax", kills=[_ID + "update_changes_what_iterate_gives", _ID + "set_takes_one_value_an_item"]
)
def update_changes_nothing(flax):
    """`update` calls the function and gives the data as it was."""

    def update(self, fn, inputs):
        fn(inputs)
        return inputs

    return _identity(flax, update=update)


@mutant("flax", kills=[_ID + "traversals_leave_the_data_alone"])
def update_works_in_place(flax):
    """`update` writes into a list or dict."""

    def update(self, fn, inputs):
        changed = fn(inputs)
        if type(inputs) is list and type(changed) is list:
            inputs[:] = changed
        elif type(inputs) is dict and type(changed) is dict:
            inputs.update(changed)
        return changed

    return _identity(flax, update=update)


@mutant("flax", kills=[_ID + "set_takes_one_value_an_item"])
def set_takes_too_many_values(flax):
    """`set` ignores values that are left."""

    def set_values(self, values, inputs):
        return self.update(lambda _: values.pop(0), inputs)

    return _identity(flax, set=set_values)


@mutant("flax", kills=[_ID + "setting_the_items_back_undoes_an_update"])
def update_changes_another_item(flax):
    """`update` changes the item that a traversal of a list does not select."""

    def update(self, fn, inputs):
        changed = fn(inputs)
        has_another = type(inputs) is list and inputs[-1:] == [0]
        return [*changed[:-1], 1] if has_another else changed

    return _identity(flax, update=update)


@mutant("flax", kills=[_ID + "parameters_are_selected_by_name"])
def selection_gives_a_dict(flax):
    """ModelParamTraversal gives a plain dict for a FrozenDict."""

    def update(self, fn, inputs):
        return flax.core.unfreeze(real.update(self, fn, inputs))

    real = flax.traverse_util.ModelParamTraversal
    return {"traverse_util.ModelParamTraversal": type("Selecting", (real,), {"update": update})}


@mutant("flax", kills=[_ID + "parameters_are_selected_by_name"])
def names_begin_without_a_slash(flax):
    """ModelParamTraversal calls parameters `module/name`."""
    real = flax.traverse_util.ModelParamTraversal

    def init(self, filter_fn):
        real.__init__(self, lambda name, leaf: filter_fn(name[1:], leaf))

    return {"traverse_util.ModelParamTraversal": type("Selecting", (real,), {"__init__": init})}
