"""Mutants of closures, checkpoints and callbacks."""

from __future__ import annotations

import functools
import types

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant


def _is_struct(leaf):
    return isinstance(leaf, jax.ShapeDtypeStruct)


@mutant(
    "equinox",
    kills=[
        "equinox.trace.converted_closure_equals_the_closure",
        "equinox.trace.converted_closure_refuses_other_shapes",
        "equinox.trace.converted_closure_refuses_other_static_leaves",
        "equinox.trace.converted_closure_mixes_no_equal_leaves",
    ],
)
def converted_closure_keeps_its_example(eqx):
    """The converted function computes with the arguments that it was converted with."""

    def filter_closure_convert(fun, *args):
        return lambda *others: eqx.filter_closure_convert(fun, *args)(*args)

    return {"filter_closure_convert": filter_closure_convert}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.converted_closure_holds_what_it_closes_over",
        "equinox.trace.converted_closure_refuses_other_shapes",
        "equinox.trace.converted_closure_refuses_other_static_leaves",
    ],
)
def closure_is_not_converted(eqx):
    """The function is given back as it is."""
    return {"filter_closure_convert": lambda fun, *args: fun}


@mutant("equinox", kills=["equinox.trace.converted_closure_is_differentiated"])
def what_is_closed_over_is_constant(eqx):
    """No derivative passes through a converted function."""

    def filter_closure_convert(fun, *args):
        converted = eqx.filter_closure_convert(fun, *args)
        return lambda *others: jax.lax.stop_gradient(converted(*others))

    return {"filter_closure_convert": filter_closure_convert}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.checkpointed_function_equals_the_function",
        "equinox.trace.checkpoint_keeps_the_gradient",
    ],
)
def checkpoint_forgets_what_is_no_array(eqx):
    """Only arrays come out of a checkpoint, and no derivative passes it."""

    def filter_checkpoint(fun):
        checkpointed = eqx.filter_checkpoint(fun)
        stopped = lambda leaf: jax.lax.stop_gradient(leaf) if eqx.is_array(leaf) else None
        return lambda *args: jtu.tree_map(stopped, checkpointed(*args))

    return {"filter_checkpoint": filter_checkpoint}


@mutant("equinox", kills=["equinox.trace.checkpoint_asks_its_policy"])
def checkpoint_drops_its_policy(eqx):
    """`policy` is not handed on."""
    return {"filter_checkpoint": lambda fun, policy=None: eqx.filter_checkpoint(fun)}


@mutant(
    "equinox",
    kills=[
        "equinox.trace.callback_gives_its_result",
        "equinox.trace.callback_with_another_static_leaf_is_refused",
    ],
)
def callback_gives_arrays_alone(eqx):
    """What a callback returns besides arrays is dropped and not compared."""

    def filter_pure_callback(callback, *args, result_shape_dtypes):
        arrays = lambda *inner: eqx.filter(callback(*inner), eqx.is_array)
        shapes = eqx.filter(result_shape_dtypes, _is_struct)
        return eqx.filter_pure_callback(arrays, *args, result_shape_dtypes=shapes)

    return {"filter_pure_callback": filter_pure_callback}


@mutant("equinox", kills=["equinox.trace.converted_function_holds_what_the_function_holds"])
def methods_are_not_converted(eqx):
    """A method and a callable object are kept as they are, with the values that they hold."""

    def convert(function, *args, **named):
        if isinstance(function, types.FunctionType):
            return eqx.filter_closure_convert(function, *args, **named)
        return lambda *args, **named: function(*args, **named)

    return {"filter_closure_convert": convert}


@mutant("equinox", kills=["equinox.trace.converted_function_equals_the_function"])
def partials_are_converted_without_arguments(eqx):
    """A `functools.partial` is converted as the function that it holds, with zeros for the rest."""

    def convert(function, *args, **named):
        if not isinstance(function, functools.partial):
            return eqx.filter_closure_convert(function, *args, **named)
        zeros = jtu.tree_map(jnp.zeros_like, (function.args, function.keywords))
        emptied = functools.partial(function.func, *zeros[0], **zeros[1])
        return eqx.filter_closure_convert(emptied, *args, **named)

    return {"filter_closure_convert": convert}


@mutant("equinox", kills=["equinox.trace.jaxpr_of_anything_with_a_shape"])
def jaxpr_traces_no_subclasses_of_structs(eqx):
    """An instance of a subclass of `ShapeDtypeStruct` is not traced."""

    class Hidden:
        def __init__(self, leaf):
            self.leaf = leaf

    def hidden(leaf):
        foreign = isinstance(leaf, jax.ShapeDtypeStruct) and type(leaf) is not jax.ShapeDtypeStruct
        return Hidden(leaf) if foreign else leaf

    def make(function):
        return lambda *args: eqx.filter_make_jaxpr(function)(*jtu.tree_map(hidden, args))

    return {"filter_make_jaxpr": make}


@mutant("equinox", kills=["equinox.trace.callback_takes_each_option"])
def callbacks_with_options_give_zeros(eqx):
    """A callback with a sharding or a `vmap_method` gives zeros."""

    def filter_pure_callback(callback, *args, **options):
        out = eqx.filter_pure_callback(callback, *args, **options)
        if {"sharding", "vmap_method"}.isdisjoint(options):
            return out
        return jtu.tree_map(lambda leaf: leaf * 0 if eqx.is_array(leaf) else leaf, out)

    return {"filter_pure_callback": filter_pure_callback}
