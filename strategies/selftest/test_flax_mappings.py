"""Nested dicts and traversals: every sort is reached, text rebuilds, bad arguments are refused."""

from __future__ import annotations

import pytest
from hypothesis import settings
from test_trees import FIXED, collect, smallest

from hypothesis_pytrees.core.availability import absence
from hypothesis_pytrees.flax.mappings import KEYS, frozen_dicts, nested_dicts
from hypothesis_pytrees.flax.programs import frozen_programs
from hypothesis_pytrees.flax.traversals import traversals

FEWER = settings(FIXED, max_examples=500)
_REASON = absence("flax")
needs_flax = pytest.mark.skipif(bool(_REASON), reason=_REASON or "flax is here")
PRIOR_OPERATIONS = (
    *("fresh", "map", "copied", "refrozen", "deepcopy", "wrapped", "restored", "map-to-frozen"),
)


def test_every_sort_of_key_is_reached() -> None:
    seen = collect(nested_dicts(sorts=tuple(KEYS)), FEWER)
    assert [sort for sort in KEYS if not seen[f"keys:{sort}"]] == []


def test_every_history_is_reached() -> None:
    seen = collect(frozen_dicts(), FEWER)
    assert [name for name in PRIOR_OPERATIONS if not seen[f"history:{name}"]] == []
    assert seen["dict:empty"]
    assert seen["dict:nested"]


@needs_flax
def test_frozen_dict_equals_its_dict() -> None:
    for history in PRIOR_OPERATIONS:
        drawn = smallest(
            frozen_dicts(least=1), lambda one, history=history: f"history:{history}" in one.features
        )
        names = drawn.run()
        assert names["frozen"] == names["plain"], drawn.source()


def test_unordered_keys_are_not_flattened() -> None:
    seen = collect(frozen_dicts(sorts=("unordered",), least=2), FEWER)
    assert not seen["history:map"]
    assert seen["history:copied"]


def test_dicts_shrink_to_the_empty_one() -> None:
    assert smallest(nested_dicts(), lambda drawn: True).statements == ("plain = {}",)


@pytest.mark.parametrize("options", [{"sorts": ("none",)}, {"sorts": ()}, {"least": 3}])
def test_bad_arguments_are_refused(options: dict) -> None:
    for strategy in (nested_dicts(**options), frozen_dicts(**options)):
        with pytest.raises(ValueError, match=r"sorts|keys|least"):
            smallest(strategy, lambda drawn: True)


def test_every_step_of_a_program_is_reached() -> None:
    seen = collect(frozen_programs(), FEWER)
    steps = {
        "copy",
        "copy-frozen",
        "function-copy",
        "rebuild",
        "nest",
        "map",
        "wrap",
        "pickle",
        "pop",
    }
    assert [step for step in steps if not seen[f"step:{step}"]] == []


@needs_flax
def test_programs_run_and_shrink() -> None:
    drawn = smallest(frozen_programs(), lambda one: {"step:pop", "step:wrap"} <= one.features)
    names = drawn.run()
    assert names["frozen"] == names["plain"]
    assert len(drawn.statements) <= 8


def test_every_step_of_a_traversal_is_reached() -> None:
    seen = collect(traversals(), FEWER)
    steps = {"item:dict", "item:tuple-negative", "item:list-slice", "item:frozen", "tree", "merge"}
    assert [step for step in steps if not seen[f"step:{step}"]] == []


@needs_flax
def test_traversals_fit_their_data() -> None:
    from flax import traverse_util

    drawn = smallest(traversals(), lambda one: {"step:tree", "step:merge"} <= one.features)
    names = drawn.run()
    with pytest.warns(DeprecationWarning, match="deprecated"):
        traversal = names["choose"](traverse_util.t_identity)
    assert list(traversal.iterate(names["data"]))
