"""Coverage: calls by laws and recipes are counted with their arguments; the table is complete."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from treelaws.__main__ import main
from treelaws.strength.coverage import recorder
from treelaws.strength.coverage.arguments import kind
from treelaws.strength.coverage.inventory import installed, inventory
from treelaws.strength.coverage.places import MODULES
from treelaws.strength.coverage.recorder import CALL, Recorder, joined
from treelaws.strength.coverage.table import Entry, current, read, reason, reasons
from treelaws.strength.harvest.record import unpassed

from .pytest_runs import run_pytest

_NAMES = {"jax": jax, "jnp": jnp, "np": np, "eqx": eqx, "nnx": nnx, "optax": optax}
_TREE = "{'a': jnp.ones(2)}"


@pytest.fixture(params=[(3, 12), (99, 0)], ids=["monitored", "profiled"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count by the events of Python 3.12 where it has them, and by a profile function."""
    monkeypatch.setattr(recorder, "EVENTS_SINCE", request.param)


def _counted(text: str, file: str = "<recipe>") -> dict[str, dict[str, dict[str, int]]]:
    """Return what is counted while a text runs."""
    counting = Recorder(installed())
    code = compile(text, file, "exec")
    with counting.active():
        exec(code, dict(_NAMES))
    return {
        name: {parameter: dict(kinds) for parameter, kinds in found.items()}
        for name, found in counting.calls.items()
    }


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(
    ("text", "name", "passed"),
    [
        # A function whose wrapper shares its code with those of all other functions of JAX.
        (
            f"jax.tree_util.tree_map(lambda x: x, {_TREE}, is_leaf=None)",
            "jax.tree_util.tree_map",
            {"f": {"lambda": 1}, "tree": {"dict": 1}},
        ),
        (
            f"jax.tree.map(pow, {_TREE}, {_TREE})",
            "jax.tree.map",
            {"f": {"built-in function": 1}, "tree": {"dict": 1}, "*rest": {"dict": 1}},
        ),
        # A class whose constructor a metaclass calls, and one without an own constructor.
        (
            "eqx.nn.Linear(1, 2, key=jax.random.key(0))",
            "equinox.nn.Linear",
            {"in_features": {"int": 1}, "out_features": {"int": 1}, "key": {"PRNG keys": 1}},
        ),
        ("nnx.Param(1.0)", "flax.nnx.Param", {"value": {"float": 1}}),
        (
            "nnx.Optimizer(nnx.Dict(a=nnx.Param(1.0)), optax.sgd(1.0), wrt=nnx.Param)",
            "flax.nnx.Optimizer",
            {
                "model": {"nnx.Module": 1},
                "tx": {"GradientTransformation": 1},
                "wrt": {"class": 1},
            },
        ),
        # A method in a descriptor, also one that is bound first, a class method, a property.
        (
            "eqx.nn.Linear(1, 2, key=jax.random.key(0))(jnp.ones(1))",
            "equinox.nn.Linear.__call__",
            {"x": {"jax.Array": 1}},
        ),
        (
            "eqx.nn.Sequential([eqx.nn.Identity()]).is_stateful()",
            "equinox.nn.Sequential.is_stateful",
            {},
        ),
        (
            "nnx.Rngs(0).fork(split=2)",
            "flax.nnx.Rngs.fork",
            {"split": {"int": 1}},
        ),
        # A method that one function makes for two classes.
        ("nnx.Rngs(0).normal((2,))", "flax.nnx.Rngs.normal", {"shape": {"tuple of int": 1}}),
        (
            "nnx.Rngs(0).default.normal((2,))",
            "flax.nnx.RngStream.normal",
            {"shape": {"tuple of int": 1}},
        ),
        # A compiled function, which runs no Python when it is called again.
        (
            "optax.bias_correction(jnp.ones(3), 0.5, 1)",
            "optax.bias_correction",
            {"moment": {"tracer": 1}, "decay": {"tracer": 1}, "count": {"tracer": 1}},
        ),
        (
            """
import threading
thread = threading.Thread(target=lambda: eqx.filter(3, eqx.is_array))
thread.start()
thread.join()
""",
            "equinox.filter",
            {"pytree": {"int": 1}, "filter_spec": {"function": 1}},
        ),
    ],
)
def test_a_call_is_counted_with_the_kinds_of_its_arguments(
    text: str, name: str, passed: dict[str, dict[str, int]]
) -> None:
    jax.clear_caches()
    found = _counted(text)[name]
    assert found.pop(CALL) == {"calls": 1}
    assert found == passed


