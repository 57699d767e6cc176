"""Mutants of JAX which mistake parts that programs hand on."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.forwarding.compiled_functions_give_what_functions_give"])
def jit_hands_on_the_first_argument(jax):
    """`jit` gives the first array of the arguments for each array that is returned as it is."""

    def jit(function, **options):
        def handed(first, second):
            given = jax.tree_util.tree_leaves((first, second))
            number = lambda leaf: next(at for at, one in enumerate(given) if one is leaf)
            known = lambda leaf: any(one is leaf for one in given)
            last = lambda leaf: given[0] if known(leaf) and number(leaf) else leaf
            return jax.tree_util.tree_map(last, function(first, second))

        return jax.jit(handed, **options)

    return {"jit": jit}


@mutant("jax", kills=["jax.forwarding.arguments_that_are_not_donated_are_kept"])
def jit_donates_the_first_argument(jax):
    """`jit` donates the first argument, too."""

    def jit(function, donate_argnums=(), **options):
        numbers = (donate_argnums,) if isinstance(donate_argnums, int) else donate_argnums
        if "donate_argnames" in options:
            return jax.jit(function, **options)
        return jax.jit(function, donate_argnums={0, *numbers}, **options)

    return {"jit": jit}


@mutant("jax", kills=["jax.forwarding.control_flow_gives_what_plain_python_gives"])
def fori_loop_takes_a_step_less(jax):
    """`fori_loop` ends a step too early."""

    def fori_loop(lower, upper, body, start, **options):
        return jax.lax.fori_loop(lower, upper - 1, body, start, **options)

    return {"lax.fori_loop": fori_loop}
