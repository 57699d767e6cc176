"""Mutants of `capture`."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant


def _capturing(nnx, change):
    """Return a `capture` whose results are changed."""
    if not hasattr(nnx, "capture"):
        return {}

    def capture(function, *types, **options):
        captured = nnx.capture(function, *types, **options)
        return lambda *args, **named: change(captured(*args, **named), options)

    return {"capture": capture}


@mutant(
    "nnx",
    kills=[
        "nnx.capture.capture_leaves_the_module_as_it_was",
        "nnx.capture.an_error_leaves_the_module_as_it_was",
    ],
)
def captured_modules_are_marked(nnx):
    """`capture` leaves an attribute in the module, whether the function returns or raises."""
    if not hasattr(nnx, "capture"):
        return {}

    def capture(function, *types, **options):
        held = function if isinstance(function, nnx.Module) else getattr(function, "__self__", None)
        captured = nnx.capture(function, *types, **options)

        def wrapper(*args, **named):
            try:
                return captured(*args, **named)
            finally:
                (held if held is not None else args[0]).was_captured = True

        return wrapper

    return {"capture": capture}


@mutant("nnx", kills=["nnx.capture.capturing_methods_changes_no_result"])
def captured_methods_double_the_result(nnx):
    """A function whose methods are captured returns the double."""

    def changed(result, options):
        return (result[0] * 2, *result[1:]) if "method_outputs" in options else result

    return _capturing(nnx, changed)


@mutant("nnx", kills=["nnx.capture.a_stored_tree_perturbs_a_tree"])
def stored_perturbations_are_ignored(nnx):
    """`capture` does not look at `init`."""
    if not hasattr(nnx, "capture"):
        return {}
    without = lambda function, *types, init=None, **rest: nnx.capture(function, *types, **rest)
    return {"capture": without}


@mutant(
    "nnx",
    kills=[
        "nnx.capture.outputs_of_methods_are_captured",
        "nnx.capture.captures_nest",
        "nnx.capture.trees_are_perturbed_leaf_by_leaf",
    ],
)
def captured_values_are_one_more(nnx):
    """The values in the states that `capture` returns are larger by one."""

    def changed(result, options):
        return (result[0], *(jtu.tree_map(lambda leaf: leaf + 1, one) for one in result[1:]))

    return _capturing(nnx, changed)


@mutant("nnx", kills=["nnx.capture.a_module_holds_its_perturbation"])
def perturbations_begin_with_the_value(nnx):
    """`perturb` outside of `capture` stores the value itself, where it is to store zeros."""
    perturb = nnx.Module.perturb

    def perturbed(self, name, value, *args, **options):
        is_new = not hasattr(self, name)
        result = perturb(self, name, value, *args, **options)
        if is_new and hasattr(self, name):
            held = getattr(self, name)
            held.value = value
        return result

    return {"Module.perturb": perturbed}
