"""The input of a broken law is made smaller without a change in what broke."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from hypothesis_pytrees import Recipe
from treelaws.core.departures import known
from treelaws.core.failure import Breach, DidNotEnd
from treelaws.core.law import Law
from treelaws.core.search import run
from treelaws.core.subject import Subject
from treelaws.laws import law_named
from treelaws.reproduce.script import minimal, minimising
from treelaws.reproduce.script.idle_calls import idle_calls, second_names
from treelaws.reproduce.script.reading import Reading
from treelaws.reproduce.script.smaller_values import adds_none, smaller_values
from treelaws.reproduce.script.spans import without, without_lines
from treelaws.reproduce.script.unused_members import uncalled_methods, unread_fields
from treelaws.reproduce.script.unused_text import unread_definitions, unread_statements
from treelaws.reproduce.witness import witness_of
from treelaws.subjects.registry import subject as subject_named

_READING = Reading(frozenset({"tree"}), everything=False, words=frozenset({"case", "tree"}))
_PAIR = """\
import dataclasses


@jtu.register_dataclass
@dataclasses.dataclass
class Pair:
    x: typing.Any
    y: typing.Any = None

    def swapped(self):
        return Pair(self.y, self.x)


# Nobody needs this one.
class Single:
    x: typing.Any
"""
_METER = """\
class Meter:
    unit: typing.Any
    value: typing.Any

    def reading(self):
        return 0

    def __eq__(self, other):
        return self is other

    @property
    def label(self):
        return ''

    @abc.abstractmethod
    def needed(self): ...
"""
_ARRAYS = """\
def only_arrays(tree):
    if all(isinstance(leaf, jax.Array) for leaf in jtu.tree_leaves(tree)):
        return tree
    return [tree]
"""
_COUNTED = """\
CALLS = []


def counted(tree):
    CALLS.append(tree)
    return tree
