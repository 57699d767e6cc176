"""Mutants of what a Module says of functions in its attributes."""

from __future__ import annotations

import warnings

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.module.wrappers.hidden_modules_are_warned_of"])
def hidden_modules_are_not_warned_of(eqx):
    """No Module warns for an attribute in which JAX transformed another Module."""

    class Quiet(type(eqx.Module)):
        def __call__(cls, *args, **kwargs):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return super().__call__(*args, **kwargs)

    class Module(eqx.Module, metaclass=Quiet):
        pass

    return {"Module": Module}
