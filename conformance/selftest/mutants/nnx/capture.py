"""Mutants of `capture`."""

from __future__ import annotations

from selftest.mutant import mutant


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

        def wrapper(*args):
            try:
                return captured(*args)
            finally:
                (held if held is not None else args[0]).was_captured = True

        return wrapper

    return {"capture": capture}
