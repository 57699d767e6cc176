"""Mutants of what transformed functions share."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io

import jax
import jax.tree_util as jtu

from selftest.mutant import mutant

_NAMES = (
    "filter_jit",
    "filter_grad",
    "filter_value_and_grad",
    "filter_vmap",
    "filter_checkpoint",
    "filter_jacfwd",
    "filter_jacrev",
    "filter_hessian",
)


def _each(eqx, change):
    """Replace each transformation by what `change` makes of it; options alone still decorate."""

    def changed(name):
        transform = getattr(eqx, name)

        def transformed(fun=None, **options):
            if fun is None:
                return functools.partial(transformed, **options)
            return change(transform, fun, options)

        return transformed

    return {name: changed(name) for name in _NAMES}


@mutant(
    "equinox",
    kills=[
        "equinox.wrappers.transformed_method_is_a_function_of_self",
        "equinox.wrappers.jacobian_of_a_method_is_a_function_of_self",
        "equinox.module.frozen.modules_that_equinox_makes_are_immutable",
    ],
)
def wrappers_do_not_bind(eqx):
    """A transformed function as a method does not get `self`."""

    class Unbound:
        def __init__(self, transformed):
            self.transformed = transformed

        def __call__(self, *args, **kwargs):
            return self.transformed(*args, **kwargs)

    return _each(eqx, lambda transform, fun, options: Unbound(transform(fun, **options)))


@mutant("equinox", kills=["equinox.wrappers.transformed_function_keeps_its_name"])
def wrappers_are_anonymous(eqx):
    """A transformed function has a name of its own."""

    def change(transform, fun, options):
        transformed = transform(fun, **options)
        return lambda *args, **kwargs: transformed(*args, **kwargs)

    return _each(eqx, change)


@mutant("equinox", kills=["equinox.wrappers.transformed_function_keeps_its_name"])
def wrappers_have_no_annotations(eqx):
    """A transformed function has the names and the docstring of the function alone."""

    def change(transform, fun, options):
        transformed = transform(fun, **options)
        names = ("__module__", "__name__", "__qualname__", "__doc__")
        return functools.wraps(fun, names)(lambda *args, **kwargs: transformed(*args, **kwargs))

    return _each(eqx, change)


@mutant(
    "equinox",
    kills=[
        "equinox.wrappers.transformed_function_holds_the_functions_arrays",
        "equinox.wrappers.mapped_wrapper_transforms_the_mapped_function",
    ],
)
def wrappers_close_over_the_function(eqx):
    """The function is out of sight of JAX: its arrays are no leaves of the wrapper."""

    def change(transform, fun, options):
        return transform(lambda *args, **kwargs: fun(*args, **kwargs), **options)

    return _each(eqx, change)


@mutant("equinox", kills=["equinox.wrappers.bound_method_is_transformed_as_a_function"])
def bound_methods_lose_self(eqx):
    """Of a bound method the function alone is transformed."""

    def change(transform, fun, options):
        return transform(getattr(fun, "__func__", fun), **options)

    return _each(eqx, change)


@mutant("equinox", kills=["equinox.wrappers.partial_function_is_transformed_as_a_function"])
def partial_functions_lose_their_arguments(eqx):
    """Of a partial function the function alone is transformed."""

    def change(transform, fun, options):
        return transform(getattr(fun, "func", fun), **options)

    return _each(eqx, change)


@mutant("equinox", kills=["equinox.wrappers.options_alone_make_a_decorator"])
def options_alone_are_lost(eqx):
    """A decorator with options transforms without them."""

    def changed(name):
        transform = getattr(eqx, name)
        return lambda fun=None, **options: transform if fun is None else transform(fun, **options)

    return {name: changed(name) for name in _NAMES}


@mutant("equinox", kills=["equinox.wrappers.keyword_arguments_have_any_name"])
def wrappers_take_some_keywords_for_themselves(eqx):
    """Keyword arguments called `fn`, `fun` or `args` do not reach the function."""

    def change(transform, fun, options):
        transformed = transform(fun, **options)
        return lambda *args_, fn=1, fun=1, args=1, **rest: transformed(*args_, **rest)

    return _each(eqx, change)


@mutant("equinox", kills=["equinox.wrappers.arguments_that_do_not_fit_are_refused"])
def further_arguments_are_dropped(eqx):
    """Arguments that the function does not take are dropped."""

    def change(transform, fun, options):
        transformed = transform(fun, **options)
        return lambda *args, **kwargs: transformed(*args[:2], **kwargs)

    return _each(eqx, change)


@mutant(
    "equinox",
    kills=[
        "equinox.wrappers.transformations_nest_as_those_of_jax",
        "equinox.wrappers.transformed_function_goes_into_transformations_of_jax",
        "equinox.wrappers.transformations_nest_in_each_other",
    ],
)
def wrappers_wait_for_their_result(eqx):
    """The result is waited for as if it were concrete, also while JAX traces."""

    def change(transform, fun, options):
        transformed = transform(fun, **options)
        wait = lambda leaf: leaf.block_until_ready() if isinstance(leaf, jax.Array) else leaf
        return lambda *args, **kwargs: jtu.tree_map(wait, transformed(*args, **kwargs))

    return _each(eqx, change)


@mutant("equinox", kills=["equinox.wrappers.each_way_lets_an_error_out"])
def errors_are_swallowed(eqx):
    """A transformed function that fails returns `None`."""

    def change(transform, fun, options):
        inner = transform(fun, **options)

        def call(*args, **named):
            try:
                return inner(*args, **named)
            except ZeroDivisionError:
                return None

        return call

    return _each(eqx, change)


@mutant("equinox", kills=["equinox.wrappers.each_transform_takes_any_signature"])
def vmap_takes_one_argument(eqx):
    """A function that `filter_vmap` maps gets its first argument alone."""

    def vmap(function, **options):
        return lambda *args: eqx.filter_vmap(lambda *rest: function(*rest[:1]), **options)(*args)

    return {"filter_vmap": vmap}


@mutant("equinox", kills=["equinox.wrappers.each_transform_calls_the_wrapper"])
def checkpoint_binds_by_the_shown_signature(eqx):
    """`filter_checkpoint` binds the arguments by the signature that the function shows."""

    def checkpoint(function, **options):
        def bound(*args, **named):
            given = inspect.signature(function).bind(*args, **named)
            return eqx.filter_checkpoint(function, **options)(*given.args, **given.kwargs)

        return bound

    return {"filter_checkpoint": checkpoint}


@mutant("equinox", kills=["equinox.wrappers.copies_of_wrapped_functions_do_the_same"])
def copies_give_the_result_twice(eqx):
    """A copy of a transformed function returns its result twice."""

    class Doubling:
        def __init__(self, transformed):
            self.transformed = transformed

        def __call__(self, *args, **named):
            return self.transformed(*args, **named)

        def __get__(self, instance, owner):
            return self if instance is None else functools.partial(self, instance)

        def __copy__(self):
            return lambda *args, **named: [self.transformed(*args, **named)] * 2

        def __deepcopy__(self, memo):
            return self.__copy__()

    return _each(eqx, lambda transform, fun, options: Doubling(transform(fun, **options)))


@mutant("equinox", kills=["equinox.wrappers.functions_run_in_the_process_of_their_caller"])
def transforms_replace_the_error_stream(eqx):
    """A transformed function runs with another `sys.stderr`."""

    def change(transform, fun, options):
        def without_errors(*args, **named):
            with contextlib.redirect_stderr(io.StringIO()):
                return fun(*args, **named)

        return transform(without_errors, **options)

    return _each(eqx, change)