"""


def _texts(recipes: Any) -> list[str]:
    return ["\n".join(recipe.statements) for recipe in recipes]


def test_definitions_that_nobody_needs_go() -> None:
    recipe = Recipe((_PAIR, "def other():\n    return Single(1)\n"), ("tree = Pair(1)",))
    [whole, *_] = unread_definitions(recipe, _READING)
    assert whole.definitions == (_PAIR.partition("\n\n\n# Nobody")[0] + "\n",)


def test_a_registration_stays_with_its_class() -> None:
    text = "class Node:\n    pass\n\n\njtu.register_static(Node)\n"
    assert not list(unread_definitions(Recipe((text,), ("tree = Node()",)), _READING))
    [cut, *_] = unread_definitions(Recipe((text,), ("tree = 1",)), _READING)
    assert not cut.definitions


def test_statements_that_nobody_reads_go() -> None:
    statements = ("tree = [1]", "other = jnp.zeros(2)", "same = tree")
    cuts = _texts(unread_statements(Recipe(statements=statements), _READING))
    assert cuts == ["tree = [1]\nsame = tree", "tree = [1]\nother = jnp.zeros(2)"]


@pytest.mark.parametrize(
    "statement",
    [
        "later = tree.set(1)",
        "first = next(tree)",
        "other = make()",
        "others = [use(one) for one in tree]",
        "seen = tree.cached",
        "tree.append(1)",
        "one, other = 1, 2",
    ],
)
def test_a_statement_that_may_do_something_stays(statement: str) -> None:
    assert not list(unread_statements(Recipe(statements=("tree = [1]", statement)), _READING))


def test_a_law_that_hands_its_case_on_may_read_every_name() -> None:
    reading = Reading(frozenset(), everything=True, words=frozenset())
    assert not list(unread_statements(Recipe(statements=("tree = 1", "other = 2")), reading))


def test_a_second_name_goes() -> None:
    recipe = Recipe(statements=("made = [1]", "count = 2", "tree = made"))
    assert _texts(second_names(recipe, _READING)) == ["tree = [1]\ncount = 2"]
    read = Recipe(statements=("made = [1]", "tree = made", "other = made"))
    assert not list(second_names(read, _READING))


def test_a_call_that_gave_its_argument_back_goes() -> None:
    recipe = Recipe((_ARRAYS,), ("made = jnp.zeros(2)", "tree = only_arrays(made)"))
    assert _texts(idle_calls(recipe, {})) == ["made = jnp.zeros(2)\ntree = made"]
    swaps = Recipe((_ARRAYS,), ("made = 1", "tree = only_arrays(made)"))
    assert not list(idle_calls(swaps, {}))
    acts = Recipe((_COUNTED,), ("made = 1", "tree = counted(made)"))
    assert not list(idle_calls(acts, {}))


def test_methods_that_nobody_calls_go() -> None:
    recipe = Recipe((_METER.replace("    @abc.abstractmethod\n", ""),), ("tree = Meter()",))
    [whole, *each] = uncalled_methods(recipe, _READING, {})
    [text] = whole.definitions
    assert "reading" not in text
    assert "label" not in text
    assert "needed" not in text
    assert "__eq__" in text
    assert len(each) == 3


@pytest.mark.parametrize(
    ("statement", "words"),
    [("tree = [Meter]", ()), ("tree = Meter().reading", ()), ("tree = Meter()", ("reading",))],
)
def test_a_method_that_may_be_called_stays(statement: str, words: tuple[str, ...]) -> None:
    text = "class Meter:\n    unit = ''\n\n    def reading(self):\n        return 0\n"
    reading = Reading(frozenset({"tree"}), everything=False, words=frozenset(words))
    assert not list(uncalled_methods(Recipe((text,), (statement,)), reading, {}))


def test_an_abstract_method_stays() -> None:
    recipe = Recipe((_METER,), ("tree = Meter()",))
    cuts = uncalled_methods(recipe, _READING, {})
    assert all("needed" in cut.definitions[0] for cut in cuts)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tree = Meter(1, 2)", ["tree = Meter(2)", "tree = Meter(1)"]),
        ("tree = Meter(1, value=2)", ["tree = Meter(value=2)", "tree = Meter(1)"]),
        ("tree = Meter(*[1, 2])", []),
    ],
)
def test_a_field_goes_with_its_argument(before: str, after: list[str]) -> None:
    text = "@dataclasses.dataclass\nclass Meter:\n    unit: str\n    value: int\n"
    cuts = list(unread_fields(Recipe((text,), (before,)), _READING))
    assert _texts(cuts) == after
    assert ["unit" in cut.definitions[0] for cut in cuts] == [False, True][: len(after)]


def test_smaller_values_keep_something() -> None:
    recipe = Recipe(statements=("tree = {'a': ([1], 2), 'b': np.array([1, 2])}",))
    assert _texts(smaller_values(recipe, _READING)) == [
        "tree = {'b': np.array([1, 2])}",
        "tree = {'a': ([1], 2)}",
        "tree = {'a': (2,), 'b': np.array([1, 2])}",
        "tree = {'a': ([1],), 'b': np.array([1, 2])}",
        "tree = {'a': [1], 'b': np.array([1, 2])}",
        "tree = {'a': 2, 'b': np.array([1, 2])}",
        "tree = {'a': (1, 2), 'b': np.array([1, 2])}",
    ]


@pytest.mark.parametrize(
    ("statements", "many"),
    [
        (("tree = [1, 2]", "other = jtu.tree_map(abs, tree)"), True),
        (("tree = [1, 2]", "other = None"), True),
        (("tree = [1, 2]", "other = 3"), False),
        (("tree = [1, 2]", "other = lambda tree: tree[1]", "tree.append(1)"), False),
    ],
)
def test_a_value_that_another_may_depend_on_stays(statements: tuple[str, ...], many: bool) -> None:
    reading = Reading(frozenset({"tree", "other"}), everything=False, words=frozenset())
    assert bool(list(smaller_values(Recipe(statements=statements), reading))) == many


@pytest.mark.parametrize(
    ("after", "none"), [("[1]", True), ("[[1]]", True), ("[2]", False), ("(1,)", False)]
)
def test_no_sort_of_leaf_or_node_is_new(after: str, none: bool) -> None:
    before, smaller = (Recipe(statements=(f"tree = {text}",)) for text in ("[[1], [1.5]]", after))
    assert adds_none(before, smaller, _READING, {}) == none


def test_what_is_left_of_a_text_stays_as_it_was() -> None:
    text = "f(é, # one\n  b)"
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert without(text, call.args, 1) == "f(é)"
    assert without(text, call.args, 0) == "f(b)"
    assert without_lines("class A:\n    a = 1\n\n    b = 2\n", [(2, 2)]) == "class A:\n    b = 2\n"


def _breach(law: Law, subject: Subject, recipe: Recipe) -> Breach:
    with pytest.raises(Breach) as caught:
        run(law, subject, recipe)
    return caught.value


def _departures() -> list[Any]:
    # A transformation of Flax NNX may break another way where it is compiled already, and other
    # tests look at the first way.
    return [
        pytest.param(found, id=found.name)
        for found in known.departures()
        if found.applies and found.subject != "nnx" and not subject_named(found.subject).absent
    ][::10]


@pytest.mark.sweep
@pytest.mark.parametrize("departure", _departures())
def test_witnesses_that_are_minimal_stay(departure: known.Departure) -> None:
    law, subject = law_named(departure.law), subject_named(departure.subject)
    breach = _breach(law, subject, departure.recipe)
    found = minimal(breach)
    assert found.recipe == breach.recipe
    assert witness_of(found).key == witness_of(breach).key


def test_nothing_is_tried_without_time() -> None:
    departure = _departures()[0].values[0]
    law, subject = law_named(departure.law), subject_named(departure.subject)
    breach = _breach(law, subject, departure.recipe)
    assert minimal(breach, seconds=0.0) is breach


def test_a_breach_that_does_not_end_again_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    departure = _departures()[0].values[0]
    law, subject = law_named(departure.law), subject_named(departure.subject)
    breach = _breach(law, subject, departure.recipe)

    def waits(*_: object) -> None:
        raise DidNotEnd(law, subject, departure.recipe, TimeoutError("did not end"))

    monkeypatch.setattr(minimising, "run", waits)
    assert minimal(breach) is breach
