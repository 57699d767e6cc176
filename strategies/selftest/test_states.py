"""Stateful models, their programs and tied trees: every kind is reached, and text rebuilds them."""

from __future__ import annotations

import collections
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.tree_util as jtu
import pytest
from drawn import shrinks
from hypothesis import HealthCheck, Phase, find, given, settings, strategies as st

from hypothesis_pytrees import (
    Recipe,
    shared_trees,
    state_programs,
    stateful_layers,
    stateful_models,
)
from hypothesis_pytrees.core.contexts import CONTEXTS
from hypothesis_pytrees.equinox.states import odd_states, parts, used_states
from hypothesis_pytrees.equinox.states_layers import (
    LAYERS_OF_ONE_INDEX,
    LAYERS_WITH_STATE,
    built_in,
)
from hypothesis_pytrees.equinox.states_norms import (
    batch_norms,
    sequences,
    spectral_norms,
    two_axis_norms,
)
from hypothesis_pytrees.equinox.states_pairs import misfits, no_indices, strangers
from hypothesis_pytrees.equinox.states_programs import STEPS, state_functions, vmapped_layers
from hypothesis_pytrees.equinox.states_shared import (
    equal_shared,
    shared_layers,
    tied_sequences,
    untied_trees,
)
from hypothesis_pytrees.equinox.states_values import state_values

