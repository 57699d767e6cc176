"""Strategies reach the classes of grammars: each pair of traits meets in some input."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from drawn import drawn_until_met
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, modules, nnx_modules, trees, variables
from hypothesis_pytrees.classes.grammar.chex_dataclasses import CHEX_CLASSES
from hypothesis_pytrees.classes.grammar.modules import MODULE_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_modules import NNX_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_variables import NNX_VARIABLE_CLASSES
from hypothesis_pytrees.classes.grammar.pool import Grammar
from hypothesis_pytrees.classes.grammar.registered_dataclasses import REGISTERED_CLASSES
from hypothesis_pytrees.classes.grammar.structs import STRUCT_CLASSES
from hypothesis_pytrees.classes.grammar.traits import fit
from hypothesis_pytrees.core.availability import lacking
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.flax.chex_dataclasses import CHEX_DATACLASSES
from hypothesis_pytrees.flax.structs import FLAX_STRUCTS
from hypothesis_pytrees.nodes.declared import DATACLASSES
from hypothesis_pytrees.nodes.node_classes import NODE_CLASSES
from hypothesis_pytrees.nodes.nodes import NODES

_REGISTERED = tuple(kind for kind in NODES if kind.name.startswith("register_pytree"))


def _trees_of(kinds: Sequence[Kind]) -> st.SearchStrategy[Recipe]:
    return trees(kinds=kinds, roots=kinds, max_leaves=2)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("grammar", "strategy"),
    [
        pytest.param(MODULE_CLASSES, modules(), id="modules"),
        pytest.param(NNX_CLASSES, nnx_modules(), id="nnx-modules"),
        pytest.param(NNX_VARIABLE_CLASSES, variables(), id="variables"),
        pytest.param(STRUCT_CLASSES, _trees_of(FLAX_STRUCTS), id="flax-structs"),
        pytest.param(CHEX_CLASSES, _trees_of(CHEX_DATACLASSES), id="chex-dataclasses"),
        pytest.param(REGISTERED_CLASSES, _trees_of(DATACLASSES), id="register-dataclass"),
        pytest.param(NODE_CLASSES, _trees_of(_REGISTERED), id="registered"),
    ],
)
def test_each_pair_of_traits_meets_in_an_input(
    grammar: Grammar, strategy: st.SearchStrategy[Recipe]
) -> None:
    prefix = grammar.style.prefix
    takes = {kind.placed[0].trait.name for kind in grammar.alone() if not lacking(kind)}
    named = {one.name: one for one in grammar.traits if one.name in takes}
    fitting = (pair for pair in itertools.combinations(sorted(named), 2))
    wanted = {
        tuple(sorted(f"{prefix}{name}" for name in pair))
        for pair in fitting
        if fit([named[name] for name in pair])
    }
    traits = {name for pair in wanted for name in pair}
    met = drawn_until_met(
        strategy,
        wanted,
        lambda recipe: itertools.combinations(sorted(recipe.features & traits), 2),
    )
    assert not wanted - set(met)
