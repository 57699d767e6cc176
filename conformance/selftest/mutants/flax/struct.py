"""Mutants of `flax.struct`."""

from __future__ import annotations

import dataclasses

import jax.tree_util as jtu

from selftest.flax_patching import register_in_order, struct_patches
from selftest.mutant import mutant

_ID = "flax.struct."


def _values(node, names):
    return [getattr(node, name) for name in names]


def _registration(aux, key=jtu.GetAttrKey):
    """Register with aux data of one's own, of which unflatten sets the static fields."""

    def register(kind, data, meta):
        def keyed(node):
            keys = data if key is jtu.GetAttrKey else range(len(data))
            return tuple(zip(map(key, keys), _values(node, data), strict=True)), aux(node, meta)

        def unflatten(static, children):
            node = object.__new__(kind)
            for name, value in zip((*data, *meta), (*children, *static), strict=True):
                object.__setattr__(node, name, value)
            return node

        jtu.register_pytree_with_keys(kind, keyed, unflatten)

    return register


@mutant(
    "flax", kills=[_ID + "leaves_are_those_of_the_data_fields", _ID + "keys_are_the_field_names"]
)
def fields_are_sorted(flax):
    """The children are sorted by the names of the fields."""

    def register(kind, data, meta):
        register_in_order(kind, sorted(data), meta)

    return struct_patches(register=register)


@mutant(
    "flax",
    kills=[
        _ID + "static_fields_are_untouched_by_a_map",
        _ID + "leaves_are_those_of_the_data_fields",
    ],
)
def static_fields_are_leaves(flax):
    """`pytree_node=False` is ignored: every field is data."""

    def register(kind, data, meta):
        register_in_order(kind, [*data, *meta], [])

    return struct_patches(register=register)


@mutant("flax", kills=[_ID + "static_values_are_in_the_treedef"])
def static_values_are_not_compared(flax):
    """Static values travel in aux data that is always equal."""

    class Loose(tuple):
        __slots__ = ()
        __eq__ = lambda self, other: True
        __ne__ = lambda self, other: False
        __hash__ = lambda self: 0

    return struct_patches(register=_registration(lambda node, names: Loose(_values(node, names))))


@mutant("flax", kills=[_ID + "static_fields_are_untouched_by_a_map"])
def static_values_become_text(flax):
    """unflatten sets static fields to the text of their values."""
    register = _registration(lambda node, names: tuple(map(str, _values(node, names))))
    return struct_patches(register=register)


@mutant("flax", kills=[_ID + "keys_are_the_field_names"])
def children_are_numbered(flax):
    """The children are keyed by their numbers."""
    register = _registration(lambda node, names: tuple(_values(node, names)), jtu.SequenceKey)
    return struct_patches(register=register)


@mutant("flax", kills=[_ID + "fields_are_frozen", _ID + "options_reach_the_dataclass"])
def classes_are_mutable(flax):
    """Classes are frozen only where the caller says so."""
    return struct_patches(options=lambda given: {**given, "frozen": False})


@mutant("flax", kills=[_ID + "errors_are_those_of_a_frozen_dataclass"])
def frozen_fields_raise_type_errors(flax):
    """A frozen class raises TypeError where a field is set or deleted."""

    def refuse(self, *args):
        raise TypeError("frozen")

    def finish(kind):
        if kind.__dataclass_params__.frozen:
            kind.__setattr__ = kind.__delattr__ = refuse

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "replace_changes_the_named_fields_alone"])
def replace_resets_defaults(flax):
    """`replace` sets the other fields that have a default back to it."""

    def finish(kind):
        def replace(self, **updates):
            defaults = {
                field.name: field.default
                for field in dataclasses.fields(self)
                if field.default is not dataclasses.MISSING
            }
            return dataclasses.replace(self, **{**defaults, **updates})

        kind.replace = replace

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "replace_leaves_the_original_alone"])
def replace_works_in_place(flax):
    """`replace` writes into the instance and gives it back."""

    def finish(kind):
        def replace(self, **updates):
            for name, value in updates.items():
                object.__setattr__(self, name, value)
            return self

        kind.replace = replace

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "replace_refuses_what_is_no_field"])
def replace_ignores_what_is_no_field(flax):
    """`replace` drops names that are no fields."""

    def finish(kind):
        def replace(self, **updates):
            names = {field.name for field in dataclasses.fields(self)}
            return dataclasses.replace(self, **{n: updates[n] for n in updates if n in names})

        kind.replace = replace

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "constructor_arguments_are_the_attributes"])
def constructor_ignores_what_is_no_field(flax):
    """The constructor drops keyword arguments that are no fields."""

    def finish(kind):
        real = kind.__init__

        def init(self, *args, **keywords):
            names = {field.name for field in dataclasses.fields(self)}
            real(self, *args, **{name: keywords[name] for name in keywords if name in names})

        kind.__init__ = init

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "field_keeps_metadata_and_options"])
def field_forgets_metadata(flax):
    """`field` replaces the user's metadata by its own."""

    def field(pytree_node=True, *, metadata=None, **keywords):
        return dataclasses.field(metadata={"pytree_node": pytree_node}, **keywords)

    return {"struct.field": field}


@mutant("flax", kills=[_ID + "options_reach_the_dataclass"])
def options_are_dropped(flax):
    """The decorator takes keyword arguments and uses `frozen` and `kw_only` alone."""
    kept = ("frozen", "kw_only")
    return struct_patches(
        options=lambda given: {name: given[name] for name in kept if name in given}
    )


@mutant("flax", kills=[_ID + "decorating_twice_changes_nothing"])
def decorating_twice_makes_a_subclass(flax):
    """The decorator gives a new class for one that it has decorated already."""

    def dataclass(cls=None, **options):
        if cls is not None and "_flax_dataclass" in vars(cls):
            return type(cls.__name__, (cls,), {})
        return flax.struct.dataclass(cls, **options)

    return {"struct.dataclass": dataclass}


@mutant("flax", kills=[_ID + "generic_alias_makes_the_same_node"])
def aliases_make_lists(flax):
    """A subscripted class makes a list of its arguments."""

    def finish(kind):
        kind.__class_getitem__ = classmethod(lambda cls, _: lambda **given: list(given.values()))

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "equal_instances_hash_alike"])
def hash_is_that_of_the_object(flax):
    """Instances compare by their fields and hash by their identity."""

    def finish(kind):
        kind.__hash__ = object.__hash__

    return struct_patches(finish=finish)


@mutant("flax", kills=[_ID + "class_keywords_are_options_of_the_dataclass"])
def keywords_of_nodes_are_lost(flax):
    """A PyTreeNode ignores its class keywords."""

    class PyTreeNode:
        def __init_subclass__(cls, **kwargs):
            flax.struct.dataclass(cls)

    return {"struct.PyTreeNode": PyTreeNode}
