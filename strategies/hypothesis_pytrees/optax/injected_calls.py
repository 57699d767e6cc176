"""Calls of a factory of gradient transformations, made by `inject_hyperparams` of the factory."""

from __future__ import annotations

import inspect

from hypothesis_pytrees.core.recipe import Scope

# Those whose functions may be schedules, by their documentation.
_SCHEDULED = {"learning_rate"}


def injected_call(scope: Scope, text: str) -> str:
    """Return the call of a factory with `inject_hyperparams` around the factory.

    As documented, functions other than schedules, including types, are named as static.

    Args:
        scope: where the names in the call are bound.
        text: the call, for example `"optax.adam(learning_rate=0.1)"`.
    """
    factory, _, arguments = text.partition("(")
    signature = inspect.signature(scope.value(factory))
    given, named = scope.value(f"(lambda *given, **named: (given, named))({arguments}")
    bound = signature.bind(*given, **named)
    bound.apply_defaults()
    values = bound.arguments.items()
    static = [name for name, one in values if callable(one) and name not in _SCHEDULED]
    return f"optax.inject_hyperparams({factory}{f', {static}' if static else ''})({arguments}"
