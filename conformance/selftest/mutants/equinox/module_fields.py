"""Mutants of what a Module's fields are."""

from __future__ import annotations

import dataclasses
import inspect

import jax.tree_util as jtu

from selftest.module_patching import broken_module, field_names
from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.module.fields.children_are_keyed_by_field"])
def keys_run_backwards(eqx):
    """Children get the keys of the fields from the last to the first."""

    def registration(found):
        real = found.flatten_with_keys

        def flatten_with_keys(node):
            pairs, aux = real(node)
            keys = [key for key, _ in reversed(pairs)]
            return tuple(zip(keys, [child for _, child in pairs], strict=True)), aux

        found.flatten_with_keys = flatten_with_keys

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.fields.leaves_are_those_of_the_fields"])
def default_becomes_a_leaf(eqx):
    """A field left at its class-level default flattens to a placeholder that is a leaf."""

    def registration(found):
        def change(node, children):
            names = field_names(type(node), static=False)
            unset = [name not in vars(node) for name in names]
            return [object() if gone else x for gone, x in zip(unset, children, strict=True)]

        found.map_children(change)

    return {"Module": broken_module(eqx, registration=registration)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.fields.static_fields_are_no_leaves",
        "equinox.module.fields.static_values_are_in_the_treedef",
        "equinox.module.fields.metadata_is_kept",
    ],
)
def metadata_replaces_static(eqx):
    """`field(static=True, metadata=...)` forgets `static`, and otherwise the metadata."""

    def field(*, metadata=None, **keywords):
        if metadata is None:
            return eqx.field(**keywords)
        keywords.pop("static", None)
        return eqx.field(**keywords, metadata=dict.fromkeys(metadata))

    return {"field": field}


@mutant("equinox", kills=["equinox.module.fields.static_fields_are_no_leaves"])
def inherited_static_fields_are_leaves(eqx):
    """A subclass adds the static fields of its base classes to its children."""

    def registration(found):
        own = inspect.get_annotations(found.cls)
        names = [name for name in field_names(found.cls, static=True) if name not in own]
        keyed, plain, real = found.flatten_with_keys, found.flatten, found.unflatten
        if not names:
            return

        def flatten_with_keys(node):
            pairs, aux = keyed(node)
            more = [(jtu.GetAttrKey(name), getattr(node, name, None)) for name in names]
            return (*pairs, *more), aux

        def flatten(node):
            children, aux = plain(node)
            return (*children, *(getattr(node, name, None) for name in names)), aux

        def unflatten(aux, children):
            return real(aux, tuple(children)[: len(children) - len(names)])

        found.flatten_with_keys, found.flatten = flatten_with_keys, flatten
        found.unflatten = unflatten

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.fields.static_values_survive_a_round_trip"])
def unflatten_resets_static_fields(eqx):
    """Unflatten takes a static field from its default where it has one, not from the treedef."""

    def registration(found):
        def change(node):
            for field in dataclasses.fields(node):
                if (field.metadata.get("static") and not field.init) or field.kw_only:
                    object.__setattr__(node, field.name, None)

        found.after_unflatten(change)

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.fields.static_values_are_in_the_treedef"])
def static_fields_compare_by_type(eqx):
    """Treedefs compare the types of static values only."""

    class ByType:
        def __init__(self, real):
            self.real = real

        def __eq__(self, other):
            return isinstance(other, ByType)

        def __hash__(self):
            return 1

    def registration(found):
        keyed, plain, real = found.flatten_with_keys, found.flatten, found.unflatten

        def wrapped(flatten):
            def change(node):
                children, aux = flatten(node)
                return children, ByType(aux)

            return change

        found.flatten_with_keys, found.flatten = wrapped(keyed), wrapped(plain)
        found.unflatten = lambda aux, children: real(aux.real, children)

    return {"Module": broken_module(eqx, registration=registration)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.fields.constructor_agrees_with_dataclass",
        "equinox.module.fields.signature_agrees_with_dataclass",
        "equinox.module.fields.constructor_refuses_wrong_arguments",
    ],
)
def constructor_takes_defaults_first(eqx):
    """A class that adds a field makes every field optional, with the default None."""

    def finish(cls):
        fields = dataclasses.fields(cls)
        if len(fields) < 2 or "__init__" not in cls.__dict__:
            return

        def __init__(self, *args, **kwargs):
            given = dict(zip([f.name for f in fields], args, strict=False)) | kwargs
            for f in fields:
                setattr(self, f.name, given.get(f.name))

        cls.__init__ = __init__

    return {"Module": broken_module(eqx, finish=finish)}


