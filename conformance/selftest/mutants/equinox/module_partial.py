"""Mutants of `Partial`."""

from __future__ import annotations

import functools

import jax

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.module.partial.partial_calls_as_functools_does"])
def partial_puts_its_arguments_last(eqx):
    """The arguments of the call come before those of the Partial."""

    class Partial(eqx.Partial):
        def __call__(self, /, *args, **kwargs):
            return self.func(*args, *self.args, **kwargs, **self.keywords)

    return {"Partial": Partial}


@mutant(
    "equinox",
    kills=[
        "equinox.module.partial.partial_has_the_attributes",
        "equinox.module.partial.used_partials_call_alike",
    ],
)
def partial_forgets_keywords(eqx):
    """A Partial that holds arguments shows no keywords."""

    class Partial(eqx.Partial):
        def __init__(self, func, /, *args, **kwargs):
            self.func = functools.partial(func, **kwargs) if args else func
            self.args = args
            self.keywords = {} if args else kwargs

        def __call__(self, /, *args, **kwargs):
            return self.func(*self.args, *args, **kwargs)

    return {"Partial": Partial}


@mutant("equinox", kills=["equinox.module.partial.partial_is_a_pytree_of_its_arguments"])
def partial_holds_its_function_as_static(eqx):
    """The function of a Partial is static, as in `jax.tree_util.Partial`."""
    return {"Partial": jax.tree_util.Partial}


@mutant("equinox", kills=["equinox.module.partial.partial_of_no_callable_is_refused"])
def partial_of_no_callable_gives_it(eqx):
    """Calling a Partial of what cannot be called gives that."""

    class Partial(eqx.Partial):
        def __call__(self, /, *args, **kwargs):
            if not callable(self.func):
                return self.func
            return super().__call__(*args, **kwargs)

    return {"Partial": Partial}
