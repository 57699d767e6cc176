"""Pairs of features: those that never meet are told if each of the two is frequent."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path

import pytest

from hypothesis_pytrees import Recipe
from treelaws.__main__ import main
from treelaws.core.failure import Breach
from treelaws.core.search import run
from treelaws.laws import law_named
from treelaws.strength.pairs.pairs import met
from treelaws.strength.pairs.recorder import InputRecorder, family, joined, packed, unpacked
from treelaws.strength.pairs.told import apart
from treelaws.subjects.registry import subject

from .pytest_runs import run_pytest

_INPUTS = Counter(
    {
        ("form:plain", "way:jit"): 40,
        ("form:plain", "way:vmap"): 60,
        ("form:method", "way:jit"): 60,
        ("leaf:int", "leaf:key", "way:grad"): 60,
        ("leaf:bool", "way:grad"): 60,
        ("way:rare",): 1,
    }
)


def _told(inputs: Counter[tuple[str, ...]]) -> set[tuple[str, str]]:
    return {(pair.one, pair.other) for pair in met("x", inputs).apart}


def test_frequent_features_that_never_meet_are_told() -> None:
    assert ("form:method", "way:vmap") in _told(_INPUTS)
    meets = _INPUTS + Counter({("form:method", "way:vmap"): 1})
    assert ("form:method", "way:vmap") not in _told(meets)


def test_values_of_one_dimension_are_a_pair_where_an_input_has_several() -> None:
    told = _told(_INPUTS)
    assert ("way:jit", "way:vmap") not in told
    assert ("leaf:bool", "leaf:int") in told


def test_rare_features_are_not_told() -> None:
    assert not any("way:rare" in pair for pair in _told(_INPUTS))


def test_only_the_dimensions_asked_for() -> None:
    found = apart({"x": _INPUTS}, frozenset({"form", "way"}))
    wanted = {("form:method", "way:vmap"), ("form:method", "way:grad"), ("form:plain", "way:grad")}
    assert {(pair.one, pair.other) for pair in found} == wanted


def test_processes_are_joined() -> None:
    parts = [packed({"x": _INPUTS}), packed({"x": Counter({("a:b",): 1}), "y": _INPUTS})]
    assert unpacked(joined(parts)) == {"x": _INPUTS + Counter({("a:b",): 1}), "y": _INPUTS}


def test_an_input_is_noted_for_the_strategy_of_its_law() -> None:
    law = law_named("jax.map.map_calls_the_function_once_a_leaf")
    recipe = Recipe(statements=("tree = 1",), features=frozenset({"a"}))
    recording = InputRecorder()
    with recording.active(), contextlib.suppress(Breach):
        run(law, subject("jax"), recipe)
    run_outside = Recipe(statements=("tree = 2",))
    with contextlib.suppress(Breach):
        run(law, subject("jax"), run_outside)
    assert unpacked(recording.counts()) == {family(law): Counter({("a",): 1})}


@pytest.mark.sweep
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_writes_its_inputs(workers: str, tmp_path: Path) -> None:
    file = tmp_path / "inputs.json"
    ended = run_pytest(
        "conformance/", "-n", workers, "--laws", "jax.map.map_calls*", "--inputs", str(file)
    )
    assert ended.returncode == 0, ended.stdout
    seen = unpacked(json.loads(file.read_text(encoding="utf-8")))
    assert sum(map(sum, (one.values() for one in seen.values()))) > 20


def test_the_command_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "inputs.json"
    file.write_text(json.dumps(packed({"x": _INPUTS})))
    assert (
        main(["coverage", "--inputs", str(file), "--dimension", "form", "--dimension", "way"]) == 0
    )
    told = capsys.readouterr().out
    assert "x: 281 inputs" in told
    assert "  form:plain with way:grad: none, 43 by chance" in told
    assert "leaf:" not in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--inputs"], "--inputs needs a FILE"),
        (["--inputs", "missing.json"], "missing.json: not features that `pytest --inputs FILE`"),
        (["--inputs", "--all", "x.json"], "--inputs takes no --all"),
        (["--dimension", "way"], "--dimension needs --inputs"),
    ],
)
def test_bad_input(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", *words]) == 2
    assert told in capsys.readouterr().err
