"""Mutants of the functions that register node types."""

from __future__ import annotations

import functools

from selftest.mutant import mutant

_LAWS = "jax.registration"
_DATA = "jax.dataclasses"
_ALL = (
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_dataclass",
    "register_static",
)


def _registrations(jax, change):
    """Patch every function that registers: `change(function)` wraps each."""
    return {f"tree_util.{name}": change(getattr(jax.tree_util, name)) for name in _ALL}


@mutant(
    "jax",
    kills=[
        f"{_LAWS}.second_registration_is_refused",
        f"{_LAWS}.refused_registration_changes_nothing",
        f"{_LAWS}.built_in_type_cannot_be_registered",
        f"{_DATA}.missing_field_is_refused",
        f"{_DATA}.unknown_field_is_refused",
        f"{_DATA}.listed_field_cannot_be_dropped",
        f"{_DATA}.overlapping_fields_are_refused",
    ],
)
def refusals_are_silent(jax):
    """A registration that is refused is ignored in silence."""

    def change(function):
        @functools.wraps(function)
        def patched(cls, *args, **options):
            try:
                return function(cls, *args, **options)
            except ValueError:
                return cls

        return patched

    return _registrations(jax, change)


@mutant(
    "jax",
    kills=[
        f"{_LAWS}.decorator_returns_the_class",
        f"{_DATA}.refused_class_can_be_registered_rightly",
    ],
)
def decorators_return_nothing(jax):
    """The functions that register return None."""

    def change(function):
        @functools.wraps(function)
        def patched(cls, *args, **options):
            function(cls, *args, **options)

        return patched

    def make(name):
        return change(getattr(jax.tree_util, name))

    # Classes of recipes are decorated with the same library and must survive.
    names = ("register_dataclass", "register_static")
    return {f"tree_util.{name}": make(name) for name in names}


@mutant(
    "jax",
    kills=[
        f"{_LAWS}.registration_turns_leaves_into_nodes",
        f"{_LAWS}.static_instance_comes_back",
        f"{_LAWS}.second_registration_is_refused",
        f"{_DATA}.children_are_the_data_fields",
    ],
)
def registration_does_nothing(jax):
    """The functions that register register nothing."""
    return _registrations(jax, lambda function: lambda cls, *args, **options: cls)


@mutant(
    "jax",
    kills=[
        f"{_LAWS}.subclass_of_a_registered_class_is_a_leaf",
        f"{_LAWS}.subclass_of_a_container_is_a_leaf",
        "jax.partial.functools_partial_is_a_leaf",
    ],
)
def subclasses_are_nodes(jax):
    """`tree_leaves` looks into instances of subclasses, and of what a node type derives from."""

    def tree_leaves(tree, is_leaf=None):
        found = []
        for leaf in jax.tree_util.tree_leaves(tree, is_leaf):
            bases = type(leaf).__mro__[1:-1]
            kin = any(map(jax.tree_util.is_tree_node, bases)) or isinstance(leaf, functools.partial)
            found += [] if kin else [leaf]
        return found

    return {"tree_util.tree_leaves": tree_leaves}


@mutant("jax", kills=[f"{_LAWS}.flatten_must_return_a_pair"])
def flatten_may_return_anything(jax):
    """What a flatten function returns is a node without children where it is no pair."""

    def register_pytree_node(cls, flatten, unflatten, *args):
        def careful(node):
            answer = flatten(node)
            good = type(answer) is tuple and len(answer) == 2 and hasattr(answer[0], "__iter__")
            return answer if good else ((), None)

        jax.tree_util.register_pytree_node(cls, careful, unflatten, *args)

    return {"tree_util.register_pytree_node": register_pytree_node}


@mutant("jax", kills=[f"{_LAWS}.flatten_with_keys_must_return_pairs"])
def flatten_with_keys_may_return_anything(jax):
    """What is no pair of key and child is no child."""

    def register_pytree_with_keys(cls, flatten, unflatten, *args):
        def careful(node):
            answer = flatten(node)
            try:
                pairs, aux = answer
                return [(key, child) for key, child in pairs], aux
            except (TypeError, ValueError):
                return (), None

        jax.tree_util.register_pytree_with_keys(cls, careful, unflatten, *args)

    return {"tree_util.register_pytree_with_keys": register_pytree_with_keys}


@mutant("jax", kills=[f"{_LAWS}.error_in_flatten_reaches_the_caller"])
def errors_in_flatten_are_wrapped(jax):
    """An error in a flatten function becomes a ValueError."""

    def register_pytree_with_keys(cls, flatten, unflatten, *args):
        def wrapped(node):
            try:
                return flatten(node)
            except Exception as raised:
                raise ValueError("flatten failed") from raised

        jax.tree_util.register_pytree_with_keys(cls, wrapped, unflatten, *args)

    return {"tree_util.register_pytree_with_keys": register_pytree_with_keys}


@mutant("jax", kills=[f"{_LAWS}.error_in_flatten_reaches_the_caller"])
def errors_in_flatten_of_a_class_are_wrapped(jax):
    """An error in the flatten method of a decorated class becomes a ValueError."""

    def register_pytree_node_class(cls):
        def wrapped(node):
            try:
                return node.tree_flatten()
            except Exception as raised:
                raise ValueError("flatten failed") from raised

        jax.tree_util.register_pytree_node(cls, wrapped, cls.tree_unflatten)
        return cls

    return {"tree_util.register_pytree_node_class": register_pytree_node_class}


@mutant("jax", kills=[f"{_LAWS}.error_in_unflatten_reaches_the_caller"])
def errors_in_unflatten_are_wrapped(jax):
    """An error in an unflatten function becomes a ValueError."""

    def register_pytree_node(cls, flatten, unflatten, *args):
        def wrapped(aux, children):
            try:
                return unflatten(aux, children)
            except Exception as raised:
                raise ValueError("unflatten failed") from raised

        jax.tree_util.register_pytree_node(cls, flatten, wrapped, *args)

    return {"tree_util.register_pytree_node": register_pytree_node}


@mutant("jax", kills=[f"{_LAWS}.flatten_with_keys_func_gives_the_keys"])
def flatten_with_keys_func_is_ignored(jax):
    """`register_pytree_node` ignores `flatten_with_keys_func`."""

    def register_pytree_node(cls, flatten, unflatten, flatten_with_keys_func=None):
        jax.tree_util.register_pytree_node(cls, flatten, unflatten)

    return {"tree_util.register_pytree_node": register_pytree_node}


@mutant("jax", kills=[f"{_LAWS}.static_instance_comes_back"])
def static_instances_lose_their_field(jax):
    """A static instance comes back with the default of its field."""

    def register_static(cls):
        jax.tree_util.register_pytree_node(
            cls, lambda node: ((), node), lambda node, _: type(node)()
        )
        return cls

    return {"tree_util.register_static": register_static}


@mutant("jax", kills=[f"{_LAWS}.static_instances_decide_equality"])
def static_instances_are_compared_by_identity(jax):
    """Structures with static instances are equal only for the very same instance."""

    def register_static(cls):
        jax.tree_util.register_pytree_node(
            cls, lambda node: ((), (id(node), node)), lambda aux, _: aux[1]
        )
        return cls

    return {"tree_util.register_static": register_static}
