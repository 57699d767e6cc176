"""Mutants of abstract Modules."""

from __future__ import annotations

import typing

from selftest.module_patching import broken_module
from selftest.mutant import mutant


def _only(**chosen):
    """Return a change of a class body that treats the annotations of some kinds as others."""

    def body(name, bases, namespace):
        annotations = namespace.get("__annotations__", {})
        for key, annotation in list(annotations.items()):
            origin = getattr(typing.get_origin(annotation), "__name__", "")
            if origin in chosen:
                annotations[key] = chosen[origin]

    return body


@mutant("equinox", kills=["equinox.module.abstract.overridden_members_allow_instances"])
def properties_stay_abstract(eqx):
    """An abstract attribute that a property overrides counts as abstract still."""

    def finish(cls):
        hidden = {
            name
            for base in cls.__mro__[1:]
            for name in getattr(base, "__abstractvars__", ())
            if isinstance(cls.__dict__.get(name), property)
        }
        cls.__abstractvars__ = cls.__abstractvars__ | hidden

    return {"Module": broken_module(eqx, finish=finish)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.abstract.abstract_declarations_are_no_fields",
        "equinox.module.abstract.abstract_vars_do_not_order_arguments",
        "equinox.module.abstract.abstract_bases_leave_the_pytree_alone",
    ],
)
def abstract_vars_are_fields(eqx):
    """An AbstractVar makes a field of that name."""
    return {"Module": broken_module(eqx, body=_only(AbstractVar=typing.Any))}


@mutant("equinox", kills=["equinox.module.abstract.abstract_vars_refuse_instances"])
def abstract_vars_are_class_vars(eqx):
    """An AbstractVar is an ordinary ClassVar."""
    return {"Module": broken_module(eqx, body=_only(AbstractVar=typing.ClassVar[typing.Any]))}


@mutant(
    "equinox",
    kills=[
        "equinox.module.abstract.abstract_class_vars_refuse_instances",
        "equinox.module.abstract.abstract_attributes_can_be_accessed",
    ],
)
def abstract_class_vars_are_class_vars(eqx):
    """An AbstractClassVar is an ordinary ClassVar."""
    return {"Module": broken_module(eqx, body=_only(AbstractClassVar=typing.ClassVar[typing.Any]))}


@mutant(
    "equinox",
    kills=[
        "equinox.module.abstract.abstract_methods_refuse_instances",
        "equinox.module.abstract.strict_modules_behave_alike",
    ],
)
def abstract_methods_are_forgotten(eqx):
    """A class with abstract methods can be instantiated, and so can one with abstract attributes.

    The abstractness of methods was lost once when the class was made a dataclass.
    """

    def finish(cls):
        cls.__abstractmethods__ = frozenset()
        if "strict" in cls.__name__.lower():
            cls.__abstractvars__ = frozenset()

    return {"Module": broken_module(eqx, finish=finish)}


@mutant("equinox", kills=["equinox.module.abstract.string_annotations_are_refused"])
def strings_are_ordinary_annotations(eqx):
    """An annotation that is a string is never an abstract one."""

    def body(name, bases, namespace):
        annotations = namespace.get("__annotations__", {})
        for key, annotation in list(annotations.items()):
            if isinstance(annotation, str):
                annotations[key] = typing.Any

    return {"Module": broken_module(eqx, body=body)}


@mutant("equinox", kills=["equinox.module.abstract.abstract_attributes_have_no_value"])
def abstract_attributes_lose_their_value(eqx):
    """The value of an abstract attribute is dropped without a word."""

    def body(name, bases, namespace):
        for key, annotation in namespace.get("__annotations__", {}).items():
            origin = getattr(typing.get_origin(annotation), "__name__", "")
            if origin in ("AbstractVar", "AbstractClassVar"):
                namespace.pop(key, None)

    return {"Module": broken_module(eqx, body=body)}


@mutant("equinox", kills=["equinox.module.abstract.unsubscripted_annotations_are_refused"])
def unsubscripted_annotations_are_fields(eqx):
    """`AbstractVar` without its type makes an ordinary field."""

    def body(name, bases, namespace):
        annotations = namespace.get("__annotations__", {})
        for key, annotation in list(annotations.items()):
            if annotation in (eqx.AbstractVar, eqx.AbstractClassVar):
                annotations[key] = typing.Any

    return {"Module": broken_module(eqx, body=body)}


@mutant("equinox", kills=["equinox.module.abstract.fields_override_abstract_attributes"])
def fields_leave_class_vars_abstract(eqx):
    """An AbstractClassVar that a field without a default overrides counts as abstract still."""

    def finish(cls):
        hidden = {
            name
            for base in cls.__mro__[1:]
            for name in getattr(base, "__abstractclassvars__", ())
            if not hasattr(cls, name)
        }
        cls.__abstractclassvars__ = cls.__abstractclassvars__ | hidden

    return {"Module": broken_module(eqx, finish=finish)}
