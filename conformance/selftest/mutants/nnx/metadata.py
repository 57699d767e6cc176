"""Mutants of the metadata of Variables."""

from __future__ import annotations

from selftest.mutant import mutant
from treelaws.laws.nnx._model import variables_of

from ._patching import forget, registered

_ID = "nnx.metadata."


def _param(nnx, **methods):
    return {"Param": type(nnx.Param)("Param", (nnx.Param,), {"__slots__": (), **methods})}


class _Equal(dict):
    def __eq__(self, other):
        return isinstance(other, _Equal)

    def __ne__(self, other):
        return not isinstance(other, _Equal)

    def __hash__(self):  # pyright: ignore[reportIncompatibleVariableOverride]
        return 0


@mutant("nnx", kills=[_ID + "what_was_given_is_there"])
def a_private_name_is_dropped(nnx):
    """A Param takes no metadata whose name begins with an underscore."""

    def init(self, value, **metadata):
        public = {name: one for name, one in metadata.items() if not name.startswith("_")}
        nnx.Param.__init__(self, value, **public)

    return _param(nnx, __init__=init)


@mutant("nnx", kills=[_ID + "metadata_stays_with_a_variable"])
def clone_forgets_the_rank(nnx):
    """`clone` and `merge` forget the rank of Variables."""
    return {
        "clone": lambda node, **options: forget(nnx.clone(node, **options), "rank", "first"),
        "merge": lambda *args, **options: forget(nnx.merge(*args, **options), "rank", "first"),
    }


@mutant("nnx", kills=[_ID + "a_copy_has_metadata_of_its_own"])
def clones_share_metadata(nnx):
    """The Variables of a clone have the very metadata of the first ones."""

    def clone(node, *args, **options):
        made = nnx.clone(node, *args, **options)
        for (_, one), (_, other) in zip(variables_of(made), variables_of(node), strict=True):
            object.__setattr__(one, "_var_metadata", other._var_metadata)
        return made

    return {"clone": clone}


@mutant("nnx", kills=[_ID + "set_metadata_sets_entries"])
def set_metadata_replaces(nnx):
    """`set_metadata(name=value)` drops the entries that it does not name."""

    def set_metadata(self, *args, **entries):
        if entries:
            nnx.Param.set_metadata(self, entries)
        else:
            nnx.Param.set_metadata(self, *args)

    return _param(nnx, set_metadata=set_metadata)


@mutant("nnx", kills=[_ID + "set_metadata_replaces_everything"])
def set_metadata_adds(nnx):
    """`set_metadata(mapping)` keeps the entries that it does not name."""

    def set_metadata(self, *args, **entries):
        if len(args) == 1 and args[0]:
            nnx.Param.set_metadata(self, **args[0])
        elif len(args) != 1:
            nnx.Param.set_metadata(self, *args, **entries)

    return _param(nnx, set_metadata=set_metadata)


@mutant("nnx", kills=[_ID + "one_entry_is_looked_up"])
def missing_metadata_is_none(nnx):
    """`get_metadata` of a name that is not there is `None`."""

    def get_metadata(self, name=None, default=None, **options):
        if name is None:
            return nnx.Param.get_metadata(self, **options)
        return nnx.Param.get_metadata(self).get(name, default)

    return _param(nnx, get_metadata=get_metadata)


@mutant("nnx", kills=[_ID + "one_entry_is_deleted"])
def one_entry_takes_all_with_it(nnx):
    """`del_metadata` deletes every entry."""
    return _param(nnx, del_metadata=lambda self, name: nnx.Param.set_metadata(self, {}))


@mutant("nnx", kills=[_ID + "metadata_is_set_where_a_filter_matches"])
def set_metadata_ignores_the_filter(nnx):
    """`nnx.set_metadata` sets metadata on each Variable."""

    def set_metadata(node, /, *, only=..., **metadata):
        nnx.set_metadata(node, **metadata)

    return {"set_metadata": set_metadata}


@mutant("nnx", kills=[_ID + "with_metadata_passes_it_on"])
def with_metadata_drops_it(nnx):
    """`with_metadata` gives the initializer back."""
    return {"with_metadata": lambda initializer, **metadata: initializer}


@mutant("nnx", kills=[_ID + "update_takes_metadata_over"])
def update_takes_values_alone(nnx):
    """`update` leaves metadata as it was."""

    def update(node, state, *states):
        before = [(one, one.get_metadata()) for _, one in variables_of(node)]
        nnx.update(node, state, *states)
        for one, metadata in before:
            one.set_metadata(metadata)

    return {"update": update}


@mutant("nnx", kills=[_ID + "metadata_is_not_that_of_an_earlier_call"])
def metadata_is_no_part_of_the_structure(nnx):
    """The structures of two Params are equal whatever their metadata are."""

    def flatten(variable):
        return [variable.get_raw_value()], _Equal(variable.get_metadata())

    def unflatten(cls, metadata, children):
        return cls.from_metadata(children[0], dict(metadata))

    return {"Param": registered(nnx.Param, flatten, unflatten)}


@mutant(
    "nnx",
    kills=[
        _ID + "wrapped_initializers_take_all_arguments",
        _ID + "wrapped_initializers_make_the_value",
    ],
)
def wrapped_initializers_forget_the_last_argument(nnx):
    """A wrapped function is called without its last argument, if it has several."""

    def with_metadata(function, *args, **named):
        shorter = lambda *given: function(*given[:2]) if len(given) > 2 else function(*given[:1])
        return nnx.with_metadata(shorter, *args, **named)

    return {"with_metadata": with_metadata}
