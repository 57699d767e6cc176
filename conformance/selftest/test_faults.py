"""Generated faults: each changes what it says, laws notice those of the committed table."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from treelaws.__main__ import main
from treelaws.core.errors import BadInput
from treelaws.strength.faults import record
from treelaws.strength.faults.argued import Argument, arguments
from treelaws.strength.faults.fault import FAULTS
from treelaws.strength.faults.injector import Injector
from treelaws.strength.faults.leaves import alike
from treelaws.strength.faults.matrix import MISSED, NOTICED, WITHOUT_EFFECT, Cell
from treelaws.strength.faults.summary import ARGUED, summary

from .fault_places import outcomes

_FAST = "jax.map.map_calls_the_function_once_a_leaf"
_SAMPLE, _SEED = 20, 20261124


def _clear(held: list[int]) -> int:
    held.clear()
    return 1


def _refuse(_: object) -> None:
    raise ValueError("refused")


def _pair(first: float, second: float) -> tuple[Any, Any]:
    return jnp.float32(first), jnp.int32(second)


# For each fault: a function, and two calls of it of which one shows the fault.
_CALLS: dict[str, tuple[Callable[..., Any], Callable[[], list[tuple[Any, ...]]]]] = {
    **dict.fromkeys(FAULTS, (_pair, lambda: [(1.0, 2.0), (3.0, 4.0)])),
    "same object": (list, lambda: [([1, 2],)]),
    "trace": (lambda leaf: leaf, lambda: [(jnp.ones(2),)]),
    "no error": (_refuse, lambda: [(1,)]),
    "other error": (_refuse, lambda: [(1,)]),
    "no effect": (_clear, lambda: [([1, 2],)]),
    "effect twice": (list.pop, lambda: [([1, 2, 3],)]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_changes_an_answer_or_an_effect(fault: str) -> None:
    function, calls = _CALLS[fault]
    injector = Injector()
    broken = injector.wrap(function)
    if fault == "trace":
        real, broken = jax.jit(function), jax.jit(broken)
    else:
        real = function
    with injector.injected(FAULTS[fault]):
        seen = [_outcome(broken, call) for call in calls()]
    wanted = [_outcome(real, call) for call in calls()]
    assert injector.shown
    identical = fault in ("copy", "same object")
    assert identical or not all(map(_same, seen, wanted)), seen


def _outcome(function: Callable[..., Any], call: tuple[Any, ...]) -> Any:
    try:
        return function(*call), call
    except Exception as raised:
        return type(raised).__name__


def _same(one: Any, other: Any) -> bool:
    weak = [getattr(leaf, "weak_type", None) for leaf in jax.tree_util.tree_leaves((one, other))]
    return alike(one, other) and weak[: len(weak) // 2] == weak[len(weak) // 2 :]


def test_a_transformation_is_broken_where_its_function_is_called() -> None:
    injector = Injector()
    jit = injector.wrap(jax.jit, transforms=True)
    with injector.injected(FAULTS["value"]):
        assert jit(lambda x: x + 1)(np.float32(1.0)) == 3.0
    assert injector.shown


_PLACES = [
    (function, law, fault)
    for function, found in record.recorded().items()
    for law, faults in found.noticed.items()
    for fault in faults
]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("function", "law", "fault"), random.Random(_SEED).sample(_PLACES, _SAMPLE)
)
def test_a_law_notices_the_fault_that_the_table_says(function: str, law: str, fault: str) -> None:
    assert outcomes(law, function, fault) == [NOTICED]


def test_each_argument_is_about_a_missed_fault_and_names_faults_that_exist() -> None:
    missed = [(name, fault) for name, found in record.recorded().items() for fault in found.missed]
    for one in arguments():
        assert one.reason.endswith(".")
        assert set(one.faults) <= set(FAULTS)
        assert any(one.covers(*place) for place in missed), one.reason


def test_an_argument_is_not_about_the_functions_that_it_excepts() -> None:
    one = Argument(("*",), ("same object",), "It may be.", ("*.copy",))
    assert one.covers("flax.freeze", "same object")
    assert not one.covers("flax.core.copy", "same object")
    assert not one.covers("flax.freeze", "copy")


def test_summary_takes_the_best_outcome_of_any_law() -> None:
    outcomes = [("a", MISSED), ("b", NOTICED), ("a", WITHOUT_EFFECT)]
    found = [Cell(f"x.{law}", "jax", "jax.f", "value", how) for law, how in outcomes]
    found.append(Cell("x.a", "jax", "jax.g", "copy", MISSED))
    argued = [Argument(("jax.g",), ("copy",), "It may copy."), Argument(("jax.h",), (), "Stale.")]
    told = summary(found, argued)
    assert told.outcomes == {("jax.f", "value"): NOTICED, ("jax.g", "copy"): ARGUED}
    assert [one.reason for one in told.stale] == ["Stale."]


@pytest.mark.sweep
def test_a_stopped_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "faults.jsonl"
    main(["faults", _FAST, "--cases", "2", "--out", str(out)])
    first = capsys.readouterr().out
    (line,) = out.read_text().splitlines()
    assert json.loads(line)["law"] == _FAST
    out.write_text(f'{line}\n{{"law": "half of a li')
    main(["faults", _FAST, "--cases", "2", "--out", str(out)])
    assert capsys.readouterr().out == first
    assert out.read_text().startswith(line)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.such.law"], "no law is called 'no.such.law'"),
        (["--cases", "0"], "--cases 0: give a number from 1 on"),
        (["--enough", "0"], "--enough 0: give a number from 1 on"),
        (["--shard", "3/2"], "'3/2' is not a shard"),
        (["--record", "--shard", "1/2"], "--record needs all parts; leave --shard out"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["faults", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_an_installed_package_has_no_table_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record, "FILE", tmp_path / "reports" / "faults.toml")
    assert main(["faults", "--record"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"{tmp_path / 'reports'} does not exist; use --record in a clone of the project"
    with pytest.raises(BadInput, match=r"faults.toml does not exist; run this in a clone"):
        record.recorded()


def test_a_file_that_holds_no_results_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "other.txt"
    file.write_text("text\n")
    assert main(["faults", _FAST, "--out", str(file)]) == 2
    assert capsys.readouterr().err == f"{file}:1: is not a result of `faults`\n"
