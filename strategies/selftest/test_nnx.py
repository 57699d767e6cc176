"""NNX strategies reach every kind, shrink to something small, and refuse bad arguments."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from drawn import STEADY, features_of, shrinks
from hypothesis import find, given, settings, strategies as st

from hypothesis_pytrees import NNX_MODULES, Recipe, nnx_modules, nnx_states, variables
from hypothesis_pytrees.core.availability import absence, usable
from hypothesis_pytrees.nnx.modules import NNX_CONTAINERS, NNX_CYCLES, NNX_LAYERS
from hypothesis_pytrees.nnx.states import NNX_STATES
from hypothesis_pytrees.nnx.variables import HOOKED_TYPES, VARIABLE_TYPES

pytestmark = [
    pytest.mark.skipif(bool(absence("flax")), reason="flax is not installed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.mark.sweep
def test_every_kind_of_module_is_drawn_and_builds() -> None:
    found = features_of(nnx_modules(cycles=True, history=True), examples=2000)
    quick = (kind for kind in NNX_LAYERS if "nnx:slow" not in kind.features)
    kinds = usable((*NNX_MODULES, *NNX_CYCLES, *NNX_CONTAINERS, *quick))
    wanted = {feature for kind in kinds for feature in kind.features}
    assert not wanted - set(found)
    assert {"attribute:static", "variable", "alias:leaf", "alias:subtree"} <= set(found)


@pytest.mark.sweep
def test_every_kind_of_state_is_drawn_and_builds() -> None:
    found = features_of(nnx_states(alias=True))
    wanted = {feature for kind in usable(tuple(NNX_STATES)) for feature in kind.features}
    assert not (wanted | {"state:of-module"}) - set(found)


@pytest.mark.sweep
def test_every_type_of_variable_is_drawn_and_builds() -> None:
    found = features_of(variables(hooks=True))
    types = {f"variable:{one.name}" for one in (*VARIABLE_TYPES, *HOOKED_TYPES)}
    assert not (types | {"variable:hook", "variable:metadata"}) - set(found)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("strategy", "feature", "most"),
    [
        (nnx_modules, "variable:metadata", 90),
        (lambda: nnx_modules(cycles=True), "nnx:cycle", 90),
        (nnx_states, "state:int-keys", 130),
        (variables, "variable:NnxCounter", 70),
    ],
)
def test_shrinks(
    strategy: Callable[[], st.SearchStrategy[Recipe]], feature: str, most: int
) -> None:
    def check(found: Recipe) -> None:
        body = "\n".join([*found.statements, found.expression])
        assert len(body) <= most, body

    shrinks(strategy(), lambda recipe: feature in recipe.features, check)


@pytest.mark.parametrize("strategy", [nnx_modules(alias=False), nnx_states(modules=False)])
def test_source_is_what_is_built(strategy: st.SearchStrategy[Recipe]) -> None:
    @settings(STEADY, max_examples=50)
    @given(strategy)
    def same_repr(recipe: Recipe) -> None:
        scope: dict[str, object] = {"__name__": "__main__"}
        exec(compile(recipe.source(), "<source>", "exec", dont_inherit=True), scope)
        assert repr(scope["tree"]) == repr(recipe.build())

    same_repr()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="max_leaves must be at least 1"):
        find(nnx_modules(max_leaves=0), bool, settings=STEADY)
    with pytest.raises(ValueError, match="roots is empty"):
        find(nnx_states(roots=(), modules=False), bool, settings=STEADY)
    with pytest.raises(ValueError, match="types is empty"):
        find(variables(types=()), bool, settings=STEADY)
