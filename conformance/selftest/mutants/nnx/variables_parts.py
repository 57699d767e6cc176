"""Mutants of Variables: hooks, metadata, traces, items and names."""

from __future__ import annotations

import warnings

from selftest.mutant import mutant

_HOOKS, _METADATA = "nnx.hooks.", "nnx.metadata."
_VARIABLES, _VALUES, _ARITHMETIC = "nnx.variables.", "nnx.values.", "nnx.arithmetic."
_NAMES = ("Param", "Cache", "Variable", "BatchStat", "Intermediate")


def _types(nnx, *names, **methods):
    """Return types of Variables, each with some methods replaced."""
    return {
        name: type(nnx.Param)(name, (getattr(nnx, name),), {"__slots__": (), **methods})
        for name in names or _NAMES
    }


@mutant("nnx", kills=[_HOOKS + "hooks_run_in_their_order"])
def hooks_run_backwards(nnx):
    """`get_value` runs the hooks from the last to the first."""

    def get_value(self, **options):
        hooks = self.get_metadata("on_get_value", ())
        value = self.get_raw_value()
        for hook in hooks[::-1] if isinstance(hooks, tuple) else (hooks,):
            value = hook(self, value)
        return value

    return _types(nnx, get_value=get_value)


@mutant("nnx", kills=[_HOOKS + "hooks_of_axes_are_told_in_their_order"])
def the_first_hook_alone_is_told(nnx):
    """`add_axis` tells the first hook alone."""

    def add_axis(self, index, name):
        hooks = self.get_metadata("on_add_axis", ())
        for hook in hooks[:1] if isinstance(hooks, tuple) else (hooks,):
            hook(self, index, name)

    return _types(nnx, add_axis=add_axis)


