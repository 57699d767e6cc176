"""Mutants of `register_dataclass`."""

from __future__ import annotations

import dataclasses

from selftest.mutant import mutant

_DATA = "jax.dataclasses"


def _register(jax, change):
    """Patch `register_dataclass`; `change(cls, data, meta, drop)` gives other lists."""

    def register_dataclass(cls, data_fields=None, meta_fields=None, drop_fields=()):
        data, meta, drop = change(cls, data_fields, meta_fields, drop_fields)
        if drop:
            return jax.tree_util.register_dataclass(cls, data, meta, drop)
        return jax.tree_util.register_dataclass(cls, data, meta)

    return {"tree_util.register_dataclass": register_dataclass}


@mutant("jax", kills=[f"{_DATA}.children_are_the_data_fields"])
def the_first_data_field_is_metadata(jax):
    """The first of several data fields becomes metadata."""

    def change(cls, data, meta, drop):
        return (data, meta, drop) if not data else (data[1:], [*meta, data[0]], drop)

    return _register(jax, change)


@mutant("jax", kills=[f"{_DATA}.children_are_ordered_and_named_as_the_data_fields"])
def data_fields_are_sorted(jax):
    """The data fields are sorted by name."""
    return _register(
        jax, lambda cls, data, meta, drop: (data if data is None else sorted(data), meta, drop)
    )


@mutant("jax", kills=[f"{_DATA}.instance_is_rebuilt", f"{_DATA}.metadata_is_structure"])
def metadata_is_dropped(jax):
    """Metadata is left out of the tree."""
    return _register(jax, lambda cls, data, meta, drop: (data, meta and [], [*drop, *(meta or ())]))


@mutant("jax", kills=[f"{_DATA}.fields_without_init_are_made_again"])
def fields_without_init_are_wanted(jax):
    """Fields that `__init__` does not take are data."""

    def change(cls, data, meta, drop):
        fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
        added = [field.name for field in fields if not field.init]
        return data if data is None else [*data, *added], meta, drop

    return _register(jax, change)


@mutant("jax", kills=[f"{_DATA}.dropped_fields_are_no_part_of_the_tree"])
def one_field_is_dropped(jax):
    """Only the first of several fields is dropped."""
    return _register(jax, lambda cls, data, meta, drop: (data, meta, drop[:1]))


@mutant("jax", kills=[f"{_DATA}.dropped_fields_come_back_as_defaults"])
def dropped_fields_come_back_as_they_were(jax):
    """Dropped fields are kept aside and come back with the values they had."""

    def register_dataclass(cls, data_fields=(), meta_fields=(), drop_fields=()):
        kept = {}

        def flatten(node):
            kept.update({name: getattr(node, name) for name in drop_fields})
            aux = tuple(getattr(node, name) for name in meta_fields)
            return tuple(getattr(node, name) for name in data_fields), aux

        def unflatten(aux, children):
            data = dict(zip(data_fields, children, strict=True))
            return cls(**data, **dict(zip(meta_fields, aux, strict=True)), **kept)

        jax.tree_util.register_pytree_node(cls, flatten, unflatten)
        return cls

    return {"tree_util.register_dataclass": register_dataclass}


@mutant("jax", kills=[f"{_DATA}.listed_field_cannot_be_dropped"])
def lists_win_over_drop_fields(jax):
    """A field that is listed and dropped is not dropped."""

    def change(cls, data, meta, drop):
        return data, meta, [name for name in drop if name not in {*(data or ()), *(meta or ())}]

    return _register(jax, change)


@mutant("jax", kills=[f"{_DATA}.refused_class_can_be_registered_rightly"])
def refused_classes_are_registered(jax):
    """A class whose fields are refused is registered all the same."""

    def register_dataclass(cls, *args, **options):
        try:
            return jax.tree_util.register_dataclass(cls, *args, **options)
        except ValueError:
            jax.tree_util.register_static(cls)
            raise

    return {"tree_util.register_dataclass": register_dataclass}


@mutant("jax", kills=[f"{_DATA}.fields_are_data_unless_marked_static"])
def marks_are_ignored(jax):
    """Without lists every field is data."""

    def change(cls, data, meta, drop):
        if data is None and meta is None:
            data = [field.name for field in dataclasses.fields(cls) if field.name not in drop]
            meta = []
        return data, meta, drop

    return _register(jax, change)


@mutant(
    "jax",
    kills=[
        f"{_DATA}.static_is_a_field_that_is_marked",
        f"{_DATA}.fields_are_data_unless_marked_static",
    ],
)
def static_with_a_default_is_not_marked(jax):
    """`jax.tree.static` marks nothing where it is given a default."""

    def static(**options):
        make = dataclasses.field if "default" in options else jax.tree.static
        return make(**options)

    return {"tree.static": static}


@mutant("jax", kills=[f"{_DATA}.lists_come_together_or_not_at_all"])
def missing_list_is_empty(jax):
    """A list that is not given is empty."""
    return _register(jax, lambda cls, data, meta, drop: (data or [], meta or [], drop))


@mutant("jax", kills=["jax.dataclasses.any_dataclass_can_be_registered_without_lists"])
def fields_marked_static_are_data(jax):
    """`register_dataclass` without lists takes every field for data."""

    def register(kind, data_fields=None, meta_fields=None, **options):
        if data_fields is None:
            fields = dataclasses.fields(kind)
            data_fields, meta_fields = [field.name for field in fields if field.init], []
        return jax.tree_util.register_dataclass(kind, data_fields, meta_fields, **options)

    return {"tree_util.register_dataclass": register}
