"""Mutants of Flax NNX' transforms."""

from __future__ import annotations

import inspect

from selftest.mutant import mutant

from ._copies import copied, on_copies

_ID = "nnx.transforms."


@mutant(
    "nnx",
    kills=[
        _ID + "jit_does_what_the_program_does",
        _ID + "jit_does_it_each_time",
        _ID + "jit_returns_the_module_itself",
        _ID + "jit_shares_what_its_arguments_share",
    ],
)
def jit_works_on_copies(nnx):
    """What a function changes under `jit` does not come out."""
    return {"jit": on_copies(nnx, nnx.jit)}


@mutant("nnx", kills=[_ID + "jit_does_what_the_program_does"])
def jit_propagates_values_alone(nnx):
    """`jit` brings values out, and neither new attributes nor other changes."""

    def jit(function):
        inner = nnx.jit(function)

        def call(module, *args):
            names = set(vars(module))
            result = inner(module, *args)
            for name in set(vars(module)) - names:
                delattr(module, name)
            return result

        return call

    return {"jit": jit}


@mutant("nnx", kills=[_ID + "jit_does_not_trace_again"])
def jit_forgets_what_it_compiled(nnx):
    """`jit` traces in each call."""
    return {"jit": lambda function: lambda *args: nnx.jit(lambda *inner: function(*inner))(*args)}


@mutant("nnx", kills=[_ID + "jit_shares_what_its_arguments_share"])
def jit_takes_arguments_apart(nnx):
    """`jit` copies each module of a dict by itself, and brings back the first."""

    def jit(function):
        inner = nnx.jit(function)

        def call(held, *args):
            parts = {key: nnx.clone(value) for key, value in held.items()}
            return inner(parts, *args)

        return call

    return {"jit": jit}


@mutant(
    "nnx",
    kills=[_ID + "remat_does_what_the_program_does", _ID + "no_option_changes_a_program"],
)
def remat_works_on_copies(nnx):
    """What a function changes under `remat` does not come out."""
    return {"remat": on_copies(nnx, nnx.remat)}


@mutant("nnx", kills=[_ID + "cond_runs_one_of_two_programs"])
def cond_works_on_copies(nnx):
    """What a branch of `cond` changes does not come out where the flag is false."""

    def cond(flag, one, other, *operands):
        held = operands if flag else map(copied(nnx), operands)
        return nnx.cond(flag, one, other, *held)

    return {"cond": cond}


@mutant("nnx", kills=[_ID + "switch_runs_one_of_several_programs"])
def switch_counts_from_the_end(nnx):
    """`switch` takes its branches in reverse."""
    return {"switch": lambda index, branches, *args: nnx.switch(index, branches[::-1], *args)}


@mutant("nnx", kills=[_ID + "grad_is_that_of_jax"])
def grad_takes_every_variable(nnx):
    """`grad` differentiates with respect to statistics too."""

    def grad(function, **options):
        wrt = nnx.DiffState(0, nnx.Any(nnx.Param, nnx.BatchStat, nnx.Cache, nnx.Intermediate))
        return nnx.grad(function, argnums=wrt, **options)

    return {"grad": grad}


@mutant("nnx", kills=[_ID + "grad_propagates_updates"])
def grad_works_on_copies(nnx):
    """What a loss changes does not come out of `grad`."""
    return {"grad": on_copies(nnx, nnx.grad)}


@mutant("nnx", kills=[_ID + "value_and_grad_gives_both"])
def value_and_grad_halves_the_value(nnx):
    """`value_and_grad` gives half the value."""

    def value_and_grad(function, **options):
        inner = nnx.value_and_grad(function, **options)

        def call(*args):
            (value, aux), grads = inner(*args)
            return (value / 2 - 1, aux), grads

        return call

    return {"value_and_grad": value_and_grad}


@mutant("nnx", kills=[_ID + "vmap_runs_on_each_slice"])
def vmap_works_on_copies(nnx):
    """What a function changes under `vmap` does not come out."""
    return {"vmap": on_copies(nnx, nnx.vmap)}


@mutant("nnx", kills=[_ID + "an_error_changes_no_module"])
def an_error_leaves_what_was_changed(nnx):
    """`jit` and `remat` run a program on the module itself."""
    plain = lambda function, **_: lambda *args, **named: function(*args, **named)
    return {"jit": plain, "remat": plain}


@mutant("nnx", kills=["nnx.transforms.equal_static_attributes_are_distinct"])
def jit_keeps_the_first_module(nnx):
    """What `jit` returns uses the module of its first call in each later call."""

    def jit(function, **options):
        compiled, first = nnx.jit(function, **options), []

        def called(*args, **kwargs):
            first.append(args)
            return compiled(*first[0], **kwargs)

        return called

    return {"jit": jit}


@mutant("nnx", kills=[_ID + "a_function_of_arrays_is_transformed_as_by_jax"])
def eval_shape_forgets_named_arguments(nnx):
    """`eval_shape` leaves the arguments that are given by name to their defaults."""
    return {"eval_shape": lambda function, *args, **named: nnx.eval_shape(function, *args)}


@mutant("nnx", kills=[_ID + "options_are_those_of_jax"])
def grad_takes_the_first_number(nnx):
    """`grad` and `value_and_grad` take the first of several numbers of arguments."""

    def first(transform):
        def transformed(function, *, argnums=0, **options):
            number = argnums if isinstance(argnums, int) else argnums[0]
            return transform(function, argnums=number, **options)

        return transformed

    return {name: first(getattr(nnx, name)) for name in ("grad", "value_and_grad")}


@mutant("nnx", kills=[_ID + "branches_and_bodies_have_any_signature"])
def switch_takes_the_first_branch(nnx):
    """`switch` runs the first branch, whatever the index."""
    return {"switch": lambda index, branches, *operands: branches[0](*operands)}


@mutant("nnx", kills=[_ID + "a_scan_of_arrays_is_that_of_jax"])
def scan_goes_forward(nnx):
    """`scan` goes from the first row to the last, also in reverse."""

    def scan(function, *, reverse=False, **options):
        return nnx.scan(function, **options)

    return {"scan": scan}


@mutant("nnx", kills=[_ID + "a_function_is_transformed_as_by_jax_in_each_mode"])
def vmap_as_trees_is_no_map(nnx):
    """`vmap` with `graph=False` calls the function on all rows at once."""

    def vmap(function, *, graph=None, **options):
        return function if graph is False else nnx.vmap(function, **options)

    return {"vmap": vmap}


@mutant("nnx", kills=[_ID + "static_arguments_are_addressed_as_for_jax"])
def jit_has_no_static_names(nnx):
    """`jit` traces the arguments that names call static."""
    return {"jit": lambda function, static_argnames=None, **options: nnx.jit(function, **options)}


@mutant("nnx", kills=[_ID + "a_wrapper_is_transformed_as_by_jax"])
def jit_binds_by_the_shown_signature(nnx):
    """`jit` binds the arguments by the signature that the function shows."""

    def jit(function, **options):
        def bound(*args, **named):
            given = inspect.signature(function).bind(*args, **named)
            return nnx.jit(function, **options)(*given.args, **given.kwargs)

        return bound

    return {"jit": jit}