SOME = settings(
    max_examples=60,
    derandomize=True,
    report_multiple_bugs=False,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
DRAW_ONLY = settings(SOME, max_examples=300, phases=[Phase.generate])
FIND = settings(SOME, max_examples=3000)
MODELS = stateful_models(stateful_layers(alias=True, norms=True), alias=True, history=True)
# Where two keys share a state, some releases refuse what one of them is set to.
APART = MODELS.filter(lambda recipe: "stateful:same-repr" not in recipe.features)
VECTORS = st.just(Recipe(expression="jax.device_put(np.float32([1, 2]))"))
EVERY = {
    "models": MODELS,
    "programs": state_programs(MODELS),
    "parts": parts(MODELS),
    "used": used_states(APART),
    "odd": odd_states(APART),
    "functions": state_functions(stateful_models(stateful_layers(VECTORS), kinds=()), context=True),
    "vmapped": vmapped_layers(),
    "strangers": strangers(),
    "misfits": misfits(),
    "no-indices": no_indices(),
    "batch-norms": batch_norms(dtypes=True),
    "two-axes": two_axis_norms(),
    "spectral": spectral_norms(),
    "sequences": sequences(),
    "shared": shared_trees(),
    "equal-shared": equal_shared(rebuilt=True),
    "copied-shared": equal_shared(rebuilt=False),
    "shared-layers": shared_layers(),
    "untied": untied_trees(),
    "tied-sequences": tied_sequences(),
}


def shapes(tree: Any) -> Any:
    """Return the shapes, dtypes and weak types of a tree's leaves."""
    return jax.eval_shape(lambda: jtu.tree_leaves(tree))


def features_of(strategy: st.SearchStrategy[Recipe], *, examples: int = 300) -> set[str]:
    """Draw so many examples and collect every feature."""
    held: set[str] = set()

    @settings(DRAW_ONLY, max_examples=examples)
    @given(strategy)
    def draw(recipe: Recipe) -> None:
        held.update(recipe.features)

    draw()
    return held


@pytest.mark.sweep
@pytest.mark.parametrize("name", EVERY)
def test_the_text_builds_alone(name: str) -> None:
    @settings(SOME, max_examples=25)
    @given(EVERY[name])
    def check(recipe: Recipe) -> None:
        module = types.ModuleType("pasted")
        sys.modules["pasted"] = module
        exec(compile(recipe.source(), "<pasted>", "exec", dont_inherit=True), vars(module))
        assert recipe.run()

    check()


def test_every_layer_is_drawn() -> None:
    held = features_of(stateful_layers(alias=True, norms=True), examples=600)
    kinds = (*LAYERS_WITH_STATE, *LAYERS_OF_ONE_INDEX, *built_in())
    assert held >= {feature for kind in kinds for feature in kind.features}


@pytest.mark.sweep
def test_layers_stand_in_every_kind_of_node() -> None:
    held = features_of(stateful_models())
    for kind in (
        "list",
        "dict",
        "namedtuple",
        "module",
        "register_dataclass",
        "register_pytree_node",
    ):
        assert f"{kind}>leaf" in held


@pytest.mark.sweep
def test_every_step_and_every_use_is_drawn() -> None:
    assert features_of(EVERY["programs"]) >= {f"step:{name}" for name in STEPS}
    assert features_of(EVERY["used"]) >= {"use:get", "use:update-with", "used-by:update"}
    assert features_of(EVERY["functions"]) >= {
        "forward:move",
        *(f"inside:{name}" for name in CONTEXTS),
    }


@SOME
@given(MODELS)
def test_what_is_bound_belongs_together(recipe: Recipe) -> None:
    names = recipe.run()
    assert len(names["indices"]) == len(names["given"]) == len(names["others"]) >= 1
    for one, other in zip(names["given"], names["others"], strict=True):
        assert jtu.tree_structure(one) == jtu.tree_structure(other)
        assert shapes(one) == shapes(other)
        if any(leaf.size for leaf in jtu.tree_leaves(one)):
            assert eqx.tree_equal(one, other) is not True


@SOME
@given(stateful_models())
def test_without_alias_every_index_is_another(recipe: Recipe) -> None:
    names = recipe.run()
    made = names["indices_of"](names["make"]())
    counts = collections.Counter(map(jtu.tree_structure, made))
    assert set(counts.values()) == {1}


@SOME
@given(state_values())
def test_values_are_trees_of_arrays(recipe: Recipe) -> None:
    arrays = jtu.tree_map(jax.numpy.asarray, recipe.build())
    assert all(isinstance(leaf, jax.Array) for leaf in jtu.tree_leaves(arrays))


@SOME
@given(strangers())
def test_strangers_have_unlike_models(recipe: Recipe) -> None:
    names = recipe.run()
    one, other = names["one"](), names["other"]()
    assert jtu.tree_structure(one) != jtu.tree_structure(other)
    assert (type(one).__name__ == type(other).__name__) == ("strangers:one-name" in recipe.features)


@SOME
@given(shared_trees())
def test_tied_nodes_differ_before_and_have_one_shape(recipe: Recipe) -> None:
    names = recipe.run()
    where, get, tree = names["where"], names["get"], names["tree"]
    assert shapes(where(tree)) == shapes(get(tree))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("strategy", "wanted", "minimum"),
    [
        # Two minima: one is drawn from fewer choices, the other is the first of the layers.
        (
            stateful_models(),
            lambda recipe: True,
            r"return (eqx\.nn\.StateIndex\(|StateByFactory\()",
        ),
        (
            stateful_models(),
            lambda recipe: "stateful:two" in recipe.features,
            r"return TwoStates\(",
        ),
        (
            state_programs(stateful_models()),
            lambda recipe: "step:pickle" in recipe.features,
            r"    state = pickle\.loads\(pickle\.dumps\(state\)\)\n    yield",
        ),
        (shared_trees(), lambda recipe: True, r"tree = \[one, other\]"),
    ],
)
def test_shrinks(
    strategy: st.SearchStrategy[Recipe], wanted: Callable[[Recipe], bool], minimum: str
) -> None:
    def check(found: Recipe) -> None:
        assert re.search(minimum, found.source())
        assert found.source().count("yield") <= 1
        assert not any(
            name.startswith("history:") and name != "history:fresh" for name in found.features
        )

    shrinks(strategy, wanted, check, options=FIND)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="max_steps"):
        find(state_programs(stateful_models(), max_steps=0), lambda _: True)
    with pytest.raises(ValueError, match="max_leaves"):
        find(stateful_models(max_layers=0), lambda _: True)
