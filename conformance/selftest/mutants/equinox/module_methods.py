"""Mutants of methods, wrapped functions and properties of Modules."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from selftest.module_patching import broken_module
from selftest.mutant import mutant


def _reading(eqx, change):
    """Make a base whose bound methods go through `change`, which takes instance and method."""

    def __getattribute__(self, name):
        found = eqx.Module.__getattribute__(self, name)
        own = name == "read" and getattr(found, "__self__", None) is self
        return change(self, found) if own else found

    return {"Module": broken_module(eqx, methods={"__getattribute__": __getattribute__})}


@mutant(
    "equinox",
    kills=[
        "equinox.module.methods.bound_methods_hold_the_instance",
        "equinox.module.methods.mapping_a_method_maps_its_instance",
    ],
)
def methods_are_python_methods(eqx):
    """A bound method is an ordinary Python method, a leaf."""
    return _reading(eqx, lambda self, method: types.MethodType(type(self).read, self))


@mutant("equinox", kills=["equinox.module.methods.bound_methods_are_equal_on_each_lookup"])
def methods_are_partials_of_new_functions(eqx):
    """Each look-up makes another function and binds that."""
    return _reading(
        eqx, lambda self, method: eqx.Partial(lambda *a, **k: type(self).read(*a, **k), self)
    )


@mutant("equinox", kills=["equinox.module.methods.equal_instances_have_equal_methods"])
def methods_are_cached_for_each_instance(eqx):
    """The function that a look-up makes is kept for the instance, and differs between two."""
    functions = {}

    def change(self, method):
        if id(self) not in functions:
            functions[id(self)] = (self, lambda *a, **k: type(self).read(*a, **k))
        return eqx.Partial(functions[id(self)][1], self)

    return _reading(eqx, change)


@mutant("equinox", kills=["equinox.module.methods.bound_methods_pass_the_instance"])
def methods_drop_keywords(eqx):
    """A bound method drops its keyword arguments."""

    def dropping(function):
        return lambda *values, **named: function(*values)

    return _reading(eqx, lambda self, method: dropping(method))


@mutant("equinox", kills=["equinox.module.methods.bound_methods_take_any_keyword"])
def methods_have_an_argument_name(eqx):
    """A bound method's own argument is called `instance`, and hides a keyword of that name."""

    def naming(method):
        return lambda *values, instance=None, **named: method(*values, **named)

    return _reading(eqx, lambda self, method: naming(method))


@mutant("equinox", kills=["equinox.module.methods.bound_methods_keep_metadata"])
def methods_are_anonymous(eqx):
    """A bound method is a partial function, without the name of its function."""
    return _reading(eqx, lambda self, method: eqx.Partial(type(self).read, self))


def _bound_once(eqx):
    """Make a bound-method class that has its function's metadata until it is flattened."""

    class BoundOnce(eqx.Module):
        function: Any = eqx.field(static=True)
        instance: object

        def __call__(self, /, *values, **named):
            return self.function(self.instance, *values, **named)

        def __getattribute__(self, name):
            if name in _METADATA and "fresh" in object.__getattribute__(self, "__dict__"):
                return getattr(self.function, name)
            return super().__getattribute__(name)

    return BoundOnce


_METADATA = ("__name__", "__qualname__", "__doc__", "__module__")


@mutant("equinox", kills=["equinox.module.methods.bound_methods_keep_metadata_when_mapped"])
def methods_lose_metadata_when_mapped(eqx):
    """A bound method has the metadata of its function until it is flattened."""
    bound = _bound_once(eqx)

    def change(self, method):
        made = bound(type(self).read, self)
        made.__dict__.update(fresh=True, __signature__=inspect.signature(method))
        return made

    return _reading(eqx, change)


@mutant("equinox", kills=["equinox.module.methods.class_methods_stay_class_methods"])
def class_methods_bind_the_instance(eqx):
    """A class method that is read from an instance is bound to the instance."""

    def __getattribute__(self, name):
        found = eqx.Module.__getattribute__(self, name)
        if name == "like" and isinstance(found, types.MethodType):
            return functools.partial(found.__func__, self)
        return found

    return {"Module": broken_module(eqx, methods={"__getattribute__": __getattribute__})}


@mutant("equinox", kills=["equinox.module.methods.aux_data_is_hashable"])
def aux_data_is_a_list(eqx):
    """A Module's aux data is a list."""

    def registration(found):
        keyed, plain, real = found.flatten_with_keys, found.flatten, found.unflatten

        def listed(flatten):
            def change(node):
                children, aux = flatten(node)
                return children, [aux]

            return change

        found.flatten_with_keys, found.flatten = listed(keyed), listed(plain)
        found.unflatten = lambda aux, children: real(aux[0], children)

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.methods.own_methods_cannot_be_fields"])
def methods_can_be_fields(eqx):
    """A field can be given a method of its own instance, which makes the pytree infinite."""

    def assign(self, name, value):
        try:
            eqx.Module.__setattr__(self, name, value)
        except ValueError:
            object.__setattr__(self, name, value)

    return {"Module": broken_module(eqx, methods={"__setattr__": assign})}


@mutant(
    "equinox",
    kills=[
        "equinox.module.wrappers.wrappers_take_the_metadata",
        "equinox.module.wrappers.wrappers_need_the_property",
    ],
)
def update_wrapper_does_nothing(eqx):
    """`module_update_wrapper` gives its argument back."""
    return {"module_update_wrapper": lambda wrapper, wrapped=None: wrapper}


