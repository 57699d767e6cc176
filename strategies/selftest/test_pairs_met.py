"""Strategies reach the classes of grammars: each pair of traits meets in some input."""

from __future__ import annotations

import itertools

import pytest
from drawn import STEADY
from hypothesis import given, settings, strategies as st

from hypothesis_pytrees import Recipe, modules, nnx_modules, variables
from hypothesis_pytrees.classes.grammar.modules import MODULE_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_modules import NNX_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_variables import NNX_VARIABLE_CLASSES
from hypothesis_pytrees.classes.grammar.pool import Grammar
from hypothesis_pytrees.classes.grammar.traits import fit
from hypothesis_pytrees.core.availability import lacking

# A run of the laws of one library draws more than ten times as many.
_EXAMPLES = 3000


@pytest.mark.parametrize(
    ("grammar", "strategy"),
    [
        pytest.param(MODULE_CLASSES, modules(), id="modules"),
        pytest.param(NNX_CLASSES, nnx_modules(), id="nnx-modules"),
        pytest.param(NNX_VARIABLE_CLASSES, variables(), id="variables"),
    ],
)
def test_each_pair_of_traits_meets_in_an_input(
    grammar: Grammar, strategy: st.SearchStrategy[Recipe]
) -> None:
    met: set[tuple[str, ...]] = set()

    @settings(STEADY, max_examples=_EXAMPLES)
    @given(strategy)
    def draw(recipe: Recipe) -> None:
        names = sorted(recipe.features & wanted_names)
        met.update(itertools.combinations(names, 2))

    prefix = grammar.style.prefix
    takes = {kind.placed[0].trait.name for kind in grammar.alone() if not lacking(kind)}
    named = {one.name: one for one in grammar.traits if one.name in takes}
    wanted_names = {f"{prefix}{name}" for name in named}
    fitting = (pair for pair in itertools.combinations(sorted(named), 2))
    wanted = {
        tuple(sorted(f"{prefix}{name}" for name in pair))
        for pair in fitting
        if fit([named[name] for name in pair])
    }
    draw()
    assert not wanted - met
