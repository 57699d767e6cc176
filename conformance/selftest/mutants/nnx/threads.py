"""Mutants of Flax NNX that share between threads what belongs to a call."""

from __future__ import annotations

import contextlib
import time

from selftest.mutant import mutant

from .._one_place import (
    PAUSE,
    made_while_others_call,
    one_place_for_arguments,
    one_place_for_the_function,
)

_ID = "nnx.threads."


@mutant("nnx", kills=[_ID + "modules_are_used_by_threads"])
def functions_have_one_place_for_arguments(nnx):
    """Functions of modules keep their arguments where each call keeps them."""
    names = ("split", "merge", "clone", "state", "iter_graph")
    return {name: one_place_for_arguments(getattr(nnx, name)) for name in names}


@mutant("nnx", kills=[_ID + "programs_are_run_by_threads"])
def nnx_jit_has_one_place_for_the_function(nnx):
    """`jit` keeps the function that it traces where each call keeps it."""
    return {"jit": one_place_for_the_function(nnx.jit)}


@mutant("nnx", kills=[_ID + "one_function_is_called_by_threads"])
def nnx_jit_compiles_while_others_call(nnx):
    """A function that `jit` returns says that it is compiled before it is."""
    names = ("jit", "grad", "value_and_grad", "remat")
    return {name: made_while_others_call(getattr(nnx, name)) for name in names}


@mutant("nnx", kills=[_ID + "settings_do_not_mix"])
def settings_are_those_of_the_process(nnx):
    """`use_eager_sharding` has an effect on all threads."""
    held = []

    class use_eager_sharding:
        def __init__(self, value):
            self.value = value

        def __enter__(self):
            held.append(self.value)
            time.sleep(PAUSE)

        def __exit__(self, *error):
            with contextlib.suppress(IndexError):
                held.pop()

    def using_eager_sharding():
        return held[-1] if held else True

    return {
        "use_eager_sharding": use_eager_sharding,
        "using_eager_sharding": using_eager_sharding,
    }


@mutant("nnx", kills=[_ID + "first_calls_are_made_by_threads"])
def transforms_are_for_one_thread(nnx):
    """Functions of `jit`, `grad` and `remat` raise an error if two threads call them."""

    def guarded(transform):
        def changed(function, **options):
            made, inside = transform(function, **options), []

            def called(*args):
                inside.append(args)
                time.sleep(PAUSE)
                alone = len(inside) == 1
                inside.clear()
                if not alone:
                    raise RuntimeError("two threads at the same time")
                return made(*args)

            return called

        return changed

    return {name: guarded(getattr(nnx, name)) for name in ("jit", "grad", "remat")}


@mutant("nnx", kills=[_ID + "a_name_stands_for_one_type"])
def each_call_makes_a_type(nnx):
    """`variable_type_from_name` makes a type for each call."""

    def variable_type_from_name(name, /, *, base, allow_register):
        return type(name, (base,), {})

    return {"variable_type_from_name": variable_type_from_name}


@mutant("nnx", kills=[_ID + "names_are_found_while_others_register"])
def the_last_name_is_that_of_all_types(nnx):
    """`variable_name_from_type` gives the name that was registered last."""
    names = []

    def register_variable_name(name, kind):
        names.append(name)
        return nnx.register_variable_name(name, kind)

    return {
        "register_variable_name": register_variable_name,
        "variable_name_from_type": lambda kind: names[-1],
    }