@pytest.mark.usefixtures("_way")
def test_protocols_of_others_are_built_while_calls_are_counted() -> None:
    """A protocol among the public names shares its constructor with all other protocols."""
    text = """
import typing

class OfOthers(typing.Protocol):
    pass

class Kept(OfOthers):
    pass

kept = Kept()
"""
    assert not _counted(text)


@pytest.mark.usefixtures("_way")
def test_what_a_library_calls_is_not_counted() -> None:
    found = _counted(f"eqx.partition({_TREE}, eqx.is_array)")
    assert list(found) == ["equinox.partition"]
    assert _counted("eqx.partition(1, eqx.is_array)", "elsewhere.py") == {}


@pytest.mark.parametrize(
    ("value", "default", "wanted"),
    [
        (None, 1, "None"),
        (True, False, "True"),
        (-1, 0, "negative int"),
        ((0, 1), None, "tuple of int"),
        ((), None, "tuple of nothing"),
        ((1, "a"), None, "tuple"),
        ([np.ones(2)], None, "list"),
        ("sum", "mean", "'sum'"),
        ("sum", None, "str"),
        (len, None, "built-in function"),
        ([].append, None, "built-in function"),
        (eqx.Module().__repr__, None, "bound method"),
        (functools.partial(len), None, "functools.partial"),
        (jax.jit(len), None, "compiled function"),
        (np.float32(1), None, "NumPy scalar"),
        (np.ones(2), None, "np.ndarray"),
        (jnp.ones(2), None, "jax.Array"),
        (jax.random.key(0), None, "PRNG keys"),
        (jax.ShapeDtypeStruct((), "float32"), None, "ShapeDtypeStruct"),
        (jax.tree.structure(1), None, "treedef"),
        (eqx.Module(), None, "eqx.Module"),
        (eqx.nn.Identity(), None, "eqx.Module, callable"),
        (nnx.Param(1.0), None, "nnx.Variable"),
        (nnx.Rngs(0), None, "nnx.Rngs"),
        (nnx.State({}), None, "nnx.State"),
        (optax.EmptyState(), None, "named tuple"),
        (optax.sgd(1.0), None, "GradientTransformation"),
    ],
)
def test_kinds(value: Any, default: Any, wanted: str) -> None:
    assert kind(value, default) == wanted


def test_counts_of_processes_add_up() -> None:
    part = {"f": {"x": {"None": 2}}}
    assert joined([part, part, {"f": {"y": {"int": 1}}}]) == {
        "f": {"x": {"None": 4}, "y": {"int": 1}}
    }


@pytest.mark.parametrize("library", MODULES)
def test_the_table_knows_all_public_names_and_parameters(library: str) -> None:
    known = {one.name: {*one.parameters, *one.former} for one in read()[library].values()}
    unknown = [
        f"{one.name}({parameter})"
        for one in inventory(library)
        for parameter in ("", *one.parameters)
        if one.name not in known or (parameter and parameter not in known[one.name])
    ]
    assert unknown == [], "run `python -m treelaws coverage --record`"


def test_each_reason_is_about_a_gap() -> None:
    listed = [one for found in read().values() for one in current(found.values())]
    gaps = [*(gap for one in listed for gap in one.gaps()), *unpassed(listed)]
    used = {reason(gap) for gap in gaps}
    assert [pattern for pattern, why in reasons().items() if why not in used] == []


def test_gaps_are_functions_without_calls_and_parameters_without_values() -> None:
    assert list(Entry("f", 0, {"x": {}}).gaps()) == ["f"]
    assert list(Entry("f", 1, {"x": {}, "y": {"None": 1}}).gaps()) == ["f(x)"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--library", "jaks"], "--library 'jaks' is not known; choose from jax, equinox"),
        (["--workers", "0"], "--workers 0: give a number from 1 on"),
        (["missing.json"], "missing.json: not counts of `pytest --calls FILE`"),
    ],
)
def test_bad_input(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.sweep
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_writes_its_calls(workers: str, tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    ended = run_pytest(
        "conformance/", "-n", workers, "--laws", "jax.map.map_calls*", "--calls", str(file)
    )
    assert ended.returncode == 0, ended.stdout
    found = json.loads(file.read_text(encoding="utf-8"))
    assert sum(found["jax.tree_util.tree_map"]["f"].values()) > 0
