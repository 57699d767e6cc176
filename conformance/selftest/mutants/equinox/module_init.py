"""Mutants of what runs while a Module is made."""

from __future__ import annotations

import dataclasses
import inspect
import warnings

from selftest.module_patching import broken_module
from selftest.mutant import mutant


@mutant(
    "equinox",
    kills=[
        "equinox.module.subclass.bare_subclass_has_the_values",
        "equinox.module.init.construction_is_inherited",
    ],
)
def converters_are_not_inherited(eqx):
    """A class converts the fields that it declares itself only."""

    def call(make, cls, args, kwargs):
        made = make(*args, **kwargs)
        own = inspect.get_annotations(cls)
        given = inspect.signature(cls.__init__).bind(made, *args, **kwargs).arguments
        for field in dataclasses.fields(cls):
            inherited = field.name not in own and field.name in given
            if field.metadata.get("converter") and inherited:
                object.__setattr__(made, field.name, given[field.name])
        return made

    return {"Module": broken_module(eqx, call=call)}


@mutant("equinox", kills=["equinox.module.subclass.bare_subclass_has_the_fields"])
def metadata_is_not_inherited(eqx):
    """A subclass shows its inherited fields without their metadata."""

    def finish(cls):
        for name, field in list(cls.__dataclass_fields__.items()):
            if name not in inspect.get_annotations(cls):
                bare = dataclasses.field()
                for slot in dataclasses.Field.__slots__:
                    setattr(bare, slot, getattr(field, slot, None))
                bare.metadata = {}
                cls.__dataclass_fields__[name] = bare

    return {"Module": broken_module(eqx, finish=finish)}


@mutant("equinox", kills=["equinox.module.subclass.bare_subclass_has_the_signature"])
def subclass_has_no_signature(eqx):
    """A subclass that declares no field takes any arguments."""

    def finish(cls):
        if not inspect.get_annotations(cls):
            real = cls.__init__

            def __init__(self, *args, **kwargs):
                real(self, *args, **kwargs)

            cls.__init__ = __init__

    return {"Module": broken_module(eqx, finish=finish)}


@mutant("equinox", kills=["equinox.module.subclass.bare_subclass_flattens_alike"])
def subclass_hides_its_last_child(eqx):
    """A class that declares no field of its own flattens without its last child."""

    def registration(found):
        if not inspect.get_annotations(found.cls):
            found.map_children(lambda node, children: [*children[:-1], *([None] * bool(children))])

    return {"Module": broken_module(eqx, registration=registration)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.init.converters_run_once",
        "equinox.module.subclass.inherited_converters_run_once",
    ],
)
def converters_run_twice(eqx):
    """A converter runs once more when the instance is complete."""

    def call(make, cls, args, kwargs):
        made = make(*args, **kwargs)
        for field in dataclasses.fields(cls):
            if converter := field.metadata.get("converter"):
                object.__setattr__(made, field.name, converter(getattr(made, field.name)))
        return made

    return {"Module": broken_module(eqx, call=call)}


@mutant("equinox", kills=["equinox.module.init.converters_run_once"])
def defaults_are_not_converted(eqx):
    """A field that keeps its default keeps it as it was written."""

    def call(make, cls, args, kwargs):
        made = make(*args, **kwargs)
        for field in dataclasses.fields(cls)[len(args) :]:
            given = field.name in kwargs or field.default is dataclasses.MISSING
            if field.metadata.get("converter") and not given:
                object.__setattr__(made, field.name, field.default)
        return made

    return {"Module": broken_module(eqx, call=call)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.init.converters_run_after_initialisation",
        "equinox.module.init.construction_is_inherited",
    ],
)
def post_init_sees_converted_values(eqx):
    """A class that defines __post_init__ itself converts before it too."""

    def finish(cls):
        post_init = cls.__dict__.get("__post_init__")
        if post_init is None:
            return

        def __post_init__(self, *args):
            for field in dataclasses.fields(self):
                if (converter := field.metadata.get("converter")) and hasattr(self, field.name):
                    setattr(self, field.name, converter(getattr(self, field.name)))
            post_init(self, *args)

        cls.__post_init__ = __post_init__

    return {"Module": broken_module(eqx, finish=finish)}


