"""Each cure is given where its cause was seen, nowhere else, and makes the laws hold."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

import pytest

import treelaws
from hypothesis_pytrees import Recipe
from treelaws.core.examples.profiles import examples_of
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.search import draw_cases, run, search
from treelaws.core.stopped import NoInput
from treelaws.core.subject import Subject
from treelaws.cures import aux_equality, choosing
from treelaws.cures.witness import parts_of
from treelaws.laws import all_laws, law_named
from treelaws.subjects.user import subject_of

from . import cure_examples as nodes

_ROUND = "node.flatten.unflatten_undoes_flatten"


class Pair(NamedTuple):
    """A broken class and the same class with the cure applied.

    Args:
        broken: the class with one cause of failures.
        cured: the class with the cure applied.
        laws: the pattern of the laws to run on both.
        law: a law that the cause breaks.
        cure: words of the cure.
    """

    broken: type
    cured: type
    laws: str
    law: str
    cure: str


_PAIRS = [
    Pair(
        nodes.Converts,
        nodes.ConvertsOnce,
        "node.flatten.*",
        "node.flatten.unflatten_accepts_documented_placeholders",
        "Converts.__init__ runs whenever JAX unflattens a Converts, and did not keep object()",
    ),
    Pair(
        nodes.Checks,
        nodes.ChecksOnce,
        "node.flatten.*",
        "node.flatten.unflatten_accepts_documented_placeholders",
        "Checking.__init__ runs whenever JAX unflattens a Checks, and raised ValueError for None",
    ),
    Pair(
        nodes.Post,
        nodes.PostByHand,
        "node.aux.*",
        "node.aux.treedef_depends_on_no_leaf",
        "Post.__post_init__ runs whenever JAX unflattens a Post, and raised TypeError",
    ),
    Pair(
        nodes.Rebuilds,
        nodes.Sound,
        "node.flatten.*",
        "node.flatten.unflatten_undoes_flatten",
        "put the node's own children into other attributes; let it set each attribute to the",
    ),
    Pair(
        nodes.Swaps,
        nodes.SoundTwo,
        "node.flatten.*",
        "node.flatten.unflatten_undoes_flatten",
        "put the node's own children into other attributes; let it set each attribute to the",
    ),
    Pair(
        nodes.ShapeAux,
        nodes.Sound,
        "node.aux.*",
        "node.aux.treedef_depends_on_no_leaf",
        "returns aux data[0], but it changes with the children",
    ),
    Pair(
        nodes.ListAux,
        nodes.TupleAux,
        "node.aux.*",
        "node.aux.aux_data_is_hashable",
        "a list has no hash; use a tuple there",
    ),
    Pair(
        nodes.DictAux,
        nodes.TupleAux,
        "node.aux.*",
        "node.aux.aux_data_is_hashable",
        "a dict has no hash; use a tuple of its sorted items there",
    ),
    Pair(
        nodes.MappingAux,
        nodes.TupleAux,
        "node.aux.*",
        "node.aux.aux_data_is_hashable",
        "a mappingproxy has no hash; use a tuple of its sorted items there",
    ),
    Pair(
        nodes.DequeAux,
        nodes.TupleAux,
        "node.aux.*",
        "node.aux.aux_data_is_hashable",
        "a deque without a hash; wrap it in a class with __eq__ and __hash__",
    ),
    Pair(
        nodes.ArrayAux,
        nodes.ArrayChild,
        "node.aux.*",
        "node.aux.equal_builds_have_equal_treedefs",
        "puts ArrayAux.static into the aux data, which holds an array",
    ),
    Pair(
        nodes.LambdaAux,
        nodes.FunctionAux,
        "node.aux.*",
        "node.aux.equal_builds_have_equal_treedefs",
        "a function that each constructor call makes anew",
    ),
    Pair(
        nodes.PartialAux,
        nodes.PartsAux,
        "node.aux.*",
        "node.aux.equal_builds_have_equal_treedefs",
        "a functools.partial, which is compared by identity",
    ),
    Pair(
        nodes.ObjectAux,
        nodes.EqualAux,
        "node.aux.*",
        "node.aux.equal_builds_have_equal_treedefs",
        "give Config __eq__ and __hash__ by value",
    ),
    Pair(
        nodes.SharedAux,
        nodes.EqualAux,
        "node.copies.*",
        "node.copies.deepcopy_equals_the_original",
        "give Config __eq__ and __hash__ by value",
    ),
    Pair(
        nodes.MethodAux,
        nodes.EqualAux,
        "node.aux.*",
        "node.aux.equal_builds_have_equal_treedefs",
        "put the Config there, with __eq__ and __hash__ by value",
    ),
    Pair(
        nodes.CounterAux,
        nodes.TupleAux,
        "node.aux.*",
        "node.aux.equal_builds_have_equal_treedefs",
        "differs between two nodes that are built alike",
    ),
    Pair(
        nodes.Copies,
        nodes.Sound,
        "node.flatten.*",
        "node.flatten.flatten_twice_gives_the_same_leaves",
        "makes a new object of .x each time; return the attribute itself",
    ),
    Pair(
        nodes.Drains,
        nodes.Lists,
        "node.flatten.*",
        "node.flatten.flatten_twice_gives_the_same_leaves",
        "reads the iterator .items, which is empty the second time",
    ),
    Pair(
        nodes.Counts,
        nodes.Sound,
        "node.flatten.*",
        "node.flatten.flatten_changes_nothing_in_the_node",
        "changed the node: Counts gained calls",
    ),
    Pair(
        nodes.Reversed,
        nodes.SoundTwo,
        "node.keys.*",
        "node.keys.flatten_with_path_gives_the_leaves_of_flatten",
        "returns the children in another order than Two.tree_flatten",
    ),
    Pair(
        nodes.Misnamed,
        nodes.SoundTwo,
        "node.keys.*",
        "node.keys.path_leads_to_the_leaf",
        "which leads elsewhere; the child is Misnamed.x",
    ),
    Pair(
        nodes.Forgets,
        nodes.Remembers,
        "node.flatten.*",
        "node.flatten.unflatten_restores_every_attribute",
        ".static of Forgets is not set by unflatten; return it in the aux data",
    ),
    Pair(
        nodes.Resets,
        nodes.Keeps,
        "node.aux.*",
        "node.aux.unflatten_restores_the_configuration",
        ".size of Resets has another value after unflatten",
    ),
    Pair(
        nodes.Delegates,
        nodes.DelegatesPublic,
        "node.copies.*",
        "node.copies.copy_keeps_structure_and_leaves",
        "let it raise AttributeError for a name that begins with an underscore",
    ),
    Pair(
        nodes.Immutable,
        nodes.FrozenState,
        "node.copies.*",
        "node.copies.copy_keeps_structure_and_leaves",
        "write a __setstate__ that sets them with object.__setattr__",
    ),
    Pair(
        nodes.NewTakes,
        nodes.NewGives,
        "node.copies.*",
        "node.copies.copy_keeps_structure_and_leaves",
        "write a __getnewargs__ that returns its arguments",
    ),
    Pair(
        nodes.Locked,
        nodes.Relocked,
        "node.copies.*",
        "node.copies.deepcopy_equals_the_original",
        "Locked.lock holds a lock, which cannot be copied or pickled",
    ),
]
_CURED = list(dict.fromkeys(pair.cured for pair in _PAIRS))


@functools.cache
def _subject(kind: type) -> Subject:
    return subject_of(kind)


def _search(law: Law, kind: type) -> Breach | None:
    examples = examples_of(law, _subject(kind), profile="quick")
    try:
        return search(law, _subject(kind), examples=examples, shrink=True)
    except NoInput:
        return None


@functools.cache
def _broken(kind: type, pattern: str) -> Mapping[Law, Breach]:
    """Return the breaches of the laws that no other broken law explains."""
    found: dict[Law, Breach] = {}
    laws = [law for law in all_laws().values() if fnmatchcase(law.id, pattern)]
    for law in sorted(laws, key=lambda law: len(law.ancestors)):
        asked = not law.advisory and not found.keys() & set(law.ancestors)
        if asked and not _subject(kind).missing(law.needs) and (breach := _search(law, kind)):
            found[law] = breach
    return found


def _fixes(breach: Breach) -> list[str]:
    parts = str(breach).split("\n\n")
    return [" ".join(part.split()) for part in parts if part.startswith("fix: ")]


_each = pytest.mark.parametrize("pair", _PAIRS, ids=lambda pair: pair.broken.__name__)


@pytest.mark.sweep
@_each
def test_the_cure_is_given_and_no_other(pair: Pair) -> None:
    breaches = _broken(pair.broken, pair.laws)
    assert pair.cure in " ".join(_fixes(breaches[law_named(pair.law)]))
    others = [other.cure for other in _PAIRS if other.cure != pair.cure]
    for breach in breaches.values():
        fixes = _fixes(breach)
        assert len(fixes) <= 1
        assert not [other for other in others for fix in fixes if other in fix]


@pytest.mark.sweep
@_each
def test_the_cure_makes_the_laws_hold(pair: Pair) -> None:
    breaches = _broken(pair.broken, pair.laws)
    assert [law.id for law in breaches if _search(law, pair.cured)] == []


def _witnesses(kind: type) -> Iterator[Recipe]:
    law = law_named("node.flatten.unflatten_undoes_flatten")
    # What cannot be pickled is named, too.
    drawn = draw_cases(law, _subject(kind), 3)
    yield from (one for one in drawn if not any(":unpicklable" in name for name in one.features))


@pytest.mark.parametrize("kind", _CURED, ids=lambda kind: kind.__name__)
def test_a_sound_class_gets_no_cure(kind: type) -> None:
    for recipe in _witnesses(kind):
        # Nodes of libraries inside may have bugs of their own.
        parts = [one for one in parts_of(recipe, None) if type(one.build()) is kind]
        assert parts
        found = [str(cure) for part in parts for cause in choosing.CAUSES for cure in cause(part)]
        assert found == []


def test_an_object_in_a_dict_is_named() -> None:
    one, same = ({"a": nodes.Config(3)} for _ in range(2))
    (cure,) = aux_equality.cures("", one, same)
    assert "give Config __eq__ and __hash__ by value" in cure.text


def test_the_child_at_fault_is_named() -> None:
    text = f"from {nodes.__name__} import Checks, Sound\n"
    recipe = Recipe((text,), ("node = Sound([Sound(Checks(1.0))])",))
    law = law_named("node.flatten.unflatten_accepts_documented_placeholders")
    with pytest.raises(Breach) as caught:
        run(law, _subject(nodes.Sound), recipe)
    (fix,) = _fixes(caught.value)
    assert fix.startswith("fix: Checking.__init__ runs whenever JAX unflattens a Checks")


def test_a_constructor_that_only_runs_is_named_by_the_law_about_it() -> None:
    text = f"from {nodes.__name__} import Converts\n"
    recipe = Recipe((text,), ("node = Converts('text')",))
    law = law_named("node.flatten.unflatten_runs_no_constructor")
    with pytest.raises(Breach) as caught:
        run(law, _subject(nodes.Converts), recipe)
    (fix,) = _fixes(caught.value)
    assert "and ran for this input" in fix


def test_a_fix_stays_when_the_input_is_shrunk() -> None:
    """The shrunk input defines the class anew, without its unused method."""
    make = nodes.make_signing
    (record,) = treelaws.check(make, laws=_ROUND, mixed=False, on_broken="return")
    assert "def unused" not in record.message
    (fix,) = [part for part in record.message.split("\n\n") if part.startswith("fix: ")]
    # Functions of Python that the constructor calls are not at fault.
    assert fix.startswith("fix: Signing.__init__ runs whenever JAX unflattens a Signing")


def test_a_method_is_named_with_its_place() -> None:
    breach = _broken(nodes.Checks, "node.flatten.*")[
        law_named("node.flatten.unflatten_accepts_documented_placeholders")
    ]
    (fix,) = _fixes(breach)
    assert "(cure_examples.py:" in fix
    assert "let Checks.tree_unflatten (cure_examples.py:" in fix


def test_a_method_of_the_input_is_named_by_its_line() -> None:
    text = textwrap.dedent(
        """
        @jtu.register_pytree_node_class
        class CureShown:
            def __init__(self, x: float):
                self.x = float(x)

            def tree_flatten(self):
                return (self.x,), None

            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls(*children)
        """
    ).lstrip()
    law = law_named("node.flatten.unflatten_accepts_documented_placeholders")
    recipe = Recipe((text,), ("node = CureShown(1.0)",))
    with pytest.raises(Breach) as caught:
        run(law, _subject(nodes.Sound), recipe)
    (fix,) = _fixes(caught.value)
    line = int(fix.partition("(line ")[2].split()[0])
    assert "def __init__" in recipe.source().splitlines()[line - 1]


def test_a_flatten_that_copies_names_the_attribute_it_copies() -> None:
    """Its first attribute is a function, of which no array was made."""
    make = nodes.make_as_dict
    (record,) = treelaws.check(make, laws=_ROUND, mixed=False, on_broken="return")
    assert "makes a new object of .weight each" in " ".join(record.message.split())
