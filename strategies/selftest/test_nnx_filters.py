"""NNX filters and objects: each form is drawn, its text is what is built, and it shrinks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from drawn import STEADY, shrinks
from hypothesis import HealthCheck, find, given, settings, strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.availability import absence, usable
from hypothesis_pytrees.nnx.filters import SIMPLE_FILTERS, filter_lists, filters
from hypothesis_pytrees.nnx.objects import NNX_OBJECTS, nnx_objects
from hypothesis_pytrees.nnx.states import MAPPING_STEPS, mapping_programs
from hypothesis_pytrees.nnx.variables import HOOKED_TYPES, hooked_types, metadata, values, variables

pytestmark = [
    pytest.mark.skipif(bool(absence("flax")), reason="flax is not installed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Variable hooks are deprecated:UserWarning"),
]
# Some filters match nothing that is drawn.
_STEADY = settings(
    STEADY,
    max_examples=600,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def _drawn(strategy: st.SearchStrategy[Recipe]) -> tuple[Counter[str], str]:
    found: Counter[str] = Counter()
    texts: list[str] = []

    @_STEADY
    @given(strategy)
    def draw(recipe: Recipe) -> None:
        recipe.run()
        found.update(recipe.features)
        texts.append("\n".join(recipe.statements))

    draw()
    return found, "\n".join(texts)


@pytest.mark.sweep
def test_every_form_of_filter_is_drawn_and_builds() -> None:
    found, _ = _drawn(filters())
    wanted = {feature for one in SIMPLE_FILTERS for feature in one.features}
    compound = {f"filter:{form}" for form in ("Any", "All", "Not", "tuple", "list", "empty")}
    assert not (wanted | compound) - set(found)


@pytest.mark.sweep
def test_lists_of_filters_end_with_everything() -> None:
    found, text = _drawn(filter_lists())
    assert {"filters:1", "filters:2"} <= set(found)
    assert "...,)" in text


@pytest.mark.sweep
def test_a_filter_means_what_it_says() -> None:
    @_STEADY
    @given(filters())
    def check(recipe: Recipe) -> None:
        names: dict[str, Any] = recipe.run()
        assert bool(names["meaning"](("a", 0), None)) in (True, False)

    check()


def test_every_object_is_drawn_and_builds() -> None:
    found, _ = _drawn(nnx_objects())
    wanted = {feature for kind in usable(tuple(NNX_OBJECTS)) for feature in kind.features}
    assert not wanted - set(found)


def test_every_step_of_a_mapping_program_is_drawn() -> None:
    _, text = _drawn(mapping_programs())
    assert not [step for step in MAPPING_STEPS if step not in text]


def test_every_kind_of_value_is_drawn() -> None:
    found, _ = _drawn(variables(values()))
    wanted = {"leaf-is:array", "leaf-is:key", "leaf-is:numpy", "leaf-is:python", "value:mapping"}
    assert not wanted - set(found)


def test_a_hook_that_the_release_runs_is_drawn() -> None:
    assert {"hook:get", "hook:set"} <= {name for one in hooked_types() for name in one.features}
    assert set(hooked_types()) <= set(HOOKED_TYPES)


def test_names_of_metadata_are_drawn_once() -> None:
    @_STEADY
    @given(metadata())
    def check(pairs: list[tuple[str, str]]) -> None:
        assert len({name for name, _ in pairs}) == len(pairs)

    check()


@pytest.mark.parametrize(
    ("strategy", "feature", "most"),
    [
        (filters(), "filter:All", 60),
        (filters(), "filter:WithTag", 120),
        (filter_lists(), "filter:Not", 160),
        (nnx_objects(), "nnx:optimizer", 90),
        (variables(values()), "value:mapping", 60),
    ],
)
def test_shrinks(strategy: st.SearchStrategy[Recipe], feature: str, most: int) -> None:
    def check(found: Recipe) -> None:
        body = "\n".join([*found.statements, found.expression])
        assert len(body) <= most, body

    shrinks(strategy, lambda recipe: feature in recipe.features, check, options=_STEADY)


@pytest.mark.parametrize("strategy", [filters(), filter_lists(), nnx_objects()])
def test_source_is_what_is_built(strategy: st.SearchStrategy[Recipe]) -> None:
    @settings(_STEADY, max_examples=40)
    @given(strategy)
    def same_names(recipe: Recipe) -> None:
        scope: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(recipe.source(), "<source>", "exec", dont_inherit=True), scope)
        built = recipe.run()
        for name, bound in (("filter", "filter"), ("filters", "filters"), ("tree", "result")):
            if bound in built:
                assert type(scope[name]).__name__ == type(built[bound]).__name__

    same_names()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="min_size must be at least 1"):
        find(filter_lists(min_size=0), bool, settings=_STEADY)
    with pytest.raises(ValueError, match="kinds is empty"):
        nnx_objects(())