@mutant("equinox", kills=["equinox.module.init.converters_get_the_given_value"])
def converters_get_the_default(eqx):
    """A converter of a field with a default gets the default."""

    def call(make, cls, args, kwargs):
        made = make(*args, **kwargs)
        for field in dataclasses.fields(cls):
            converter = field.metadata.get("converter")
            if converter and field.default is not dataclasses.MISSING:
                object.__setattr__(made, field.name, converter(field.default))
        return made

    return {"Module": broken_module(eqx, call=call)}


@mutant("equinox", kills=["equinox.module.init.uses_construct_nothing"])
def unflatten_checks(eqx):
    """Unflatten runs __check_init__."""

    def registration(found):
        def change(node):
            if check := getattr(node, "__check_init__", None):
                check()

        found.after_unflatten(change)

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.init.uses_construct_nothing"])
def unflatten_converts(eqx):
    """Unflatten runs the converters again."""

    def registration(found):
        def change(node):
            for field in dataclasses.fields(node):
                if converter := field.metadata.get("converter"):
                    object.__setattr__(node, field.name, converter(getattr(node, field.name)))

        found.after_unflatten(change)

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.subclass.post_inits_run_once_in_order"])
def post_init_runs_again(eqx):
    """A class that inherits from two Modules runs its __post_init__ once more."""

    def call(make, cls, args, kwargs):
        made = make(*args, **kwargs)
        if len(cls.__bases__) > 1 and (post := getattr(made, "__post_init__", None)):
            post()
        return made

    return {"Module": broken_module(eqx, call=call)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.subclass.check_inits_run_once_each",
        "equinox.module.init.check_init_refuses_the_instance",
    ],
)
def inherited_checks_do_not_run(eqx):
    """Only a class's own __check_init__ runs."""

    def call(make, cls, args, kwargs):
        checks = {
            base: base.__dict__["__check_init__"]
            for base in cls.__mro__[1:]
            if "__check_init__" in base.__dict__
        }
        for base in checks:
            type.__delattr__(base, "__check_init__")
        try:
            return make(*args, **kwargs)
        finally:
            for base, check in checks.items():
                type.__setattr__(base, "__check_init__", check)

    return {"Module": broken_module(eqx, call=call)}


@mutant("equinox", kills=["equinox.module.lifetime.dropped_instances_are_freed"])
def instances_are_remembered(eqx):
    """The base class keeps every instance."""
    kept = []

    def call(make, cls, args, kwargs):
        made = make(*args, **kwargs)
        kept.append(made)
        return made

    return {"Module": broken_module(eqx, call=call)}


@mutant("equinox", kills=["equinox.module.subclass.init_subclass_runs_once"])
def init_subclass_runs_twice(eqx):
    """A class statement runs __init_subclass__ once more when the dataclass is made."""

    def finish(cls):
        super(cls, cls).__init_subclass__()

    return {"Module": broken_module(eqx, finish=finish)}


@mutant("equinox", kills=["equinox.module.frozen.arrays_in_static_fields_are_warned_of"])
def static_arrays_are_not_warned_of(eqx):
    """A Module takes an array as a static value without a word."""

    def call(make, cls, args, kwargs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(*args, **kwargs)

    return {"Module": broken_module(eqx, call=call)}


@mutant("equinox", kills=["equinox.module.subclass.instances_make_no_subclasses"])
def instances_are_made_by_a_subclass(eqx):
    """The call of a class makes a subclass of it, which is used for the time of construction."""

    def call(real, cls, args, kwargs):
        type(cls)(cls.__name__, (cls,), {})
        return real(*args, **kwargs)

    return {"Module": broken_module(eqx, call=call)}
