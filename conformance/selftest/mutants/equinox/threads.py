"""Mutants of Equinox that share between threads what belongs to a call."""

from __future__ import annotations

import functools
import time
import warnings

from selftest.mutant import mutant

from .._one_place import (
    PAUSE,
    made_while_others_call,
    one_place_for_arguments,
    one_place_for_the_function,
)

_ID = "equinox.threads."


@mutant("equinox", kills=[_ID + "modules_are_used_by_threads"])
def tools_have_one_place_for_arguments(eqx):
    """Functions of trees keep their arguments where each call keeps them."""
    names = ("partition", "combine", "filter", "tree_at", "tree_equal", "apply_updates")
    return {name: one_place_for_arguments(getattr(eqx, name)) for name in names}


@mutant("equinox", kills=[_ID + "functions_are_called_by_threads"])
def filter_jit_has_one_place_for_the_function(eqx):
    """`filter_jit` keeps the function that it traces where each call keeps it."""
    return {"filter_jit": one_place_for_the_function(eqx.filter_jit)}


@mutant("equinox", kills=[_ID + "one_function_is_called_by_threads"])
def filter_jit_compiles_while_others_call(eqx):
    """A function that `filter_jit` returns says that it is compiled before it is."""
    return {"filter_jit": made_while_others_call(eqx.filter_jit)}


@mutant("equinox", kills=[_ID + "errors_have_the_message_of_their_thread"])
def error_if_has_one_place_for_the_message(eqx):
    """`error_if` keeps its message where each call keeps it."""
    held = {}

    def error_if(tree, condition, message, **options):
        held["message"] = message
        time.sleep(PAUSE)
        return eqx.error_if(tree, condition, held["message"], **options)

    return {"error_if": error_if}


@mutant("equinox", kills=[_ID + "donations_leave_the_warnings_filters"])
def every_call_changes_the_filters(eqx):
    """Each function of `filter_jit` changes the filters of warnings for its calls."""

    def filter_jit(function, **options):
        made = eqx.filter_jit(function, **options)

        @functools.wraps(function)
        def called(*args, **kwargs):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Some donated buffers")
                time.sleep(PAUSE)
                return made(*args, **kwargs)

        return called

    return {"filter_jit": filter_jit}


@mutant("equinox", kills=[_ID + "traces_are_counted_in_threads"])
def the_first_trace_is_not_counted(eqx):
    """`get_num_traces` counts from 0."""
    return {"debug.get_num_traces": lambda function: eqx.debug.get_num_traces(function) - 1}