@mutant("equinox", kills=["equinox.module.wrappers.wrappers_take_the_metadata"])
def update_wrapper_forgets_annotations(eqx):
    """`module_update_wrapper` leaves the annotations as they were."""

    def module_update_wrapper(wrapper, wrapped=None):
        updated = eqx.module_update_wrapper(wrapper, wrapped)
        vars(updated)["__annotations__"] = wrapper.__annotations__
        return updated

    return {"module_update_wrapper": module_update_wrapper}


@mutant(
    "equinox",
    kills=[
        "equinox.module.wrappers.wrapping_does_not_change_the_argument",
        "equinox.module.wrappers.wrappers_keep_the_leaves",
    ],
)
def update_wrapper_works_in_place(eqx):
    """`module_update_wrapper` writes the metadata into its argument."""

    def module_update_wrapper(wrapper, wrapped=None):
        source = wrapper.__wrapped__ if wrapped is None else wrapped
        eqx.module_update_wrapper(wrapper, wrapped)
        for name in (*_METADATA, "__annotations__"):
            if hasattr(source, name):
                object.__setattr__(wrapper, name, getattr(source, name))
        return wrapper

    return {"module_update_wrapper": module_update_wrapper}


@mutant("equinox", kills=["equinox.module.wrappers.wrappers_keep_the_metadata"])
def unflatten_forgets_metadata(eqx):
    """Unflatten sets fields only, and drops the metadata that a wrapper was given."""

    def registration(found):
        def change(node):
            for name in (*_METADATA, "__annotations__"):
                vars(node).pop(name, None)

        found.after_unflatten(change)

    def module_update_wrapper(wrapper, wrapped=None):
        source = wrapper.__wrapped__ if wrapped is None else wrapped
        updated = eqx.module_update_wrapper(wrapper, wrapped)
        for name in _METADATA:
            if hasattr(source, name):
                vars(updated)[name] = getattr(source, name)
        return updated

    module = broken_module(eqx, registration=registration)
    return {"Module": module, "module_update_wrapper": module_update_wrapper}


@mutant("equinox", kills=["equinox.module.wrappers.wrappers_lead_to_the_wrapped"])
def wrappers_keep_their_first_function(eqx):
    """A wrapper remembers what it wrapped first, which is a copy of it."""

    def module_update_wrapper(wrapper, wrapped=None):
        updated = eqx.module_update_wrapper(wrapper, wrapped)
        for name, value in list(vars(updated).items()):
            if name == "function" and callable(value):
                vars(updated)[name] = eqx.Partial(value)
        kind = type(updated)
        if isinstance(kind.__dict__.get("__wrapped__"), property):
            kind.__wrapped__ = property(lambda self: getattr(self.function, "func", self.function))
        return updated

    return {"module_update_wrapper": module_update_wrapper}


@mutant("equinox", kills=["equinox.module.wrappers.mapped_transforms_keep_metadata"])
def filter_jit_is_anonymous(eqx):
    """What `filter_jit` gives has no metadata of the function."""

    class Compiled(eqx.Module):
        """A compiled function."""

        function: object

        def __call__(self, *values, **named):
            return eqx.filter_jit(self.function)(*values, **named)

    return {"filter_jit": Compiled}


@mutant(
    "equinox",
    kills=[
        "equinox.module.wrappers.decorated_methods_are_equal_on_each_lookup",
        "equinox.module.wrappers.decorated_methods_hold_the_instance",
    ],
)
def decorated_methods_are_closures(eqx):
    """A method that `filter_vmap` decorates is bound by a new function on each look-up."""

    class Mapped:
        def __init__(self, function):
            self.function = function

        def __call__(self, *values):
            return eqx.filter_vmap(self.function)(*values)

        def __get__(self, instance, owner):
            return self if instance is None else lambda *values: self(instance, *values)

    return {"filter_vmap": Mapped}


def _reads_with_effect(eqx, effect):
    def __getattribute__(self, name):
        if name in ("view", "pair"):
            effect(self)
        return eqx.Module.__getattribute__(self, name)

    return {"Module": broken_module(eqx, methods={"__getattribute__": __getattribute__})}


@mutant("equinox", kills=["equinox.module.properties.reading_leaves_the_structure_alone"])
def reading_a_property_leaves_a_mark(eqx):
    """Reading a property writes an attribute, and with it the docstring, into the instance."""

    def mark(self):
        vars(self)["__doc__"] = "read"
        vars(self)["mark"] = True

    return _reads_with_effect(eqx, mark)


@mutant("equinox", kills=["equinox.module.properties.cached_properties_follow_the_instance"])
def cached_properties_are_not_cached(eqx):
    """A cached property is computed on every look-up."""
    return _reads_with_effect(eqx, lambda self: vars(self).pop("pair", None))


@mutant(
    "equinox",
    kills=[
        "equinox.module.properties.metadata_survives_a_round_trip",
        "equinox.module.fields.uses_keep_the_treedef",
    ],
)
def unflatten_writes_a_docstring(eqx):
    """An instance that unflatten makes has an empty docstring of its own."""

    def registration(found):
        found.after_unflatten(lambda node: vars(node).update(__doc__=""))

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.methods.examples_of_methods_are_found"])
def methods_lose_their_docstrings(eqx):
    """The methods of a class have no docstring."""

    def body(name, bases, namespace):
        for value in namespace.values():
            if inspect.isfunction(value):
                value.__doc__ = None

    return {"Module": broken_module(eqx, body=body)}