@mutant("equinox", kills=["equinox.module.fields.replace_changes_one_field"])
def replace_loses_static_fields(eqx):
    """An instance made from keywords alone gets the class's default for a static field."""

    def call(make, cls, args, kwargs):
        made = make(*args, **kwargs)
        if not args:
            for field in dataclasses.fields(cls):
                if field.metadata.get("static") and field.default is not dataclasses.MISSING:
                    object.__setattr__(made, field.name, field.default)
        return made

    return {"Module": broken_module(eqx, call=call)}


@mutant("equinox", kills=["equinox.module.fields.fields_have_any_name"])
def constructor_has_an_argument_name(eqx):
    """The constructor's own argument is called `name`, and hides a field of that name."""

    def call(make, cls, args, kwargs):
        given = kwargs.pop("name", None)
        return make(*args, given, **kwargs) if given is cls else make(*args, **kwargs)

    return {"Module": broken_module(eqx, call=call)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.frozen.instances_are_immutable",
        "equinox.module.frozen.extra_fields_are_refused",
        "equinox.module.init.check_init_cannot_assign",
        "equinox.module.methods.properties_read_the_instance",
    ],
)
def instances_can_be_assigned(eqx):
    """Instances are ordinary objects that can be assigned to."""

    def assign(self, name, value):
        vars(self)[name] = value

    return {"Module": broken_module(eqx, methods={"__setattr__": assign})}


@mutant("equinox", kills=["equinox.module.frozen.refused_changes_change_nothing"])
def refusal_comes_too_late(eqx):
    """An assignment is made first and refused then."""

    def assign(self, name, value):
        try:
            eqx.Module.__setattr__(self, name, value)
        finally:
            object.__setattr__(self, name, value)

    return {"Module": broken_module(eqx, methods={"__setattr__": assign})}


@mutant("equinox", kills=["equinox.module.frozen.missing_fields_are_refused"])
def missing_fields_become_none(eqx):
    """A field that __init__ leaves without a value is set to None."""

    def finish(cls):
        for field in dataclasses.fields(cls):
            if not hasattr(cls, field.name):
                setattr(cls, field.name, None)

    return {"Module": broken_module(eqx, finish=finish)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.defaults.mutable_defaults_are_refused",
        "equinox.module.defaults.unhashable_defaults_are_refused",
        "equinox.module.defaults.factories_run_for_each_instance",
    ],
)
def defaults_are_shared(eqx):
    """A mutable default is allowed, and a default factory runs once a class."""

    def body(name, bases, namespace):
        for key, value in list(namespace.items()):
            field = value if isinstance(value, dataclasses.Field) else None
            default = field.default if field else value
            if key in namespace.get("__annotations__", {}) and _unhashable(default):
                namespace[key] = dataclasses.field(default_factory=lambda shared=default: shared)
            elif field and field.default_factory is not dataclasses.MISSING:
                made = field.default_factory()
                namespace[key] = dataclasses.field(default_factory=lambda shared=made: shared)

    return {"Module": broken_module(eqx, body=body)}


def _unhashable(value):
    return type(value).__hash__ is None


@mutant("equinox", kills=["equinox.module.fields.fields_read_the_same_after_a_round_trip"])
def unflatten_sets_unset_fields(eqx):
    """Unflatten sets a field left at its class-level default to None."""

    def registration(found):
        def change(node):
            for name in field_names(type(node), static=False):
                if name not in vars(node) and isinstance(getattr(type(node), name, None), int):
                    object.__setattr__(node, name, "unset")

        found.after_unflatten(change)

    return {"Module": broken_module(eqx, registration=registration)}
