"""Shards: each law once, the same on every machine, and all about equally long."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from treelaws.core import settings
from treelaws.core.examples import costs
from treelaws.core.examples.profiles import examples_of
from treelaws.laws import all_laws, law_named
from treelaws.pytest_plugin import sharding
from treelaws.subjects.registry import subjects

from .pytest_runs import ROOT, ran

_START = """
import sys
import pytest
from hypothesis_pytrees import trees
from hypothesis_pytrees import cases
from treelaws import Topic, law_tests
from treelaws.equality import same

law = Topic("house.example", "Example", family="jax")
"""
_LAW = """

@law("one is one", source="here", case=cases(tree=trees(max_leaves=2)))
def law_{number}(lib, case):
    same(1, 1)
"""
_END = """

TestExample = law_tests(sys.modules[__name__])
TestAgain = law_tests(sys.modules[__name__])


@pytest.mark.parametrize("number", range(3))
def test_of_something_else(number):
    pass
"""
_PLACES = st.tuples(st.sampled_from("abc"), st.text("xyz", max_size=3), st.sampled_from(["", "d"]))
_MEASURED = st.dictionaries(_PLACES, st.integers(0, 10_000))
_LAWS = 5


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a folder with five laws, each in two classes, and three other tests."""
    laws = "".join(_LAW.format(number=number) for number in range(_LAWS))
    (tmp_path / "test_example.py").write_text(_START + laws + _END)
    (tmp_path / "conftest.py").write_text("")
    return tmp_path


def _collected(folder: Path, *arguments: str, **more: str) -> list[str]:
    run = ran(folder, "--collect-only", "-q", *arguments, **more)
    assert run.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED), run.stdout + run.stderr
    return [line for line in run.stdout.splitlines() if "::" in line]


@pytest.mark.parametrize("text", ["3/2", "0/2", "x", "1/0", "", "1", "1/2/3", "-1/2", "1/2.0"])
def test_a_shard_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(settings.BadShard) as raised:
        settings.parse_shard(text)
    assert str(raised.value).startswith(f"{text!r} is not a shard; write I/N with I from 1 to N")


@given(measured=_MEASURED, of=st.integers(1, 6), seed=st.randoms())
def test_shards_are_even_and_depend_on_no_order(measured, of, seed) -> None:
    found = sharding.assign(measured, of)
    assert found.keys() == measured.keys()
    shuffled = list(measured.items())
    seed.shuffle(shuffled)
    assert sharding.assign(dict(shuffled), of) == found
    loads = [0] * of
    for place, number in found.items():
        loads[number - 1] += max(measured[place], 1)
    assert max(loads) - min(loads) <= max([1, *measured.values()])


@pytest.mark.parametrize("of", [2, 4, 8])
def test_shards_of_the_suite_are_even(of: int) -> None:
    known = costs.read()
    places = [
        (law.id, subject.name, "")
        for law in all_laws().values()
        for subject in subjects(law.topic.family)
    ]
    measured = {place: known.of(place, examples_of(law_named(place[0]))) for place in places}
    found = sharding.assign(measured, of)
    loads = [sum(measured[one] for one in places if found[one] == n + 1) for n in range(of)]
    assert max(loads) < 1.01 * min(loads)


def test_each_test_is_in_one_shard(house: Path) -> None:
    whole = _collected(house)
    parts = [_collected(house, "--shard", f"{number}/3") for number in (1, 2, 3)]
    assert sorted(test for part in parts for test in part) == sorted(whole)
    # Both tests of a law are about the same row.
    for part in parts:
        laws = [re.findall(r"law_\d", test) for test in part]
        assert all(laws.count(law) == 2 for law in laws if law)
    assert [sum("something_else" in test for test in part) for part in parts] == [3, 0, 0]


def test_each_test_of_the_suite_is_in_one_shard() -> None:
    names = ("jax", "flax", "findings")
    files = [f"conformance/treelaws/tests/test_{name}.py" for name in names]
    whole = _collected(ROOT, *files)
    parts = [_collected(ROOT, *files, "--shard", f"{number}/2") for number in (1, 2)]
    assert sorted(test for part in parts for test in part) == sorted(whole)
    assert all(len(part) > len(whole) / 4 for part in parts)


@pytest.mark.sweep
def test_a_shard_is_the_same_under_another_hash_seed(house: Path) -> None:
    found = [_collected(house, "--shard", "2/3", PYTHONHASHSEED=seed) for seed in ("1", "2")]
    assert found[0] == found[1]


def test_what_other_options_choose_is_split(house: Path) -> None:
    kept = ["-k", "law_0 or law_1"]
    parts = [_collected(house, *kept, "--shard", f"{number}/2") for number in (1, 2)]
    assert [len(part) for part in parts] == [2, 2]


def test_workers_run_the_shard_alone(house: Path) -> None:
    whole, run = _collected(house, "--shard", "2/2"), ran(house, "--shard", "2/2", "-n", "2")
    assert run.returncode == 0, run.stdout
    assert f"{len(whole)} passed" in run.stdout


def test_a_run_says_how_much_its_shard_is(house: Path) -> None:
    run = ran(house, "--shard", "1/2")
    assert "treelaws: shard 1/2: 3 of 5 law tests, measured as 1 of " in run.stdout
