"""Mutants of JAX that lose arguments which names or numbers address."""

from __future__ import annotations

import inspect

from selftest.mutant import mutant

_ID = "jax.calls."


@mutant("jax", kills=[_ID + "each_transform_takes_any_signature"])
def grad_is_by_the_last_argument(jax):
    """`grad` differentiates with respect to the last argument, unless numbers say otherwise."""

    def grad(function, argnums=-1, **options):
        return jax.grad(function, argnums=argnums, **options)

    return {"grad": grad}


@mutant("jax", kills=[_ID + "static_arguments_are_those_addressed"])
def jit_takes_one_static_number(jax):
    """`jit` takes the first of several numbers of static arguments."""

    def jit(function, *, static_argnums=None, **options):
        several = isinstance(static_argnums, (tuple, list))
        numbers = static_argnums[:1] if several else static_argnums
        return jax.jit(function, static_argnums=numbers, **options)

    return {"jit": jit}


@mutant("jax", kills=[_ID + "donated_arguments_are_those_addressed"])
def jit_donates_no_names(jax):
    """`jit` donates nothing that a name addresses."""

    def jit(function, *, donate_argnames=None, **options):
        return jax.jit(function, **options)

    return {"jit": jit}


@mutant("jax", kills=[_ID + "each_transform_calls_the_wrapper"])
def checkpoint_binds_by_the_shown_signature(jax):
    """`checkpoint` binds the arguments by the signature that the function shows."""

    def checkpoint(function, **options):
        def bound(*args, **named):
            given = inspect.signature(function).bind(*args, **named)
            return jax.checkpoint(function, **options)(*given.args, **given.kwargs)

        return bound

    return {"checkpoint": checkpoint}


@mutant("jax", kills=[_ID + "each_transform_takes_static_arguments"])
def make_jaxpr_takes_no_negative_numbers(jax):
    """`make_jaxpr` takes the numbers of static arguments that count from the end for others."""

    def make_jaxpr(function, static_argnums=(), **options):
        several = isinstance(static_argnums, (tuple, list))
        numbers = static_argnums if several else [static_argnums]
        numbers = [number for number in numbers if number >= 0]
        return jax.make_jaxpr(function, static_argnums=numbers, **options)

    return {"make_jaxpr": make_jaxpr}


@mutant("jax", kills=[_ID + "each_transform_takes_static_arguments"])
def checkpoint_takes_one_static_number(jax):
    """`checkpoint` takes the first of several numbers of static arguments."""

    def checkpoint(function, *, static_argnums=(), **options):
        several = isinstance(static_argnums, tuple)
        numbers = static_argnums[:1] if several else static_argnums
        return jax.checkpoint(function, static_argnums=numbers, **options)

    return {"checkpoint": checkpoint}


@mutant("jax", kills=[_ID + "a_rule_leaves_the_wrapper_alone"])
def rules_drop_what_has_no_name(jax):
    """A function with a rule gets its first argument alone if it shows `*args`."""

    def dropping(custom):
        class Dropping(custom):
            def __call__(self, *args, **named):
                shown = inspect.signature(self.fun).parameters.values()
                variadic = any(one.kind is one.VAR_POSITIONAL for one in shown)
                given = args[:1] * len(args) if variadic else args
                return super().__call__(*given, **named)

        return Dropping

    return {name: dropping(getattr(jax, name)) for name in ("custom_jvp", "custom_vjp")}


@mutant("jax", kills=[_ID + "each_transform_takes_any_signature"])
def rules_know_no_names(jax):
    """A function with `custom_jvp` or `custom_vjp` takes arguments by position alone."""

    def nameless(custom):
        return lambda function, **options: custom(lambda *args: function(*args), **options)

    return {name: nameless(getattr(jax, name)) for name in ("custom_jvp", "custom_vjp")}


@mutant("jax", kills=[_ID + "options_of_checkpoint_change_no_result"])
def remat_stops_derivatives(jax):
    """A function of `remat` has a derivative of zero."""

    def remat(function, **options):
        stopped = lambda *args, **named: jax.lax.stop_gradient(function(*args, **named))
        return jax.checkpoint(stopped, **options)

    return {"remat": remat}
