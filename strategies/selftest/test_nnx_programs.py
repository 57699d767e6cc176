"""Strategies of NNX programs reach every step, shrink, and refuse bad arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from drawn import STEADY, features_of, shrinks
from hypothesis import find, given, settings, strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.availability import absence, usable
from hypothesis_pytrees.nnx.attributes import ROUNDS, attribute_rounds
from hypothesis_pytrees.nnx.module_programs import FREE, module_programs
from hypothesis_pytrees.nnx.optimizers import TRANSFORMATIONS, nnx_optimisations
from hypothesis_pytrees.nnx.programs import (
    DICT_STEPS,
    LIST_STEPS,
    ROUND_TRIPS,
    dict_keys,
    dict_programs,
    list_programs,
)
from hypothesis_pytrees.nnx.rngs import RNGS, random_streams

pytestmark = [
    pytest.mark.skipif(
        bool(absence("flax") or absence("optax")), reason="flax or optax is not installed"
    ),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
# Programs take long to run.
_features = functools.partial(features_of, examples=400)


@pytest.mark.sweep
def test_every_step_of_a_list_is_drawn() -> None:
    found = _features(list_programs(steps=(*LIST_STEPS, *ROUND_TRIPS)))
    wanted = {f"step:{step.name}" for step in (*LIST_STEPS, *ROUND_TRIPS)}
    assert not (wanted | {"items:data", "items:static", "items:mixed"}) - set(found)


@pytest.mark.sweep
def test_every_step_of_a_dict_is_drawn() -> None:
    found = _features(dict_programs())
    assert not {f"step:{step.name}" for step in DICT_STEPS} - set(found)
    assert {"key:text", "key:method", "key:no-text"} <= set(_features(dict_keys()))


@pytest.mark.sweep
def test_every_step_of_a_module_is_drawn() -> None:
    found = _features(module_programs(cycles=True))
    steps = {ways[0].features[0] for ways in FREE}
    # Flax up to 0.10.4 takes no bare array for an attribute, and up to 0.11 has no List.
    lists = {"step:add-list", "step:grow", "step:shrink"}
    assert not steps - set(found) - {"step:add-array", *lists}


@pytest.mark.sweep
def test_every_round_of_an_attribute_is_drawn() -> None:
    found = _features(attribute_rounds())
    marks = {"round:data", "round:static"}
    assert not {kind.features[0] for kind in ROUNDS} - set(found) - marks


@pytest.mark.sweep
def test_every_transformation_and_stream_is_drawn() -> None:
    drawn = _features(nnx_optimisations())
    assert not {kind.features[0] for kind in usable(tuple(TRANSFORMATIONS))} - set(drawn)
    drawn = _features(random_streams())
    wanted = {feature for kind in usable(tuple(RNGS)) for feature in kind.features}
    assert not (wanted | {"rngs:used", "calls:own"}) - set(drawn)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("strategy", "feature", "most"),
    [
        (list_programs, "step:delete-backward", 140),
        (dict_programs, "step:setdefault", 150),
        (module_programs, "step:share", 220),
        (attribute_rounds, "round:delete", 250),
        (random_streams, "rngs:used", 110),
    ],
)
def test_shrinks(
    strategy: Callable[[], st.SearchStrategy[Recipe]], feature: str, most: int
) -> None:
    def check(found: Recipe) -> None:
        body = "\n".join(found.statements)
        assert len(body) <= most, body

    shrinks(strategy(), lambda recipe: feature in recipe.features, check, options=STEADY)


@pytest.mark.parametrize(
    "strategy", [list_programs(), dict_programs(), random_streams(), module_programs()]
)
def test_source_is_what_is_built(strategy: st.SearchStrategy[Recipe]) -> None:
    @settings(STEADY, max_examples=30)
    @given(strategy)
    def same_names(recipe: Recipe) -> None:
        scope: dict[str, object] = {"__name__": "__main__"}
        exec(compile(recipe.source(), "<source>", "exec", dont_inherit=True), scope)
        built = recipe.run()
        for text in recipe.statements:
            name = text.partition(" = ")[0]
            assert name not in built or type(scope[name]).__name__ == type(built[name]).__name__

    same_names()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="most must be at least 1"):
        find(list_programs(most=0), bool, settings=STEADY)
    with pytest.raises(ValueError, match="must each name at least one"):
        find(dict_programs(steps=()), bool, settings=STEADY)
    with pytest.raises(ValueError, match="at least one step"):
        find(module_programs(steps=()), bool, settings=STEADY)
    with pytest.raises(ValueError, match="transformations is empty"):
        find(nnx_optimisations(transformations=()), bool, settings=STEADY)
    with pytest.raises(ValueError, match="most must be at least 1"):
        find(random_streams(most=0), bool, settings=STEADY)
