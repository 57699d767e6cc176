"""Mutants of Flax NNX transforms: gradient rules and options."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "nnx.transforms."
_IN_TREES = _ID + "a_rule_gives_the_gradient_of_a_tree"


@mutant("nnx", kills=[_ID + "a_rule_gives_the_gradient", _IN_TREES])
def custom_vjp_ignores_the_rule(nnx):
    """A function with a rule has its true gradient."""

    class Plain:
        def __init__(self, function):
            self.function = function
            self.defvjp = lambda forward, backward: None

        def __call__(self, *args, **named):
            return self.function(*args, **named)

    def custom_vjp(*functions, **options):
        return Plain(*functions) if functions else Plain

    return {"custom_vjp": custom_vjp}


@mutant("nnx", kills=[_ID + "a_rule_gets_the_gradients_by_changes"])
def rules_get_no_updates(nnx):
    """A rule gets None in the place of each gradient by a changed Variable."""

    def custom_vjp(function, **options):
        custom = nnx.custom_vjp(function, **options)
        define = custom.defvjp

        def defvjp(forward, backward):
            def without(*args, updates_g):
                return backward(*args, updates_g=jtu.tree_map(lambda leaf: None, updates_g))

            define(forward, without)

        custom.defvjp = defvjp
        return custom

    return {"custom_vjp": custom_vjp}


@mutant("nnx", kills=[_ID + "options_reach_jax"])
def jit_forgets_names_to_donate(nnx):
    """`nnx.jit` takes `donate_argnames`, and donates nothing for it."""

    def jit(function, *, donate_argnames=(), **options):
        return nnx.jit(function, **options)

    return {"jit": jit}


@mutant("nnx", kills=[_ID + "stages_describe_the_arguments"])
def jit_donates_all(nnx):
    """`nnx.jit` donates all arguments."""

    def jit(function, **options):
        return nnx.jit(function, **{**options, "donate_argnums": (0, 1), "donate_argnames": ()})

    return {"jit": jit}


@mutant("nnx", kills=[_ID + "a_rule_gets_the_gradients_by_states"])
def rules_get_no_states(nnx):
    """A rule gets zeros as the gradients by the state of a module."""

    def custom_vjp(function, **options):
        custom = nnx.custom_vjp(function, **options)
        define = custom.defvjp

        def defvjp(forward, backward):
            def without(kept, given):
                zeros = jtu.tree_map(jnp.zeros_like, given[0])
                return backward(kept, (zeros, given[1]))

            define(forward, backward if options else without)

        custom.defvjp = defvjp
        return custom

    return {"custom_vjp": custom_vjp}


@mutant("nnx", kills=[_ID + "a_function_with_a_rule_has_its_effect"])
def functions_with_a_rule_work_on_copies(nnx):
    """A function with a rule changes a copy of the module."""

    def custom_vjp(function, **options):
        apart = lambda held, x: function(nnx.clone(held), x)
        custom = nnx.custom_vjp(apart, **options)
        define = custom.defvjp

        def defvjp(forward, backward):
            define(lambda held, x: forward(nnx.clone(held), x), backward)

        custom.defvjp = defvjp
        return custom

    return {"custom_vjp": custom_vjp}


@mutant("nnx", kills=[_ID + "stages_of_bound_programs_do_what_they_do"])
def stages_forget_the_bound_arguments(nnx):
    """Stages of `jit_partial` change copies of the bound arguments."""

    class Bound:
        def __init__(self, function, *bound, **options):
            self.call = nnx.jit_partial(function, *bound, **options)
            copied = nnx.jit_partial(function, *nnx.clone(bound, graph=False), **options)
            self.lower, self.trace = copied.lower, copied.trace

        def __call__(self, *args, **named):
            return self.call(*args, **named)

    return {"jit_partial": Bound}
