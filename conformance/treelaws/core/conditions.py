"""Conditions on inputs, computed from the instance, so that they are the same for every class.

A law may promise something only for some instances: `grad` takes real leaves. Kinds of the suite
carry features that say so; an instance of a user's class has none, so the instance itself is asked.
"""

from __future__ import annotations

import dataclasses
import functools
import weakref
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe

from .law import Case
from .limits.time_limit import errors_ignored
from .subject import Subject

# Takes the library and a case; returns why the case is not an input, or "".
Condition = Callable[[Any, Case], str]

_UNMET = "unmet: "
# As many as `filter` of Hypothesis draws before it rejects a test case.
_ATTEMPTS = 3
_CONDITIONAL: weakref.WeakSet[st.SearchStrategy[Recipe]] = weakref.WeakSet()


def meeting(
    strategy: st.SearchStrategy[Recipe], subject: Subject, *conditions: Condition
) -> st.SearchStrategy[Recipe]:
    """Draw recipes that meet the conditions; one that does not has a feature that says why.

    `filter` would fail for a class none of whose instances meets them; its law is skipped instead.

    Args:
        strategy: the strategy of the recipes.
        subject: the subject whose library and namespace the conditions get.
        conditions: each takes the library and a case, and returns the reason or `""`.
    """
    found = _meeting(strategy, subject, conditions)
    _CONDITIONAL.add(found)
    return found


def are_set_on(strategy: st.SearchStrategy[Recipe]) -> bool:
    """Return whether a strategy was made by `meeting`."""
    return strategy in _CONDITIONAL


def unmet(recipe: Recipe) -> str:
    """Return why a recipe is not an input of its law; empty if it is one."""
    reasons = (name.removeprefix(_UNMET) for name in recipe.features if name.startswith(_UNMET))
    return next(reasons, "")


def met(subject: Subject, condition: Condition, recipe: Recipe) -> bool:
    """Return whether a recipe can be built and meets a condition that raises nothing."""
    with errors_ignored():
        return not condition(subject.lib, Case(recipe, subject.namespace))
    return False


@st.composite
def _meeting(
    draw: st.DrawFn,
    strategy: st.SearchStrategy[Recipe],
    subject: Subject,
    conditions: tuple[Condition, ...],
) -> Recipe:
    recipe, reason = Recipe(), ""
    for _ in range(_ATTEMPTS):
        recipe = draw(strategy)
        reasons = (_reason(subject, condition, recipe) for condition in conditions)
        reason = next(filter(None, reasons), "")
        if not reason:
            return recipe
    return dataclasses.replace(recipe, features=recipe.features | {_UNMET + reason})


@functools.lru_cache(maxsize=512)
def _reason(subject: Subject, condition: Condition, recipe: Recipe) -> str:
    # The law itself reports a node that cannot be built, flattened or built again.
    with errors_ignored():
        return condition(subject.lib, Case(recipe, subject.namespace))
    return ""
