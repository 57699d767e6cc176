"""The examples of published libraries stay runnable, tried on what the project itself needs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("optax", exc_type=ImportError)
pytest.importorskip("equinox", exc_type=ImportError)
from hypothesis_pytrees import Recipe
from treelaws.core.search import run
from treelaws.laws import law_named

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from examples import making, recording
from examples.finding import is_node_type, node_types
from examples.library import Cause, Library, libraries

_LAWS = (
    "node.flatten.unflatten_undoes_flatten",
    "node.aux.equal_builds_have_equal_treedefs",
    "node.keys.path_leads_to_the_leaf",
)
_BROKEN = """\
@jax.tree_util.register_pytree_node_class
class ExampleList:
    def __init__(self, x):
        self.x = x

    def tree_flatten(self):
        return (self.x,), ['a list']

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
"""
_CAUSE = Cause("list", ("node.aux.aux_data_is_hashable",), "a list is no hashable", "an error")


@pytest.fixture(scope="module")
def optax() -> Library:
    return next(one for one in libraries() if one.package == "optax")


def test_no_public_node_type_of_optax_is_left_out(optax: Library) -> None:
    found, tried = node_types(optax), making.written(optax)
    assert len(found) > 30
    assert [name for name in found if name not in tried and not making.reason(optax, name)] == []
    assert all(map(is_node_type, found.values()))


@pytest.mark.parametrize("law", _LAWS)
def test_the_laws_hold_on_the_states_of_optax(optax: Library, law: str) -> None:
    for subject in making.subjects_of(optax):
        (kind, *_) = subject.kinds
        text = kind.text(["1.0"] * kind.arity)
        run(law_named(law), subject, Recipe(kind.definitions, (f"node = {text}",)))


def _one(*causes: Cause) -> Library:
    return Library(
        "optax", {}, _BROKEN, own={"example": "ExampleList($0)"}, causes=causes, searched=False
    )


def test_a_breach_without_a_cause_is_told() -> None:
    library = _one()
    (subject,) = making.subjects_of(library)
    (breach,) = (one for one in recording.breaches(subject) if "hashable" in one.law.id)
    assert recording.cause_of(library, breach) is None


def test_a_judged_breach_becomes_a_known_departure() -> None:
    library = _one(_CAUSE)
    (subject,) = making.subjects_of(library)
    (breach,) = (one for one in recording.breaches(subject) if "hashable" in one.law.id)
    assert recording.cause_of(library, breach) is _CAUSE
    text = recording.entry(library, _CAUSE, breach, 1)
    assert "node = ExampleList(1.0)" in text
    assert 'reason = "a list is no hashable"' in text
    assert 'raises = "TypeError"' in text
