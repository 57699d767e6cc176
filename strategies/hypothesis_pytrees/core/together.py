"""Calls for threads: each has objects of its own, and may be any of a family."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

from .recipe import Recipe, Scope


@st.composite
def together(
    draw: st.DrawFn, one: st.SearchStrategy[Recipe], *, least: int = 2, most: int = 4
) -> Recipe:
    """Draw `works`, functions without arguments, each of which has objects of its own.

    Feature `threads:same` if all of them do the same with equal objects.

    Args:
        one: strategy of recipes whose value is a function without arguments.
        least: fewest functions, at least 1; default 2.
        most: most functions; default 4.

    Raises:
        ValueError: `least` is below 1 or above `most`.
    """
    if not 1 <= least <= most:
        raise ValueError(f"give 1 <= least <= most, got {least} and {most}")
    scope, count = Scope(), draw(st.integers(least, most))
    drawn = [draw(one)]
    # Calls that do the same meet most often in the same line.
    if draw(st.booleans()):
        drawn *= count
        scope.note("threads:same")
    else:
        drawn += [draw(one) for _ in range(count - 1)]
    # A name for each, since a lambda in a list reads as one line of a hundred words.
    names = [scope.bind("work", recipe) for recipe in drawn]
    scope.bind("works", f"[{', '.join(names)}]")
    return scope.recipe()


def repeated(recipe: Recipe) -> Recipe:
    """Return a recipe of a function that calls another ten times, and gives the last result.

    Args:
        recipe: its value is a function without arguments.
    """
    definitions = (*recipe.definitions, REPEATED)
    text = f"calls_again({recipe.expression})"
    return dataclasses.replace(recipe, definitions=definitions, expression=text)


# A single call often ends before threads change.
REPEATED = """\
def calls_again(work):
    return lambda: [work() for _ in range(10)][-1]
"""