@mutant("nnx", kills=[_HOOKS + "giving_hooks_warns"])
def initializers_do_not_warn(nnx):
    """`with_metadata` does not warn of hooks."""

    def with_metadata(initializer, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return nnx.with_metadata(initializer, **options)

    return {"with_metadata": with_metadata}


@mutant("nnx", kills=[_METADATA + "names_of_axes_have_one_name"])
def a_former_name_is_kept(nnx):
    """`set_metadata` keeps the name `sharding`."""

    def set_metadata(self, *args, **named):
        nnx.Param.set_metadata(self, *args, **named)
        if "sharding" in named:
            self._var_metadata["sharding"] = named["sharding"]

    return _types(nnx, "Param", set_metadata=set_metadata)


@mutant("nnx", kills=[_METADATA + "former_names_of_axes_warn"])
def former_names_are_quiet(nnx):
    """A former name of `out_sharding` does not warn when a Param is made."""

    def init(self, value, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nnx.Param.__init__(self, value, **options)

    return _types(nnx, "Param", __init__=init)


@mutant("nnx", kills=[_METADATA + "values_are_placed_on_the_mesh"])
def rules_are_ignored(nnx):
    """A Param forgets the rules for the names of its axes."""

    def init(self, value, *, sharding_rules=(), **options):
        nnx.Param.__init__(self, value, **options)

    return _types(nnx, "Param", __init__=init)


@mutant("nnx", kills=[_METADATA + "eager_sharding_needs_a_mesh"])
def sharding_is_never_eager(nnx):
    """A Param without a mesh is made without eager sharding."""

    def init(self, value, **options):
        nnx.Param.__init__(self, value, **{**options, "eager_sharding": "mesh" in options})

    return _types(nnx, "Param", __init__=init)


@mutant("nnx", kills=[_METADATA + "required_entries_stay"])
def required_entries_are_deleted(nnx):
    """`del_metadata` deletes every entry."""
    return _types(nnx, del_metadata=lambda self, name: self._var_metadata.pop(name))


@mutant("nnx", kills=[_METADATA + "metadata_methods_have_their_forms"])
def no_metadata_is_set(nnx):
    """`set_metadata()` does nothing."""

    def set_metadata(self, *args, **named):
        if args or named:
            nnx.Variable.set_metadata(self, *args, **named)

    return _types(nnx, set_metadata=set_metadata)


@mutant("nnx", kills=[_METADATA + "required_entries_are_left_out_on_demand"])
def one_entry_is_left_out(nnx):
    """`exclude_required` leaves out `hijax` alone."""

    def get_metadata(self, *args, exclude_required=None, **named):
        found = nnx.Variable.get_metadata(self, *args, **named)
        if exclude_required:
            del found["hijax"]
        return found

    return _types(nnx, get_metadata=get_metadata)


@mutant("nnx", kills=[_VARIABLES + "changes_stay_in_their_trace"])
def raw_values_are_set_anywhere(nnx):
    """`set_raw_value` sets the value in any trace."""

    def set_raw_value(self, value, **options):
        object.__setattr__(self, "_raw_value", value)

    return _types(nnx, set_raw_value=set_raw_value)


@mutant("nnx", kills=[_VARIABLES + "variables_change_where_they_were_made"])
def metadata_set_in_a_trace_is_lost(nnx):
    """`set_metadata` does nothing for a Variable whose value is traced or constant in a trace."""

    def set_metadata(self, *args, **named):
        if nnx.Variable(0)._trace_state == _START(nnx):
            nnx.Variable.set_metadata(self, *args, **named)

    return _types(nnx, set_metadata=set_metadata)


_states = {}


def _START(nnx):
    """Return the state outside of any trace."""
    return _states.setdefault("start", nnx.Variable(0)._trace_state)


@mutant("nnx", kills=[_VARIABLES + "metadata_is_not_set_as_an_attribute"])
def attributes_become_metadata(nnx):
    """Setting an attribute of a Variable sets metadata."""

    def set_attribute(self, name, value):
        if name.startswith("_") or name in ("value", "raw_value"):
            nnx.Variable.__setattr__(self, name, value)
        else:
            self.set_metadata(name, value)

    return _types(nnx, __setattr__=set_attribute)


@mutant("nnx", kills=[_VALUES + "a_described_value_is_taken_apart"])
def metadata_beside_is_dropped(nnx):
    """A Variable made of a VariableMetadata takes no other metadata."""

    def init(self, value, **options):
        beside = {} if isinstance(value, nnx.VariableMetadata) else options
        nnx.Variable.__init__(self, value, **beside)

    return _types(nnx, __init__=init)


@mutant("nnx", kills=[_VALUES + "two_values_of_a_required_entry_are_refused"])
def the_entry_within_wins(nnx):
    """A required entry in a VariableMetadata wins over the one beside it."""

    def init(self, value, **options):
        held = value.metadata if isinstance(value, nnx.VariableMetadata) else {}
        beside = {name: one for name, one in options.items() if name not in held}
        nnx.Variable.__init__(self, value, **beside)

    return _types(nnx, __init__=init)


@mutant("nnx", kills=[_VALUES + "a_variable_is_made_of_its_parts"])
def from_metadata_shares_the_entries(nnx):
    """`from_metadata` keeps the very dict that it gets."""
    make = lambda cls, value, entries: getattr(cls, "_new")(value, entries)  # noqa: B009
    return _types(nnx, from_metadata=classmethod(make))


@mutant("nnx", kills=[_VALUES + "a_variable_takes_the_state_of_another"])
def states_share_metadata(nnx):
    """`update_from_state` takes the very metadata of the other Variable."""

    def update(self, other):
        object.__setattr__(self, "_raw_value", other.get_raw_value())
        object.__setattr__(self, "_var_metadata", other._var_metadata)

    return _types(nnx, update_from_state=update)


@mutant("nnx", kills=[_VALUES + "raw_values_pass_the_hooks_by"])
def raw_values_are_mapped(nnx):
    """`set_raw_value` sets what `set_value` sets."""
    return _types(nnx, set_raw_value=lambda self, value, **_: self.set_value(value))


@mutant("nnx", kills=[_VALUES + "deprecated_attributes_read_and_write"])
def values_are_read_quietly(nnx):
    """`.value` does not warn."""
    write = lambda self, value: self.set_value(value)
    return _types(nnx, value=property(lambda self: self.get_value(), write))


@mutant("nnx", kills=[_VALUES + "the_text_shows_value_and_metadata"])
def texts_have_no_metadata(nnx):
    """The text of a Variable leaves out its metadata."""

    def parts(self):
        yield from list(nnx.Variable.__nnx_repr__(self))[:2]

    return _types(nnx, __nnx_repr__=parts)


@mutant("nnx", kills=[_VALUES + "items_of_containers_are_read_and_written"])
def items_are_set_by_name_alone(nnx):
    """Setting an item sets the last one of a list."""

    def set_item(self, key, item):
        key = -1 if isinstance(self.get_raw_value(), list) else key
        self.set_value(item, index=key)

    return _types(nnx, __setitem__=set_item)


@mutant("nnx", kills=[_VALUES + "items_of_containers_are_deleted"])
def deleting_clears(nnx):
    """`del variable[key]` deletes every item."""
    return _types(nnx, __delitem__=lambda self, key: self.set_value(type(self.get_raw_value())()))


@mutant("nnx", kills=[_VALUES + "containers_are_copied"])
def values_are_set_as_they_are(nnx):
    """`set_value` takes the very container that it gets."""

    def set_value(self, value, **options):
        if options:
            nnx.Variable.set_value(self, value, **options)
        else:
            self.set_raw_value(value)

    return _types(nnx, set_value=set_value)


@mutant("nnx", kills=[_VALUES + "a_copy_has_its_own_containers"])
def copies_share_containers(nnx):
    """`copy` hands the very value on."""

    def copy(self, **updates):
        return type(self).from_metadata(self.get_raw_value(), {**self.get_metadata(), **updates})

    return _types(nnx, copy=copy, replace=copy)


@mutant("nnx", kills=[_VALUES + "a_variable_acts_as_its_value"])
def calls_take_no_keywords(nnx):
    """Calling a Variable drops the keyword arguments."""
    return _types(nnx, __call__=lambda self, *args, **named: self.get_value()(*args))


@mutant("nnx", kills=[_VALUES + "a_name_has_one_type"])
def names_are_taken_over(nnx):
    """`register_variable_name` gives a name to a second type too."""

    def register(name, *own, overwrite=False):
        return nnx.register_variable_name(name, *own, overwrite=True)

    return {"register_variable_name": register}


@mutant("nnx", kills=[_VALUES + "new_names_are_registered_on_demand"])
def new_types_have_the_common_base(nnx):
    """`variable_type_from_name` makes each new type a subclass of Variable alone."""

    def type_of(name, *, base=None, **options):
        return nnx.variable_type_from_name(name, **options)

    return {"variable_type_from_name": type_of}


@mutant("nnx", kills=[_VALUES + "collections_have_their_types"])
def statistics_are_parameters(nnx):
    """The collection `batch_stats` has the type of parameters."""

    def type_of(name, **options):
        name = "params" if name == "batch_stats" else name
        return nnx.variable_type_from_name(name, **options)

    return {"variable_type_from_name": type_of}


@mutant("nnx", kills=[_ARITHMETIC + "variables_are_not_changed_by_operators"])
def sums_give_arrays(nnx):
    """`variable += other` gives an array."""
    return _types(nnx, __iadd__=lambda self, other: self.get_value() + other)


@mutant("nnx", kills=[_ARITHMETIC + "values_are_changed_by_operators"])
def only_the_first_row_is_set(nnx):
    """`variable[...] = value` sets the first row alone."""

    def set_item(self, key, value):
        self.set_value(self.get_raw_value().at[0].set(value[0]))

    return _types(nnx, __setitem__=set_item)


@mutant("nnx", kills=[_VALUES + "treescope_shows_value_and_metadata"])
def treescope_shows_raw_entries(nnx):
    """Treescope shows a Variable without its metadata."""

    def shown(self, path, render):
        return nnx.Variable.__treescope_repr__(type(self)(self.get_raw_value()), path, render)

    return _types(nnx, __treescope_repr__=shown)


@mutant("nnx", kills=[_HOOKS + "an_overridden_create_value_is_used"])
def copies_are_created_again(nnx):
    """`copy` makes a new Variable of the value."""

    def copy(self, **updates):
        return type(self)(self.get_raw_value(), **self.get_metadata(), **updates)

    return _types(nnx, copy=copy)
