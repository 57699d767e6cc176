"""Mutants of Flax NNX' transforms: rules of derivatives, and options."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "nnx.transforms."
_IN_TREES = _ID + "a_rule_gives_the_derivative_of_a_tree"


@mutant("nnx", kills=[_ID + "a_rule_gives_the_derivative", _IN_TREES])
def custom_vjp_ignores_the_rule(nnx):
    """A function with a rule has its own derivative."""

    class Plain:
        def __init__(self, function):
            self.function = function
            self.defvjp = lambda forward, backward: None

        def __call__(self, *args, **named):
            return self.function(*args, **named)

    def custom_vjp(*functions, **options):
        return Plain(*functions) if functions else Plain

    return {"custom_vjp": custom_vjp}


@mutant("nnx", kills=[_ID + "a_rule_gets_the_derivatives_of_changes"])
def rules_get_no_updates(nnx):
    """A rule gets None in the place of each derivative by a changed Variable."""

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


@mutant("nnx", kills=[_ID + "options_reach_the_program"])
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
