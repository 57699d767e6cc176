"""Mutants of classes, equality and layers of Modules."""

from __future__ import annotations

from typing import Any

import jax
import jax.tree_util as jtu

from selftest.module_patching import broken_module
from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.module.types.aliases_do_not_change_the_treedef"])
def generic_classes_flatten_by_their_alias(eqx):
    """The aux data of a generic class holds an object for each instance."""

    def registration(found):
        if not getattr(found.cls, "__parameters__", ()):
            return
        keyed, plain, real = found.flatten_with_keys, found.flatten, found.unflatten

        def marked(flatten):
            def change(node):
                children, aux = flatten(node)
                return children, (aux, id(node))

            return change

        found.flatten_with_keys, found.flatten = marked(keyed), marked(plain)
        found.unflatten = lambda aux, children: real(aux[0], children)

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.types.aliases_make_ordinary_instances"])
def subscripting_makes_a_subclass(eqx):
    """`Class[type]` is a subclass of its own, as in some libraries for records."""

    def __class_getitem__(cls, _):
        return type(cls)(f"{cls.__name__}Of", (cls,), {})

    def finish(cls):
        if getattr(cls, "__parameters__", ()):
            cls.__class_getitem__ = classmethod(__class_getitem__)

    return {"Module": broken_module(eqx, finish=finish)}


@mutant(
    "equinox",
    kills=["equinox.module.types.plain_bases_leave_the_pytree_alone"],
)
def plain_bases_hide_fields(eqx):
    """A class with an ordinary Python base flattens without its first child."""

    def registration(found):
        bases = found.cls.__bases__
        if any(not issubclass(base, eqx.Module) and base is not object for base in bases):
            found.map_children(lambda node, children: [None, *children[1:]])

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.types.plain_bases_keep_working"])
def unflatten_makes_the_first_base(eqx):
    """Unflatten gives an instance of a Module's first Module class, without the other bases."""

    def registration(found):
        bases = [base for base in found.cls.__bases__ if issubclass(base, eqx.Module)]
        if bases != list(found.cls.__bases__) and bases[0].__name__ == "Module":
            real = found.unflatten

            def unflatten(aux, children):
                node = real(aux, children)
                bare = object.__new__(bases[0])
                vars(bare).update(vars(node))
                return bare

            found.unflatten = unflatten

    return {"Module": broken_module(eqx, registration=registration)}


@mutant("equinox", kills=["equinox.module.types.equality_is_tree_equality"])
def equality_ignores_static_fields(eqx):
    """`==` compares the leaves only."""

    def __eq__(self, other):
        if type(self) is not type(other):
            return False
        return eqx.tree_equal(jtu.tree_leaves(self), jtu.tree_leaves(other))

    methods = {"__eq__": __eq__, "__hash__": eqx.Module.__hash__}
    return {"Module": broken_module(eqx, methods=methods)}


@mutant("equinox", kills=["equinox.module.types.modules_differ_from_other_things"])
def equality_compares_fields_with_anything(eqx):
    """`==` asks the other object for its fields."""

    def __eq__(self, other):
        return eqx.tree_equal(self, other) if hasattr(other, "x") else not isinstance(other, str)

    methods = {"__eq__": __eq__, "__hash__": eqx.Module.__hash__}
    return {"Module": broken_module(eqx, methods=methods)}


@mutant(
    "equinox",
    kills=[
        "equinox.module.types.equal_modules_hash_alike",
        "equinox.module.types.modules_are_dictionary_keys",
    ],
)
def hash_is_that_of_the_object(eqx):
    """The hash is that of the object, while `==` compares values."""
    methods = {"__hash__": object.__hash__, "__eq__": eqx.Module.__eq__}
    return {"Module": broken_module(eqx, methods=methods)}


@mutant("equinox", kills=["equinox.module.types.modules_are_dictionary_keys"])
def modules_equal_themselves_only(eqx):
    """`==` says whether two Modules are one object, while the hash is that of the values."""
    methods = {"__hash__": eqx.Module.__hash__, "__eq__": object.__eq__}
    return {"Module": broken_module(eqx, methods=methods)}


class _Named:
    """A copy of `equinox.nn` in which one layer is another."""

    def __init__(self, eqx, **layers):
        self._nn = eqx.nn
        vars(self).update(layers)

    def __getattr__(self, name):
        return getattr(self._nn, name)


@mutant("equinox", kills=["equinox.module.types.layers_are_modules"])
def layers_hold_more_than_fields(eqx):
    """A linear layer and a dropout layer hold an attribute that is no field."""

    def holding(layer):
        def make(*args, **kwargs):
            made = layer(*args, **kwargs)
            vars(made)["shape"] = args
            return made

        return make

    layers = ("Linear", "Dropout", "LayerNorm", "Identity")
    return {"nn": _Named(eqx, **{name: holding(getattr(eqx.nn, name)) for name in layers})}


@mutant("equinox", kills=["equinox.module.types.layers_made_alike_are_alike"])
def layers_ignore_their_key(eqx):
    """A linear layer draws its weights from a key of its own."""
    keys = iter(jax.random.split(jax.random.key(0), 10_000))

    def linear(*args, key=None, **kwargs):
        return eqx.nn.Linear(*args, key=next(keys), **kwargs)

    return {"nn": _Named(eqx, Linear=linear)}


@mutant("equinox", kills=["equinox.module.types.layers_made_alike_are_equal"])
def layers_make_a_function_of_their_own(eqx):
    """An identity and a linear layer keep a function that each construction makes."""

    class Named(eqx.Module):
        layer: Any
        function: Any

        def __init__(self, layer):
            self.layer = layer
            self.function = lambda x: x

    def holding(layer):
        return lambda *args, **kwargs: Named(layer(*args, **kwargs))

    layers = ("Linear", "Dropout", "LayerNorm", "Identity")
    return {"nn": _Named(eqx, **{name: holding(getattr(eqx.nn, name)) for name in layers})}
