"""Ways to apply a lifted transform to a module, and to call the module."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Scope

from .modules import COLLECTIONS

_CALLED = "lambda inner, *args, **options: inner(*args, **options)"
# How `lift` is applied: each with the text of `build`, of the module without it, and of options.
_TARGETS = {
    "class": ("lift(FlaxLinenSteps)(steps)", "FlaxLinenSteps(steps)"),
    "partial": (
        "lift(functools.partial(FlaxLinenSteps, steps))()",
        "FlaxLinenSteps(steps)",
    ),
    "function": (
        f"FlaxLinenHolder(FlaxLinenSteps(steps), lift({_CALLED}))",
        f"FlaxLinenHolder(FlaxLinenSteps(steps), {_CALLED})",
    ),
    "methods": ("lift(FlaxLinenSteps, methods=['go'])(steps)", "FlaxLinenSteps(steps)"),
}


def built(draw: st.DrawFn, scope: Scope, text: str, *, methods: bool = True) -> str:
    """Bind `steps`, `plain`, the module with these steps, and `build(lift)`, which lifts it.

    A feature is `target:` with what the transform takes.

    Args:
        draw: the function of Hypothesis.
        scope: takes the names.
        text: the text of the steps.
        methods: whether the transform has the option `methods`.

    Returns:
        the text of options of `apply`.
    """
    target = draw(st.sampled_from([one for one in _TARGETS if methods or one != "methods"]))
    scope.note(f"target:{target}")
    lifted, plain = _TARGETS[target]
    scope.bind("steps", text)
    scope.bind("plain", plain)
    scope.bind("build", f"lambda lift: {lifted}")
    return ", 'method': 'go'" if target == "methods" else ""


_MUTABLE = {
    "[]": (),
    "True": COLLECTIONS,
    "['stats']": ("stats",),
    "'stats'": ("stats",),
    "'intermediates'": ("intermediates",),
    "['params', 'intermediates']": ("params", "intermediates"),
    "('consts',)": ("consts",),
    "flax.core.DenyList('params')": ("stats", "consts", "intermediates"),
    "flax.core.DenyList('stats')": ("params", "consts", "intermediates"),
}


def bind_call(
    draw: st.DrawFn,
    scope: Scope,
    extra: str = "",
    *,
    fixed: Collection[str] = (),
    carried: Collection[str] = (),
    changes: bool = True,
) -> None:
    """Bind `call`, options of `apply`.

    A feature `carry:immutable` says that a loop carries variables that the call may not change.

    Args:
        draw: the function of Hypothesis.
        scope: takes the name and the features.
        extra: the text of further options.
        fixed: collections that must not be mutable.
        carried: collections that a loop carries.
        changes: whether all carried variables are mutable, or not all carried collections;
            default `True`.
    """
    full = {name for name in carried if f"in:{name}" in scope.features or not changes}
    forms = [
        text
        for text, held in _MUTABLE.items()
        if not set(fixed) & set(held) and (full <= set(held)) == changes
    ]
    mutable = draw(st.sampled_from(forms))
    for name in carried:
        if f"in:{name}" in scope.features and name not in _MUTABLE[mutable]:
            scope.note("carry:immutable")
    rngs = draw(st.sampled_from(("seeds", "{'noise': seeds['noise']}")))
    scope.bind("call", f"{{'mutable': {mutable}, 'rngs': {rngs}{extra}}}")
