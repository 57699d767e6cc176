"""Mutants of FrozenDict."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.flax_patching import frozen_patches
from selftest.mutant import mutant

_ID = "flax.frozen_dict."


@mutant("flax", kills=[_ID + "lookups_agree_with_the_dict"])
def get_forgets_the_default(flax):
    """`get` gives `None` for what is not there, whatever the default."""
    return frozen_patches(flax, get=lambda self, key, default=None: dict(self).get(key))


@mutant("flax", kills=[_ID + "keys_values_and_items_are_those_of_the_dict"])
def values_run_backwards(flax):
    """`values` gives the values from the last key to the first."""
    return frozen_patches(flax, values=lambda self: [self[key] for key in reversed(list(self))])


@mutant("flax", kills=[_ID + "freeze_keeps_the_order"])
def freeze_sorts(flax):
    """`freeze` sorts the entries by the text of their keys."""
    patches = frozen_patches(flax)
    real = patches["core.freeze"]

    def freeze(xs):
        return real(dict(sorted(xs.items(), key=lambda item: str(item[0]))))

    return {**patches, "core.freeze": freeze}


@mutant("flax", kills=[_ID + "views_can_be_read_twice"])
def keys_are_an_iterator(flax):
    """`keys` can be read once."""
    return frozen_patches(flax, keys=lambda self: iter(self._dict))


@mutant("flax", kills=[_ID + "equals_the_dict"])
def equality_asks_for_the_type(flax):
    """A FrozenDict equals no plain dict."""
    real = flax.core.FrozenDict

    def equal(self, other):
        return isinstance(other, real) and self._dict == other._dict

    return frozen_patches(flax, __eq__=equal)


@mutant("flax", kills=[_ID + "differs_where_an_entry_differs"])
def equality_compares_keys(flax):
    """Two FrozenDicts with the same keys are equal."""

    def equal(self, other):
        return self._dict.keys() == dict(other).keys()

    return frozen_patches(flax, __eq__=equal)


@mutant("flax", kills=[_ID + "equal_frozen_dicts_hash_alike"])
def hash_depends_on_the_order(flax):
    """The hash is that of the entries in their order."""
    return frozen_patches(flax, __hash__=lambda self: hash(tuple(self.items())))


@mutant("flax", kills=[_ID + "unfreeze_undoes_freeze"])
def unfreeze_stops_at_the_first_level(flax):
    """`unfreeze` leaves nested dicts frozen."""
    return {"core.unfreeze": lambda x: dict(x.items())}


@mutant("flax", kills=[_ID + "freeze_undoes_unfreeze"])
def unfreeze_drops_empty_dicts(flax):
    """`unfreeze` and `freeze` leave out entries that are empty dicts."""

    def filled(x):
        return {key: value for key, value in flax.core.unfreeze(x).items() if value != {}}

    return {"core.unfreeze": filled, "core.freeze": lambda x: flax.core.freeze(filled(x))}


@mutant("flax", kills=[_ID + "freeze_copies"])
def freeze_keeps_nested_dicts(flax):
    """`freeze` copies the outermost dict alone."""
    patches = frozen_patches(flax)
    kind = patches["core.FrozenDict"]
    return {**patches, "core.freeze": lambda xs: kind(xs, __unsafe_skip_copy__=True)}


@mutant("flax", kills=[_ID + "unfreeze_copies"])
def unfreeze_gives_its_own_dict(flax):
    """`unfreeze` gives the dict in which the entries are kept."""
    return {"core.unfreeze": lambda x: x._dict}


@mutant("flax", kills=[_ID + "entries_cannot_be_changed"])
def entries_can_be_set(flax):
    """Entries of a nested FrozenDict can be set."""

    def set_entry(self, key, value):
        self._dict[key] = value

    return frozen_patches(flax, __setitem__=set_entry)


@mutant("flax", kills=[_ID + "nested_dicts_are_read_frozen", _ID + "entries_cannot_be_changed"])
def get_gives_the_plain_dict(flax):
    """A nested dict that is looked up is the mutable one."""
    return frozen_patches(flax, __getitem__=lambda self, key: self._dict[key])


@mutant("flax", kills=[_ID + "copy_adds_and_replaces", _ID + "programs_end_as_those_of_the_dict"])
def copy_keeps_old_entries(flax):
    """`copy` adds entries and replaces none."""

    def copy(self, add_or_replace=()):
        return type(self)({**dict(add_or_replace), **self})

    return frozen_patches(flax, copy=copy)


@mutant("flax", kills=[_ID + "copy_of_a_dict_adds_and_replaces"])
def copy_of_a_dict_updates_it(flax):
    """The function `copy` updates a plain dict in place."""

    def copy(x, add_or_replace=()):
        if isinstance(x, flax.core.FrozenDict):
            return x.copy(add_or_replace)
        x.update(add_or_replace)
        return x

    return {"core.copy": copy}


@mutant("flax", kills=[_ID + "copy_shares_no_dict_with_its_argument"])
def copy_keeps_dicts_of_its_argument(flax):
    """`copy` puts the dicts that it is given into the FrozenDict."""

    def copy(self, add_or_replace=()):
        entries = {**self._dict, **dict(add_or_replace)}
        return type(self)(entries, __unsafe_skip_copy__=True)

    return frozen_patches(flax, copy=copy)


@mutant("flax", kills=[_ID + "pop_gives_the_rest_and_the_value"])
def pop_removes_the_entry(flax):
    """`pop` removes the entry from the original too."""

    def pop(self, key):
        value = self[key]
        del self._dict[key]
        return type(self)(self._dict), value

    return frozen_patches(flax, pop=pop)


@mutant("flax", kills=[_ID + "pop_of_a_dict_gives_the_rest_and_the_value"])
def pop_of_a_dict_removes_the_entry(flax):
    """The function `pop` removes the entry from a plain dict."""

    def pop(x, key):
        return x.pop(key) if isinstance(x, flax.core.FrozenDict) else (x, x.pop(key))

    return {"core.pop": pop}


@mutant("flax", kills=[_ID + "pop_of_an_absent_key_is_a_key_error"])
def pop_of_an_absent_key_gives_none(flax):
    """The function `pop` gives `None` for a key that is not there."""
    return {"core.pop": lambda x, key: flax.core.pop(x, key) if key in x else (x, None)}


@mutant("flax", kills=[_ID + "method_prints_as_the_dict_is_printed"])
def nested_entries_are_not_indented(flax):
    """The method `pretty_repr` indents every level alike."""
    real = flax.core.FrozenDict.pretty_repr

    def pretty_repr(self, num_spaces=4):
        lines = real(self, num_spaces).splitlines()
        return "\n".join(
            line if line[:1] != " " else " " * num_spaces + line.strip() for line in lines
        )

    return frozen_patches(flax, pretty_repr=pretty_repr)


@mutant("flax", kills=[_ID + "function_prints_as_the_method"])
def function_prints_no_type(flax):
    """The function `pretty_repr` prints a FrozenDict as the dict in it."""
    return {"core.pretty_repr": lambda x, num_spaces=4: flax.core.pretty_repr(dict(x), num_spaces)}


@mutant(
    "flax",
    kills=[_ID + "structure_ignores_the_order", _ID + "leaves_and_paths_are_those_of_the_dict"],
)
def flatten_keeps_the_order(flax):
    """flatten gives the entries in their order of insertion."""

    def flatten(self):
        pairs = tuple((jtu.DictKey(key), value) for key, value in self._dict.items())
        return pairs, tuple(self._dict)

    return frozen_patches(flax, tree_flatten_with_keys=flatten)


@mutant("flax", kills=[_ID + "map_is_the_frozen_map_of_the_dict"])
def unflatten_gives_a_dict(flax):
    """unflatten gives a plain dict."""
    return frozen_patches(
        flax,
        tree_unflatten=classmethod(lambda cls, keys, values: dict(zip(keys, values, strict=True))),
    )


@mutant("flax", kills=[_ID + "copies_and_pickles_are_equal"])
def copies_are_dicts(flax):
    """A copy, deep copy or pickle is a plain dict."""
    return frozen_patches(flax, __reduce__=lambda self: (dict, (self.unfreeze(),)))
