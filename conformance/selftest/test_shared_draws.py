"""Laws that read the same cases share what is drawn, and each has the verdict of its own search."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jax.tree_util as jtu
import pytest
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from treelaws import check
from treelaws.api import deciding
from treelaws.compat.hypothesis import same_draws
from treelaws.core.examples.profiles import examples_of, settings_for
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.limits import time_limit
from treelaws.core.search import search
from treelaws.core.stopped import FIRST_TRIALS, Counted, keep_shortest
from treelaws.core.subject import Subject
from treelaws.draws import holding
from treelaws.draws.drawn_recipes import DrawnRecipes, key_of, sharers, spread
from treelaws.laws import all_laws, law_named
from treelaws.subjects.registry import subject

from .pytest_runs import run_pytest
from .user_nodes import TheirStore

# A fault that some laws notice, others not; without the plugin, each law searches by itself.
_CONFTEST = """\
import jax
import pytest

from treelaws.core import settings

settings.most_scripts = 0
_map = jax.tree_util.tree_map


def map_without_rest(f, tree, *rest, is_leaf=None):
    return _map(lambda leaf, *others: f(leaf, *others[:1]), tree, *rest, is_leaf=is_leaf)


jax.tree.map = jax.tree_util.tree_map = map_without_rest


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    if not $SHARED:
        config.pluginmanager.unregister(name="treelaws.shared_draws")
"""


@st.composite
def _numbers(draw: st.DrawFn, least: object = 0, *, options: Any = None) -> Recipe:
    return Recipe((f"tree = {draw(st.integers(0, 9))}",))


def _options(**options: Any) -> Any:
    return lambda subject: _numbers(options=options)


def _odd(of: Any) -> Any:
    def itself() -> Any:
        return itself, of

    return itself


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (_numbers(1), _numbers(1), True),
        (_numbers(1), _numbers(2), False),
        (_numbers(1), _numbers(True), False),
        (_numbers(1), _numbers(least=1), True),
        (_numbers(options={"a": [1]}), _numbers(options={"a": [1]}), True),
        (_numbers(options={"a": [1]}), _numbers(options={"a": [2]}), False),
        (_numbers(1).map(str), _numbers(1).map(str), True),
        (_numbers(1).map(str), _numbers(1), False),
        (_numbers(1).map(str), _numbers(1).map(repr), False),
        (_numbers(1).filter(bool), _numbers(1).map(bool), False),
        (_numbers(1).filter(lambda one: True), _numbers(1).filter(lambda one: False), False),
        (_options(some=True), _options(some=True), True),
        (_options(some=True), _options(some=False), False),
        (lambda subject: _numbers(1), lambda subject: _numbers(1), True),
        (lambda subject: _numbers(1), lambda subject: _numbers(2), False),
        (st.deferred(lambda: _numbers(1)), st.deferred(lambda: _numbers(1)), False),
        (_odd(1), _odd(1), False),
    ],
)
def test_equal_calls_draw_the_same(one: Any, other: Any, shared: bool) -> None:
    assert same_draws(one) == same_draws(one)
    assert (same_draws(one) == same_draws(other)) == shared


def test_most_laws_share_their_recipes() -> None:
    keys = [key_of(law_named(id)) for id in all_laws()]
    assert sum(keys.count(key) > 1 for key in keys) > len(keys) / 2


def test_recipes_are_drawn_once_for_laws_with_the_same_cases() -> None:
    one, other = map(
        law_named, ("node.keys.keystr_is_injective", "node.keys.sibling_keys_are_distinct")
    )
    options = settings_for("quick")
    drawn = DrawnRecipes()
    found = drawn.of(one, subject("list"), start=7, options=options)
    assert len(found.recipes) == options.max_examples
    assert drawn.of(other, subject("list"), start=7, options=options) is found
    assert drawn.of(one, subject("tuple"), start=7, options=options) is not found


def test_few_recipes_are_taken_from_the_whole_list() -> None:
    recipes = [Recipe((f"tree = {number}",)) for number in range(7)]
    assert spread(recipes, 3) == [recipes[1], recipes[3], recipes[6]]
    assert spread(recipes, 9) == recipes


def _verdicts(folder: Path, laws: str, *, shared: bool = True) -> dict[str, tuple[str, ...]]:
    """Return the verdict, the difference and the input of each law of a run."""
    folder.mkdir()
    (folder / "conftest.py").write_text(_CONFTEST.replace("$SHARED", str(shared)))
    run_pytest(
        "--pyargs", "treelaws", "--laws", laws, "--laws-profile", "ci", "-q",
        "--report", ".", "--confcutdir", ".", "-p", "conftest", cwd=folder,
    )  # fmt: skip
    rows = json.loads((folder / "report.json").read_text())["rows"]
    parts = ("verdict", "difference", "witness")
    return {row["law"]: tuple(row.get(part, "") for part in parts) for row in rows}


@pytest.mark.sweep
def test_a_law_has_the_same_verdict_in_a_search_of_its_own(tmp_path: Path) -> None:
    together = _verdicts(tmp_path / "together", "jax.map.map_*")
    kinds = {law: found[0] for law, found in together.items()}
    assert {*kinds.values()} >= {"held", "broken"}
    own = _verdicts(tmp_path / "own", "jax.map.map_*", shared=False)
    assert {law: found[0] for law, found in own.items()} == kinds
    broken = next(law for law, kind in kinds.items() if kind == "broken")
    assert _verdicts(tmp_path / "alone", broken) == {broken: together[broken]}


_NOTING = """\
import json
import os
import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    from treelaws.core import stopped

    def note(law, recipe):
        ways = [one for one in recipe.features if one.startswith(("way:", "form:"))]
        with open("noted.jsonl", "a") as file:
            print(json.dumps([os.environ["PYTEST_CURRENT_TEST"], sorted(ways)]), file=file)

    stopped.announce = note
"""


def _ways(folder: Path, *options: str) -> list[list[list[str]]]:
    """Return the ways to call a function that a law draws, for each of three subjects."""
    folder.mkdir()
    (folder / "conftest.py").write_text(_NOTING)
    subjects = [f"--subject={name}" for name in ("list", "tuple", "OrderedDict")]
    run_pytest(
        "--pyargs", "treelaws", "--laws", "node.transforms.each_way_makes_the_call", *subjects,
        *options, "-q", "--database", "none", "--confcutdir", ".", "-p", "conftest", cwd=folder,
    )  # fmt: skip
    found: dict[str, list[list[str]]] = {}
    for line in (folder / "noted.jsonl").read_text().splitlines():
        test, ways = json.loads(line)
        found.setdefault(test, []).append(ways)
    return [*found.values()]


@pytest.mark.sweep
@pytest.mark.parametrize(
    "options", [("--hypothesis-seed=0",), ("--laws-profile=ci",)], ids=["seed", "ci"]
)
def test_runs_that_repeat_draw_other_inputs_for_each_subject(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    one = _ways(tmp_path / "one", *options)
    assert len(one) == 3
    assert len({json.dumps(ways) for ways in one}) == 3
    assert _ways(tmp_path / "other", *options) == one


class _Forgetful:
    """A node with a child that `unflatten` replaces if the other one is a tuple."""

    def __init__(self, one: Any, other: Any = 0.0) -> None:
        self.one, self.other = one, other


def _own_search(
    law: Law, subject: Subject, drawn: object, *, profile: str, shrink: bool
) -> Breach | None:
    return search(law, subject, examples=examples_of(law, subject, profile=profile))


def test_check_gives_the_verdicts_of_searches_that_share_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jtu.register_pytree_node(
        _Forgetful,
        lambda node: ((node.one, node.other), None),
        lambda _, children: _Forgetful(children[0], None if children[0] == () else children[1]),
    )
    options: dict[str, Any] = {
        "instances": [_Forgetful(()), _Forgetful(1.0)],
        "laws": ["node.flatten.*", "jax.map.*", "equinox.filter.*"],
        "on_broken": "return",
    }
    together = [(one.law, one.subject, one.verdict) for one in check(_Forgetful, **options)]
    assert {verdict for *_, verdict in together} >= {"held", "broken", "blocked"}
    monkeypatch.setattr(deciding, "find_breach", _own_search)
    alone = [(one.law, one.subject, one.verdict) for one in check(_Forgetful, **options)]
    assert alone == together


@pytest.mark.sweep
def test_a_node_without_a_place_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def counted(law: Law, subject: Subject, **options: Any) -> Breach | None:
        searched.append(law.id)
        return search(law, subject, **options)

    monkeypatch.setattr(holding, "search", counted)
    records = check(TheirStore, laws="nnx.metrics.*", on_broken="return")
    skipped = [one.law for one in records if "a TheirStore fits into" in one.message]
    alike = [law for law in skipped if key_of(law_named(law)) == key_of(law_named(skipped[0]))]
    assert len(alike) > 1
    assert [law for law in searched if law in alike] == alike[:1]


@pytest.mark.sweep
def test_a_law_without_trees_is_tried_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: Counter[str] = Counter()
    add = Counted.add

    def counted(self: Counted, decided: bool) -> None:
        drawn[self._law.id] += 1
        add(self, decided)

    monkeypatch.setattr(Counted, "add", counted)
    (record,) = check(TheirStore, laws="nnx.metrics.reset_begins_anew", on_broken="return")
    assert "a TheirStore fits into" in record.message
    assert drawn[record.law] == FIRST_TRIALS


def test_a_breach_that_was_being_shrunk_when_the_time_was_up_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(law: Law, subject: Subject, **options: Any) -> Breach | None:
        breach = search(law, subject, **options)
        assert breach is not None
        keep_shortest(breach)
        raise time_limit.TimeUp("spent")

    monkeypatch.setattr(holding, "search", stopped)
    law = "node.flatten.unflatten_undoes_flatten"
    assert len(sharers(law_named(law))) > 1
    (record,) = check(_LosesTheOther, laws=law, mixed=False, on_broken="return")
    assert record.verdict == "broken"


@jtu.register_pytree_node_class
class _LosesTheOther:
    """A node whose `unflatten` forgets the second child."""

    def __init__(self, one: float, other: float) -> None:
        self.one, self.other = one, other

    def tree_flatten(self) -> Any:
        return (self.one, self.other), None

    @classmethod
    def tree_unflatten(cls, aux: None, children: Any) -> Any:
        return cls(children[0], 7.5)
